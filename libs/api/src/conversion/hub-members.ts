/**
 * Members that only v1beta1 has, carried through v1alpha1 as JSON in one annotation, so that reading an object through v1alpha1 and writing it back
 * loses none of them. Only the v1alpha1 form has the annotation: it is added in v1alpha1 and removed in v1beta1.
 */
import { isJsonObject, metadataValue, parseLossless, stringifyLossless, withMetadataValues, type JsonObject } from '@kruise/objects';
import { annotations } from '../well-known.ts';

/** Sets the annotation on a v1alpha1 object; removes it when there is nothing to carry. */
export function carryHubMembers(alpha: JsonObject, carried: JsonObject): JsonObject {
  const value = Object.keys(carried).length === 0 ? undefined : stringifyLossless(carried);
  if (value === undefined && metadataValue(alpha, 'annotations', annotations.hubMembers) === undefined) return alpha;
  return withMetadataValues(alpha, 'annotations', { [annotations.hubMembers]: value });
}

/** Returns what a v1alpha1 object carries (empty when it carries nothing, or when the text is unreadable), and the object without the annotation. */
export function takeHubMembers(alpha: JsonObject): { readonly carried: JsonObject; readonly object: JsonObject } {
  const text = metadataValue(alpha, 'annotations', annotations.hubMembers);
  if (text === undefined) return { carried: {}, object: alpha };
  return { carried: parseMembers(text), object: withMetadataValues(alpha, 'annotations', { [annotations.hubMembers]: undefined }) };
}

function parseMembers(text: string): JsonObject {
  try {
    const value = parseLossless(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
