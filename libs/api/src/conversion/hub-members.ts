/**
 * Members that only v1beta1 has, carried through v1alpha1 as JSON in one annotation, so that reading an object through v1alpha1 and writing
 * it back loses none of them. The annotation stands in the v1alpha1 form only: it is made on the way down and taken away on the way up.
 */
import { parseLossless, stringifyLossless } from '@kruise/objects';
import { annotations } from '../well-known.ts';
import { isMembers, metadataValue, withMetadataValues, type Members } from './converter.ts';

/** Sets the annotation on a v1alpha1 object; nothing to carry removes it. */
export function carryHubMembers(alpha: Members, carried: Members): Members {
  const value = Object.keys(carried).length === 0 ? undefined : stringifyLossless(carried);
  if (value === undefined && metadataValue(alpha, 'annotations', annotations.hubMembers) === undefined) return alpha;
  return withMetadataValues(alpha, 'annotations', { [annotations.hubMembers]: value });
}

/** What a v1alpha1 object carries (empty when nothing, or when someone wrote other text), and the object without the annotation. */
export function takeHubMembers(alpha: Members): { readonly carried: Members; readonly object: Members } {
  const text = metadataValue(alpha, 'annotations', annotations.hubMembers);
  if (text === undefined) return { carried: {}, object: alpha };
  return { carried: parseMembers(text), object: withMetadataValues(alpha, 'annotations', { [annotations.hubMembers]: undefined }) };
}

function parseMembers(text: string): Members {
  try {
    const value = parseLossless(text);
    return isMembers(value) ? value : {};
  } catch {
    return {};
  }
}
