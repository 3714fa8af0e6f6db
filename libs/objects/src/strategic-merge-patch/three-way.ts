/** Creates three-way strategic merge patches, which `apply` sends. */
import { isJsonObject, ownMember, setOwnMember, shallowCopy, type JsonObject } from '../own-member.ts';
import { diffObjects } from './create.ts';
import { isPatchDirective, patchDirective, setElementOrder } from './directives.ts';
import { orderElements, type IdentityOf } from './element-order.ts';
import { memberRule, plainSchema, type MemberRule, type PatchSchema } from './patch-schema.ts';

/** The three states of an apply. */
export interface ThreeWay {
  /** As last applied: what it contains and `modified` lacks is deleted. */
  readonly original: JsonObject;
  /** The desired state. */
  readonly modified: JsonObject;
  /** The live state: what others added to it is kept. */
  readonly current: JsonObject;
}

/**
 * Returns the patch for `current` that adds and changes what `modified` contains and deletes what was removed since `original`.
 *
 * @param schema of all three, see `patchSchemaOf`
 */
export function createThreeWayPatch({ original, modified, current }: ThreeWay, schema: PatchSchema): JsonObject {
  const changes = diffObjects(current, modified, { schema }, { changes: true, deletions: false });
  const deletions = diffObjects(original, modified, { schema }, { changes: false, deletions: true });
  return joinObjects(deletions, changes, schema);
}

function joinObjects(deletions: JsonObject, changes: JsonObject, schema: PatchSchema): JsonObject {
  const result = shallowCopy(deletions);
  for (const name of Object.keys(changes)) {
    setOwnMember(result, name, joinValues(ownMember(deletions, name), changes[name], memberRule(schema, name)));
  }
  for (const name of Object.keys(result)) {
    if (name.startsWith(setElementOrder))
      orderChanges(result, name.slice(setElementOrder.length), memberRule(schema, name.slice(setElementOrder.length)));
  }
  return result;
}

/** Orders the changes. Elements of a list must be in the order that the patch requires, or the server refuses it; directives follow. */
function orderChanges(patch: Record<string, unknown>, name: string, { mergeKey }: MemberRule): void {
  const [elements, wanted] = [ownMember(patch, name), patch[`${setElementOrder}${name}`]];
  if (mergeKey === undefined || !Array.isArray(elements) || !Array.isArray(wanted)) return;
  const identityOf: IdentityOf = (element) => ownMember(element as JsonObject, mergeKey);
  const [directives, plain] = [elements.filter(isPatchDirective), elements.filter((element) => !isPatchDirective(element))];
  const isReplaced = directives.some((element) => element[patchDirective] === 'replace');
  if (!isReplaced) setOwnMember(patch, name, [...orderElements(plain, { wanted, live: [], identityOf }), ...directives]);
}

function joinValues(deletions: unknown, changes: unknown, rule: MemberRule): unknown {
  if (isJsonObject(deletions) && isJsonObject(changes)) return joinObjects(deletions, changes, rule.schema ?? plainSchema);
  if (!Array.isArray(deletions) || !Array.isArray(changes) || rule.mergeKey === undefined) return changes;
  const isReplacement = changes.some((element) => isJsonObject(element) && element[patchDirective] === 'replace');
  return isReplacement ? changes : joinKeyed(deletions as readonly JsonObject[], changes as readonly JsonObject[], rule.mergeKey, rule);
}

function joinKeyed(
  deletions: readonly JsonObject[],
  changes: readonly JsonObject[],
  mergeKey: string,
  rule: MemberRule,
): readonly JsonObject[] {
  const rest = new Map(deletions.map((element) => [element[mergeKey], element]));
  const joined = changes.map((element) => {
    const partner = rest.get(element[mergeKey]);
    rest.delete(element[mergeKey]);
    return partner === undefined ? element : joinObjects(partner, element, rule.schema ?? plainSchema);
  });
  return [...joined, ...rest.values()];
}

/** Returns whether a patch changes nothing; an order alone counts as a change. */
export const isEmptyPatch = (patch: JsonObject): boolean => Object.keys(patch).length === 0;
