/** Applies strategic merge patches as the API server does. */
import { deepEqual } from '../json/equality.ts';
import { isJsonObject, ownMember, setOwnMember, shallowCopy, type JsonObject } from '../json/own-member.ts';
import { PatchError, patchResult, type PatchResult } from '../patches/patch-result.ts';
import {
  deleteFromPrimitiveList,
  isPatchDirective,
  patchDirective,
  plainNames,
  retainKeysDirective,
  setElementOrder,
  withoutDirectives,
} from './directives.ts';
import { orderElements, type IdentityOf } from './element-order.ts';
import { memberRule, plainSchema, type MemberRule, type PatchSchema } from './patch-schema.ts';

/**
 * Applies a patch of any origin. The original is never written to, and the result shares unchanged parts.
 *
 * @param schema of the original, see `patchSchemaOf`
 * @returns Refused when the patch contradicts itself or the schema (an element without its merge key, an unknown directive)
 */
export const applyStrategicMergePatch = (original: JsonObject, patch: JsonObject, schema: PatchSchema): PatchResult =>
  patchResult(() => mergeObjects(original, patch, schema));

function mergeObjects(original: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  const directive = ownMember(patch, patchDirective);
  if (directive === 'replace') return withoutMember(patch, patchDirective);
  if (directive === 'delete') return {};
  if (directive !== undefined) throw new PatchError(`unknown ${patchDirective} ${JSON.stringify(directive)}`);
  const result = retained(original, patch);
  const done = new Set<string>();
  for (const name of Object.keys(patch)) {
    if (name.startsWith(setElementOrder)) done.add(mergeOrdered(result, patch, name.slice(setElementOrder.length), schema));
  }
  for (const name of plainNames(patch)) if (!done.has(name)) mergeMember(result, name, patch[name], memberRule(schema, name));
  for (const name of Object.keys(patch)) {
    if (name.startsWith(deleteFromPrimitiveList)) removeScalars(result, name.slice(deleteFromPrimitiveList.length), patch[name]);
  }
  return result;
}

function withoutMember(object: JsonObject, name: string): JsonObject {
  const copy = shallowCopy(object);
  Reflect.deleteProperty(copy, name);
  return copy;
}

/** Returns a copy of the original without the members that a union does not keep. */
function retained(original: JsonObject, patch: JsonObject): Record<string, unknown> {
  const result = shallowCopy(original);
  const kept = ownMember(patch, retainKeysDirective);
  if (kept === undefined) return result;
  if (!Array.isArray(kept)) throw new PatchError(`${retainKeysDirective} must be a list`);
  const names = new Set<unknown>(kept);
  for (const name of plainNames(patch)) {
    if (patch[name] !== null && !names.has(name)) throw new PatchError(`${retainKeysDirective} does not list ${name}`);
  }
  for (const name of Object.keys(result)) if (!names.has(name)) Reflect.deleteProperty(result, name);
  return result;
}

function mergeMember(result: Record<string, unknown>, name: string, value: unknown, rule: MemberRule): void {
  if (value === undefined) return;
  const before = ownMember(result, name);
  const isMerged = (isJsonObject(before) && isJsonObject(value)) || (Array.isArray(before) && Array.isArray(value));
  if (isMerged) setOwnMember(result, name, mergeValues(before, value, rule));
  else if (value === null || isPatchDirective(value)) Reflect.deleteProperty(result, name);
  else setOwnMember(result, name, withoutDirectives(value));
}

/** Merges two values. @param before an object if `value` is one, otherwise a list */
function mergeValues(before: unknown, value: unknown, rule: MemberRule): unknown {
  if (isJsonObject(before) && isJsonObject(value)) {
    return rule.strategy === 'replace' ? value : mergeObjects(before, value, rule.schema ?? plainSchema);
  }
  return rule.strategy === 'merge' ? mergeLists(before as readonly unknown[], value as readonly unknown[], rule) : value;
}

/** Merges an ordered list. @returns the name of the list that this handles */
function mergeOrdered(result: Record<string, unknown>, patch: JsonObject, name: string, schema: PatchSchema): string {
  const rule = memberRule(schema, name);
  const wanted = patch[`${setElementOrder}${name}`];
  if (!Array.isArray(wanted)) throw new PatchError(`${setElementOrder}${name} must be a list`);
  const before = ownMember(result, name);
  const changes = ownMember(patch, name);
  for (const list of [before, changes]) {
    if (list !== undefined && !Array.isArray(list)) throw new PatchError(`${name} must be a list`);
  }
  const [live, brought] = [before as readonly unknown[] | undefined, changes as readonly unknown[] | undefined];
  const identityOf = identityBy(rule.mergeKey);
  if (brought !== undefined) checkOrdered(brought, wanted, identityOf, name);
  const elements = orderedElements(live, brought, rule);
  if (elements === undefined) return name;
  const ordered = orderElements(elements, { wanted, live: placesIn(live ?? [], brought ?? [], rule), identityOf });
  setOwnMember(result, name, deepEqual(before, ordered) ? before : ordered);
  return name;
}

