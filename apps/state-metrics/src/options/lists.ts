/** Flags whose values are lists. @see spec/kruise-state-metrics.md 3 */
import { compileRe2 } from '@kruise/objects';
import type { ResourceKind } from '../families/resource-kind.ts';

/** A value, or one line that says what is wrong. */
export type Read<T> = { readonly kind: 'Read'; readonly value: T } | { readonly kind: 'Faulty'; readonly why: string };

const read = <T>(value: T): Read<T> => ({ kind: 'Read', value });
const faulty = (why: string): Read<never> => ({ kind: 'Faulty', why });

/** The items of a comma-separated list, trimmed; empty ones are omitted. */
export const itemsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
];

/** @param text of `--resources`; '' for those that are exported by default */
export function chooseResources(text: string, kinds: readonly ResourceKind[]): Read<readonly ResourceKind[]> {
  const names = itemsOf(text);
  if (names.length === 0) return read(kinds.filter(({ byDefault }) => byDefault));
  const unknown = names.find((name) => !kinds.some(({ resource }) => resource === name));
  if (unknown === undefined) return read(kinds.filter(({ resource }) => names.includes(resource)));
  return faulty(`resource ${unknown} does not exist. Available resources: ${kinds.map(({ resource }) => resource).join(',')}`);
}

/** Whether a family of this name is exported. */
export type FamilyFilter = (name: string) => boolean;

function matcherOf(text: string): Read<FamilyFilter> {
  const compiled = itemsOf(text).map((expression) => ({ expression, compiled: compileRe2(expression) }));
  for (const one of compiled)
    if (one.compiled.kind === 'Illegal')
      return faulty(`${JSON.stringify(one.expression)} is not a regular expression: ${one.compiled.why}`);
  const matches = compiled.flatMap((one) => (one.compiled.kind === 'Compiled' ? [one.compiled.matches] : []));
  return read((name) => matches.some((match) => match(name)));
}

/** The filter of `--metric-allowlist` and `--metric-denylist`: RE2 expressions between commas, of which a match anywhere in the name counts. */
export function familyFilter(allowlist: string, denylist: string): Read<FamilyFilter> {
  const [allows, denies] = [itemsOf(allowlist).length > 0, itemsOf(denylist).length > 0];
  if (allows && denies) return faulty('--metric-allowlist and --metric-denylist are mutually exclusive, only one of them can be set');
  if (!allows && !denies) return read(() => true);
  const matcher = matcherOf(allows ? allowlist : denylist);
  if (matcher.kind === 'Faulty') return faulty(`--metric-${allows ? 'allowlist' : 'denylist'}: ${matcher.why}`);
  return read(allows ? matcher.value : (name) => !matcher.value(name));
}

/** Keys by resource, as `clonesets=[app,team],statefulsets=[*]` names them. */
export type KeysByResource = ReadonlyMap<string, readonly string[]>;

/** @param flag for messages */
export function keysByResource(flag: string, text: string): Read<KeysByResource> {
  const found = new Map<string, readonly string[]>();
  let rest = text.trim();
  while (rest !== '') {
    const match = /^([a-z]+)=\[([^[\]]*)\](?:,|$)/.exec(rest);
    if (match === null) return faulty(`--${flag} must be like clonesets=[app,team],statefulsets=[*], not ${JSON.stringify(text)}`);
    const [whole, resource = '', keys = ''] = match;
    found.set(resource, [...new Set([...(found.get(resource) ?? []), ...itemsOf(keys)])]);
    rest = rest.slice(whole.length).trim();
  }
  return read(found);
}
