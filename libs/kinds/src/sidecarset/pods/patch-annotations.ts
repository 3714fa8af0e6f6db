/** Annotations that a SidecarSet puts on its Pods, at injection and with each update. @see spec/sidecarset.md 2.3, 5.4 step 1 */
import type { SidecarSetPatchPodMetadata } from '@kruise/api';
import { mergeJsonText } from './merge-json-text.ts';

type Annotations = Readonly<Record<string, string>>;

export type PatchedAnnotations =
  | { readonly kind: 'Patched'; readonly annotations: Annotations }
  /** A value cannot be merged. */
  | { readonly kind: 'Refused'; readonly why: string };

/** The value after one patch of the key; policies that are not known change nothing. */
function patchedValue(policy: string | undefined, held: string | undefined, value: string): string | undefined | { readonly why: string } {
  switch (policy ?? '') {
    case '':
    case 'Retain':
      return held ?? value;
    case 'Overwrite':
      return value;
    case 'MergePatchJson': {
      if (held === undefined || held === '') return value;
      const merged = mergeJsonText(held, value);
      return merged.kind === 'Merged' ? merged.text : merged;
    }
    default:
      return held;
  }
}

/**
 * @param held of the Pod
 * @param patches of one SidecarSet, in their order; members of wrong types count as absent
 */
export function patchAnnotations(held: Annotations | undefined, patches: readonly SidecarSetPatchPodMetadata[]): PatchedAnnotations {
  const result = new Map(Object.entries(held ?? {}));
  for (const { annotations, patchPolicy } of patches) {
    for (const [key, value] of Object.entries(annotations ?? {})) {
      const patched = patchedValue(patchPolicy, result.get(key), value);
      if (typeof patched === 'object') return { kind: 'Refused', why: `annotation ${key}: ${patched.why}` };
      if (patched !== undefined) result.set(key, patched);
    }
  }
  return { kind: 'Patched', annotations: Object.fromEntries(result) };
}