/** Returns the elements to order; undefined when there is no list. */
function orderedElements(
  live: readonly unknown[] | undefined,
  brought: readonly unknown[] | undefined,
  rule: MemberRule,
): readonly unknown[] | undefined {
  if (brought === undefined) return live;
  if (live === undefined) return withoutDirectives(brought) as readonly unknown[];
  return rule.strategy === 'merge' ? mergeLists(live, brought, rule) : brought;
}

/** Returns the list in which the server looks up positions: after the deletions, with the first new elements in the places that they freed. */
function placesIn(live: readonly unknown[], brought: readonly unknown[], { strategy, mergeKey }: MemberRule): readonly unknown[] {
  if (strategy !== 'merge' || mergeKey === undefined || live.length === 0) return live;
  const identityOf = identityBy(mergeKey);
  const dropped = removedBy(brought.filter(isPatchDirective), identityOf);
  if (dropped === 'All' || dropped.size === 0) return live;
  const kept = live.filter((element) => !dropped.has(identityOf(element)));
  const known = new Set(kept.map(identityOf));
  const added = new Map<unknown, unknown>();
  for (const element of brought) {
    if (!isPatchDirective(element) && !known.has(identityOf(element))) added.set(identityOf(element), element);
  }
  return [...kept, ...[...added.values()].slice(0, live.length - kept.length)];
}

const isDeletion = (element: unknown): boolean => isPatchDirective(element) && element[patchDirective] === 'delete';

/** Checks that the elements of the patch are in the order that it requires, which may name more. An empty order requires none. */
function checkOrdered(changes: readonly unknown[], order: readonly unknown[], identityOf: IdentityOf, name: string): void {
  const listed = order.length === 0 ? [] : changes.filter((element) => !isDeletion(element));
  let next = 0;
  for (const wanted of order) {
    while (isPatchDirective(listed[next])) next++;
    if (next < listed.length && identityOf(listed[next]) === identityOf(wanted)) next++;
  }
  if (next < listed.length) throw new PatchError(`${setElementOrder}${name} does not list the elements of the patch in their order`);
}

function identityBy(mergeKey: string | undefined): IdentityOf {
  if (mergeKey === undefined) return (element) => element;
  return (element) => {
    const key = isJsonObject(element) ? ownMember(element, mergeKey) : undefined;
    if (key === undefined) throw new PatchError(`an element has no ${mergeKey}, by which the list merges`);
    return key;
  };
}

/** Merges two lists. Elements may share a key: in the list the first of them is changed; in the patch the others are merged into the first. */
function mergeLists(before: readonly unknown[], changes: readonly unknown[], rule: MemberRule): readonly unknown[] {
  const { mergeKey } = rule;
  if (before.length === 0 && changes.length === 0) return before;
  const identityOf = identityBy(mergeKey);
  if (mergeKey === undefined) return orderElements([...new Set([...before, ...changes])], { wanted: changes, live: before, identityOf });
  const plain = changes.filter((element) => !isPatchDirective(element));
  const directives = changes.filter(isPatchDirective);
  const dropped = removedBy(directives, identityOf);
  if (dropped === 'All') {
    // The server groups elements of one key.
    return orderElements(plain, { wanted: [], live: plain, identityOf });
  }
  const live = before.filter((element) => !dropped.has(identityOf(element)));
  return orderElements(mergeKeyed(live, plain, rule, identityOf), { wanted: plain, live, identityOf });
}

/** Returns which elements the directives of a list remove. */
function removedBy(directives: readonly JsonObject[], identityOf: IdentityOf): ReadonlySet<unknown> | 'All' {
  const dropped = new Set<unknown>();
  let isReplaced = false;
  for (const element of directives) {
    const directive = element[patchDirective];
    if (directive === 'replace') isReplaced = true;
    else if (directive === 'delete') dropped.add(identityOf(element));
    else throw new PatchError(`unknown ${patchDirective} ${JSON.stringify(directive)} in a list`);
  }
  return isReplaced ? 'All' : dropped;
}

function mergeKeyed(before: readonly unknown[], changes: readonly unknown[], rule: MemberRule, identityOf: IdentityOf): readonly unknown[] {
  const result = [...before];
  const at = new Map<unknown, number>();
  result.forEach((element, i) => {
    const identity = identityOf(element);
    if (!at.has(identity)) at.set(identity, i);
  });
  for (const change of changes) {
    const identity = identityOf(change);
    const index = at.get(identity);
    if (index === undefined) at.set(identity, result.push(withoutDirectives(change)) - 1);
    else result[index] = mergeObjects(result[index] as JsonObject, change as JsonObject, rule.schema ?? plainSchema);
  }
  return result;
}

function removeScalars(result: Record<string, unknown>, name: string, dropped: unknown): void {
  const before = ownMember(result, name);
  if (!Array.isArray(dropped)) throw new PatchError(`${deleteFromPrimitiveList}${name} must be a list`);
  if (!Array.isArray(before)) return;
  const removed = new Set<unknown>(dropped);
  setOwnMember(
    result,
    name,
    before.filter((element) => !removed.has(element)),
  );
}
