/** The directives of a strategic merge patch: members that are no values. */
import { isJsonObject, setOwnMember, type JsonObject } from '../json/own-member.ts';

/** `delete` or `replace`, on an object or on an element of a merged list. */
export const patchDirective = '$patch';
/** The members of a union that are kept. */
export const retainKeysDirective = '$retainKeys';
/** Prefix of a sibling that defines the order of a merged list. */
export const setElementOrder = '$setElementOrder/';
/** Prefix of a sibling that lists the scalars to remove from a merged list. */
export const deleteFromPrimitiveList = '$deleteFromPrimitiveList/';

const isDirective = (name: string): boolean =>
  name === retainKeysDirective || name.startsWith(setElementOrder) || name.startsWith(deleteFromPrimitiveList);

/** Returns whether a value is a directive about another one: without that, it leaves nothing. */
export const isPatchDirective = (value: unknown): value is JsonObject => isJsonObject(value) && Object.hasOwn(value, patchDirective);

/** Returns what a patch leaves when there is nothing to merge with: its values without directives, deletions and nulls. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((element) => !isPatchDirective(element)).map(withoutDirectives);
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    if (isDirective(name) || member === null || member === undefined || isPatchDirective(member)) continue;
    setOwnMember(result, name, withoutDirectives(member));
  }
  return result;
}

/** Returns the names of the members of a patch without `$patch` that are not directives. */
export const plainNames = (patch: JsonObject): readonly string[] => Object.keys(patch).filter((name) => !isDirective(name));
