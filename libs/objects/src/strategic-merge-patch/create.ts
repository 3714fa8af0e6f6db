/** Creates two-way strategic merge patches from (before, after). */
import { deepEqual } from '../json/equality.ts';
import { isJsonObject, ownMember, setOwnMember, type JsonObject } from '../json/own-member.ts';
import { deleteFromPrimitiveList, patchDirective, retainKeysDirective, setElementOrder } from './directives.ts';
import { memberRule, type MemberRule, type PatchSchema } from './patch-schema.ts';

type Patch = Record<string, unknown>;

/**
 * Returns the strategic merge patch that turns `original` into `modified`; `{}` when they are equal.
 *
 * @param schema of both, see `patchSchemaOf`
 * @remarks A merged list whose merge key does not identify its elements (absent, or twice in the list, as with one port for TCP and UDP) is replaced
 * whole, so that the patch still results in `modified`, except for the order: the server groups elements of one key.
 * A null in `modified` is a deletion.
 */
export function createStrategicMergePatch(original: JsonObject, modified: JsonObject, schema: PatchSchema): JsonObject {
  return diffObjects(original, modified, { schema });
}

/** Returns the difference of two objects. @param rule of the object: its schema, and whether it is a union */
function diffObjects(original: JsonObject, modified: JsonObject, rule: MemberRule): Patch {
  const patch: Patch = {};
  for (const name of Object.keys(original)) {
    if (original[name] === undefined || ownMember(modified, name) !== undefined) continue;
    setOwnMember(patch, name, null);
  }
  for (const name of Object.keys(modified)) {
    const after = modified[name];
    if (after === undefined) continue;
    diffMember(patch, { name, before: ownMember(original, name), after, rule: rule.schema ? memberRule(rule.schema, name) : {} });
  }
  const kept = Object.keys(modified).filter((name) => modified[name] !== undefined);
  if (rule.retainKeys === true && Object.keys(patch).length > 0 && kept.length > 0) patch[retainKeysDirective] = kept.sort();
  return patch;
}

interface Member {
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly rule: MemberRule;
}

function diffMember(patch: Patch, member: Member): void {
  const { name, before, after, rule } = member;
  if (deepEqual(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after) && rule.strategy !== 'replace') {
    const nested = diffObjects(before, after, rule);
    if (Object.keys(nested).length > 0) setOwnMember(patch, name, nested);
  } else if (
    Array.isArray(before) &&
    Array.isArray(after) &&
    rule.strategy === 'merge' &&
    (before.length > 0 || !isTakenAsItIs(after, rule))
  ) {
    diffList(patch, { name, before, after, rule });
  } else {
    setOwnMember(patch, name, after);
  }
}

/** Returns whether merging the list with an empty one results in the same list. */
const isTakenAsItIs = (list: readonly unknown[], { mergeKey }: MemberRule): boolean =>
  mergeKey === undefined || hasDistinctKeys(list, mergeKey);

interface ListMember extends Member {
  readonly before: readonly unknown[];
  readonly after: readonly unknown[];
}

function diffList(patch: Patch, list: ListMember): void {
  const { name, before, after, rule } = list;
  if (rule.mergeKey === undefined) {
    diffScalars(patch, list);
  } else if (hasDistinctKeys(before, rule.mergeKey) && hasDistinctKeys(after, rule.mergeKey)) {
    diffKeyed(patch, list, rule.mergeKey);
  } else {
    patch[name] = [{ [patchDirective]: 'replace' }, ...after];
  }
}

const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== 'object';

/** Returns whether the merge key identifies all elements. */
function hasDistinctKeys(list: readonly unknown[], mergeKey: string): boolean {
  const seen = new Set<unknown>();
  for (const element of list) {
    const key = isJsonObject(element) ? ownMember(element, mergeKey) : undefined;
    if (!isScalar(key) || seen.has(key)) return false;
    seen.add(key);
  }
  return true;
}

function diffScalars(patch: Patch, { name, before, after }: ListMember): void {
  const old = new Set(before);
  const wanted = new Set(after);
  const added = [...wanted].filter((element) => !old.has(element));
  const removed = [...old].filter((element) => !wanted.has(element)).sort();
  if (added.length > 0) patch[name] = added;
  if (removed.length > 0) patch[`${deleteFromPrimitiveList}${name}`] = removed;
  if (wanted.size > 0) patch[`${setElementOrder}${name}`] = [...wanted];
}

function diffKeyed(patch: Patch, list: ListMember, mergeKey: string): void {
  const { name, before, after } = list;
  const keyOf = (element: unknown): unknown => ownMember(element as JsonObject, mergeKey);
  const elements = keyedChanges(list, mergeKey);
  if (elements.length > 0) patch[name] = elements;
  const reordered = !(before.length === after.length && before.every((element, i) => keyOf(element) === keyOf(after[i])));
  if (after.length > 0 && (elements.length > 0 || reordered)) {
    patch[`${setElementOrder}${name}`] = after.map((element) => ({ [mergeKey]: keyOf(element) }));
  }
}

/** Returns new and changed elements in the order of `after`, then the deletions. */
function keyedChanges({ before, after, rule }: ListMember, mergeKey: string): readonly JsonObject[] {
  const removed = new Map((before as readonly JsonObject[]).map((element) => [ownMember(element, mergeKey), element]));
  const elements: JsonObject[] = [];
  for (const element of after as readonly JsonObject[]) {
    const key = ownMember(element, mergeKey);
    const previous = removed.get(key);
    removed.delete(key);
    const change = previous === undefined ? element : diffObjects(previous, element, rule);
    if (Object.keys(change).length > 0) elements.push({ ...change, [mergeKey]: key });
  }
  for (const key of removed.keys()) elements.push({ [patchDirective]: 'delete', [mergeKey]: key });
  return elements;
}

/** Returns whether a patch changes nothing; an order alone counts as a change. */
export const isEmptyPatch = (patch: JsonObject): boolean => Object.keys(patch).length === 0;
