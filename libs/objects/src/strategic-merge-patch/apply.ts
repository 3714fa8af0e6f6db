/** Applying strategic merge patches as the API server does. */
import { deepEqual } from '../equality.ts';
import { isJsonObject, ownMember, setOwnMember, shallowCopy, type JsonObject } from '../own-member.ts';
import { PatchError, patchResult, type PatchResult } from '../patch-result.ts';
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
 * Applies a patch of any origin; the original is never written to, and the result shares what did not change.
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

/** A copy of the original without the members that a union does not keep. */
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
  const isNew = before === undefined || before === null;
  if (value === null || (isNew && isPatchDirective(value))) Reflect.deleteProperty(result, name);
  else setOwnMember(result, name, isNew ? withoutDirectives(value) : mergeValues(before, value, rule));
}

function mergeValues(before: unknown, value: unknown, rule: MemberRule): unknown {
  if (isJsonObject(before) && isJsonObject(value)) {
    return rule.strategy === 'replace' ? value : mergeObjects(before, value, rule.schema ?? plainSchema);
  }
  return Array.isArray(before) && Array.isArray(value) && rule.strategy === 'merge' ? mergeLists(before, value, rule) : value;
}

/** @returns the name of the list that is settled by this */
function mergeOrdered(result: Record<string, unknown>, patch: JsonObject, name: string, schema: PatchSchema): string {
  const rule = memberRule(schema, name);
  const order = patch[`${setElementOrder}${name}`];
  if (!Array.isArray(order)) throw new PatchError(`${setElementOrder}${name} must be a list`);
  const before = ownMember(result, name) ?? [];
  const changes = ownMember(patch, name);
  if (!Array.isArray(before) || (changes !== undefined && !Array.isArray(changes))) throw new PatchError(`${name} must be a list`);
  const identityOf = identityBy(rule.mergeKey);
  const ordered = (elements: readonly unknown[]): unknown =>
    keepIfEqual(before, orderElements(elements, { wanted: order, live: before, identityOf }));
  if (changes !== undefined) {
    checkOrdered(changes, order, identityOf, name);
    setOwnMember(result, name, ordered(rule.strategy === 'merge' ? mergeLists(before, changes, rule) : changes));
  } else if (Object.hasOwn(result, name)) setOwnMember(result, name, ordered(before));
  return name;
}

const keepIfEqual = (before: unknown, after: unknown): unknown => (deepEqual(before, after) ? before : after);

function checkOrdered(changes: readonly unknown[], order: readonly unknown[], identityOf: IdentityOf, name: string): void {
  const known = new Set(order.map(identityOf));
  for (const element of changes) {
    if (!isPatchDirective(element) && !known.has(identityOf(element)))
      throw new PatchError(`${setElementOrder}${name} does not list an element of the patch`);
  }
}

function identityBy(mergeKey: string | undefined): IdentityOf {
  if (mergeKey === undefined) return (element) => element;
  return (element) => {
    const key = isJsonObject(element) ? ownMember(element, mergeKey) : undefined;
    if (key === undefined) throw new PatchError(`an element has no ${mergeKey}, by which the list merges`);
    return key;
  };
}

function mergeLists(before: readonly unknown[], changes: readonly unknown[], rule: MemberRule): readonly unknown[] {
  const { mergeKey } = rule;
  // An empty list is as good as none: what the patch brings is taken as it comes, even if its merge keys repeat.
  if (before.length === 0) return withoutDirectives(changes) as readonly unknown[];
  const identityOf = identityBy(mergeKey);
  if (mergeKey === undefined) return orderElements([...new Set([...before, ...changes])], { wanted: changes, live: before, identityOf });
  const plain = changes.filter((element) => !isPatchDirective(element));
  const directives = changes.filter(isPatchDirective);
  if (directives.some((element) => element[patchDirective] === 'replace')) {
    // The server brings elements of one key together.
    return orderElements(plain, { wanted: [], live: plain, identityOf });
  }
  const merged = mergeKeyed(removeKeyed(before, directives, identityOf), plain, rule, identityOf);
  return orderElements(merged, { wanted: plain, live: before, identityOf });
}

function removeKeyed(before: readonly unknown[], directives: readonly JsonObject[], identityOf: IdentityOf): readonly unknown[] {
  const gone = new Set<unknown>();
  for (const element of directives) {
    const directive = element[patchDirective];
    if (directive !== 'delete') throw new PatchError(`unknown ${patchDirective} ${JSON.stringify(directive)} in a list`);
    gone.add(identityOf(element));
  }
  return gone.size === 0 ? before : before.filter((element) => !gone.has(identityOf(element)));
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

function removeScalars(result: Record<string, unknown>, name: string, gone: unknown): void {
  const before = ownMember(result, name);
  if (!Array.isArray(gone)) throw new PatchError(`${deleteFromPrimitiveList}${name} must be a list`);
  if (!Array.isArray(before)) return;
  const removed = new Set<unknown>(gone);
  setOwnMember(
    result,
    name,
    before.filter((element) => !removed.has(element)),
  );
}
