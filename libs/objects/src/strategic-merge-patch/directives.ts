/** The members by which a strategic merge patch says more than values. */
import { isJsonObject, setOwnMember, type JsonObject } from '../own-member.ts';

/** `delete` or `replace`, on an object or on an element of a merged list. */
export const patchDirective = '$patch';
/** The members of a union that stay. */
export const retainKeysDirective = '$retainKeys';
/** Prefix of a sibling that gives the order of a merged list. */
export const setElementOrder = '$setElementOrder/';
/** Prefix of a sibling that lists the scalars to remove from a merged list. */
export const deleteFromPrimitiveList = '$deleteFromPrimitiveList/';

const isDirective = (name: string): boolean =>
  name === patchDirective || name === retainKeysDirective || name.startsWith(setElementOrder) || name.startsWith(deleteFromPrimitiveList);

/** What a patch leaves where there was nothing to merge with: its values without directives, deletions and nulls. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((element) => !isDirectiveElement(element)).map(withoutDirectives);
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    if (!isDirective(name) && value[name] !== null && value[name] !== undefined) setOwnMember(result, name, withoutDirectives(value[name]));
  }
  return result;
}

const isDirectiveElement = (element: unknown): boolean =>
  isJsonObject(element) &&
  (element[patchDirective] === 'delete' || (element[patchDirective] === 'replace' && Object.keys(element).length === 1));

/** Names of the members of a patch that are not directives. */
export const plainNames = (patch: JsonObject): readonly string[] => Object.keys(patch).filter((name) => !isDirective(name));
