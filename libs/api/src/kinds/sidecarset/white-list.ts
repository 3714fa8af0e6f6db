/** Which annotations SidecarSets may patch into Pods: a setting of the cluster. @see spec/sidecarset.md 4.4 */
import {
  compileRe2,
  fieldInternal,
  fieldRequired,
  isJsonObject,
  labelMatcherOf,
  membersAt,
  parseJsonText,
  type FieldError,
  type JsonObject,
  type LabelSelector,
} from '@kruise/objects';
import { objectsAt, textsOf } from './members-list.ts';

const path = 'spec.patchPodMetadata';

interface Rule {
  readonly selector: unknown;
  readonly expressions: readonly unknown[];
}

/** Returns a member of settings, ignoring case. */
const memberOf = (object: JsonObject, name: string): unknown =>
  Object.entries(object).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function rulesOf(text: string): readonly Rule[] | undefined {
  try {
    const parsed: unknown = parseJsonText(text);
    if (!isJsonObject(parsed)) return undefined;
    return listOf(memberOf(parsed, 'rules'))
      .filter(isJsonObject)
      .map((rule) => ({ selector: memberOf(rule, 'selector'), expressions: listOf(memberOf(rule, 'allowedAnnotationKeyExprs')) }));
  } catch {
    return undefined;
  }
}

/** Returns whether a rule applies. Its selector has the members of the API, in any case. */
function appliesTo({ selector }: Rule, labels: Readonly<Record<string, string>>): boolean {
  if (!isJsonObject(selector)) return selector === undefined || selector === null;
  const [matchLabels, matchExpressions] = [memberOf(selector, 'matchLabels'), memberOf(selector, 'matchExpressions')];
  const parsed = labelMatcherOf({ matchLabels, matchExpressions } as LabelSelector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(labels);
}

type Allowed =
  { readonly kind: 'Matchers'; readonly all: readonly ((key: string) => boolean)[] } | { readonly kind: 'Illegal'; readonly why: string };

function matchersOf(expressions: readonly unknown[]): Allowed {
  const all: ((key: string) => boolean)[] = [];
  for (const expression of expressions) {
    const compiled = compileRe2(typeof expression === 'string' ? expression : '(');
    if (compiled.kind === 'Illegal') return { kind: 'Illegal', why: `${JSON.stringify(expression)}: ${compiled.why}` };
    all.push(compiled.matches);
  }
  return { kind: 'Matchers', all };
}

/** Returns the keys that the SidecarSet patches, each once. */
const patchedKeys = (spec: JsonObject): readonly string[] => [
  ...new Set(objectsAt(spec, 'patchPodMetadata').flatMap(([patch]) => textsOf(patch, 'annotations').map(([key]) => key))),
];

/**
 * Returns the faults of the patched annotations.
 *
 * @param text of the setting; undefined when the cluster has none
 * @param defaultsAllowed gate SidecarSetPatchPodMetadataDefaultsAllowed: annotations without a rule are allowed
 */
export function validatePatchedAnnotations(
  object: JsonObject,
  { text, defaultsAllowed }: { readonly text: string | undefined; readonly defaultsAllowed: boolean },
): readonly FieldError[] {
  const spec = membersAt(object, 'spec');
  if (objectsAt(spec, 'patchPodMetadata').length === 0) return [];
  if (text === undefined) return defaultsAllowed ? [] : [fieldRequired(path, 'SidecarSet patch metadata whitelist not found')];
  const rules = rulesOf(text);
  if (rules === undefined) return [fieldInternal(path, 'SidecarSet patch metadata whitelist is no valid JSON')];
  const labels = Object.fromEntries(textsOf(membersAt(object, 'metadata'), 'labels'));
  const allowed = matchersOf(rules.filter((rule) => appliesTo(rule, labels)).flatMap(({ expressions }) => expressions));
  if (allowed.kind === 'Illegal') return [fieldInternal(path, `SidecarSet patch metadata whitelist: ${allowed.why}`)];
  if (allowed.all.length === 0) return defaultsAllowed ? [] : [fieldRequired(path, 'sidecarSet patch metadata annotation is not allowed')];
  return (
    patchedKeys(spec)
      // eslint-disable-next-line kruise/cross-product -- the white list is of a ConfigMap of the administrator, of 1 MiB at most
      .filter((key) => !allowed.all.some((matches) => matches(key)))
      .map((key) => fieldRequired(path, `sidecarSet patch metadata annotation(${key}) is not allowed`))
  );
}
