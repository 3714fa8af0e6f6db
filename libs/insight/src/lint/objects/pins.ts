/** What an object requires of the Pods that it is about. */
import { isJsonObject, memberAt, membersAt, objectsAt, textAt, type JsonObject } from '@kruise/objects';
import type { Pins } from './pin-index.ts';

/** The texts of a list; undefined for another value, and for a list that has none or others. */
function texts(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.every((value) => typeof value === 'string') ? list : undefined;
}

/**
 * Returns the values of which a selector requires one, by label: those of `matchLabels`, and those of expressions `In`. A label with another
 * expression is omitted: for webhooks, two of these may conflict although their values differ. For the same reason, the values of several
 * requirements of one label are joined.
 */
export function pinnedLabels(selector: unknown): Pins {
  const labels = Object.entries(membersAt(selector, 'matchLabels'));
  const pins = new Map(labels.map(([label, value]) => [label, [value as string] as readonly string[]]));
  const open = new Set(labels.flatMap(([label, value]) => (typeof value === 'string' ? [] : [label])));
  for (const expression of objectsAt(selector, 'matchExpressions')) {
    const [label, values] = [String(expression['key']), expression['operator'] === 'In' ? texts(expression['values']) : undefined];
    if (values === undefined) open.add(label);
    else pins.set(label, [...(pins.get(label) ?? []), ...values]);
  }
  for (const label of open) pins.delete(label);
  return pins;
}

/** Returns the labels that expressions `Exists` of a selector require. */
export const existingLabels = (selector: unknown): readonly string[] =>
  objectsAt(selector, 'matchExpressions').flatMap(({ key, operator }) => (operator === 'Exists' && typeof key === 'string' ? [key] : []));

/**
 * Returns what only selectors with the same keys have, for the kind whose webhook compares no others.
 *
 * @see spec/podunavailablebudget.md 4.2
 */
function pinnedKeys(kind: string, selector: unknown): readonly (readonly [string, readonly string[]])[] {
  if (kind !== 'PodUnavailableBudget' || !isJsonObject(selector)) return [];
  const keys = new Set([
    ...Object.keys(membersAt(selector, 'matchLabels')),
    ...objectsAt(selector, 'matchExpressions').map(({ key }) => String(key)),
  ]);
  return [['keys', [JSON.stringify([...keys].sort())]]];
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * Returns what distinguishes the Pods of an object with `spec.targetRef` or `spec.selector` from those of others. Targets are only compared with
 * targets, and selectors with selectors. An object with both is compared with all.
 */
export function pinsOf(kind: string, object: JsonObject): Pins {
  const [target, selector] = [memberAt(object, 'spec', 'targetRef'), memberAt(object, 'spec', 'selector')];
  if (isSet(target) && isSet(selector)) return new Map();
  const targetPin = isSet(target) ? `${textAt(target, 'kind')}/${textAt(target, 'name')}` : '';
  return new Map([
    ['target', [targetPin]],
    ...pinnedKeys(kind, selector),
    ...[...pinnedLabels(selector)].map(([label, values]) => [`label ${label}`, values] as const),
  ]);
}

/** The labels that a selector names, and those that another selector must name so that both can match one Pod. */
export interface NamedLabels {
  readonly named: readonly string[];
  readonly required: readonly string[];
}

/**
 * Returns the labels of an object, for the kind whose webhook reports no conflict of a selector with `Exists` and one that does not name the label.
 *
 * @see spec/sidecarset.md 4.5
 */
export function namedLabelsOf(kind: string, object: JsonObject): NamedLabels {
  if (kind !== 'SidecarSet') return { named: [], required: [] };
  const selector = memberAt(object, 'spec', 'selector');
  const expressed = objectsAt(selector, 'matchExpressions').flatMap(({ key, operator }) =>
    operator === 'In' || operator === 'Exists' ? [String(key)] : [],
  );
  return { named: [...new Set([...Object.keys(membersAt(selector, 'matchLabels')), ...expressed])], required: existingLabels(selector) };
}
