/**
 * Members that only v1beta1 has, carried through v1alpha1 as JSON in one annotation, so that reading an object through v1alpha1 and writing it back
 * loses none of them. Only the v1alpha1 form has the annotation: it is added in v1alpha1 and removed in v1beta1.
 */
import { parseLossless, stringifyLossless } from '@kruise/objects';
import { annotations } from '../well-known.ts';
import { isMembers, metadataValue, withMetadataValues, type Members } from './converter.ts';

/** Sets the annotation on a v1alpha1 object; removes it when there is nothing to carry. */
export function carryHubMembers(alpha: Members, carried: Members): Members {
  const value = Object.keys(carried).length === 0 ? undefined : stringifyLossless(carried);
  if (value === undefined && metadataValue(alpha, 'annotations', annotations.hubMembers) === undefined) return alpha;
  return withMetadataValues(alpha, 'annotations', { [annotations.hubMembers]: value });
}

/** Returns what a v1alpha1 object carries (empty when it carries nothing, or when the text is unreadable), and the object without the annotation. */
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
