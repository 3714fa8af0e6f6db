/** How applying a patch ends: patches come from outside, so a bad one is an ordinary outcome. */
export type PatchResult = { readonly kind: 'Patched'; readonly value: unknown } | { readonly kind: 'Refused'; readonly why: string };

/** Thrown inside of the patch code only and turned into `Refused` by {@link patchResult}. */
export class PatchError extends Error {}

/** Runs an application; a {@link PatchError} is an outcome, every other error is passed on. */
export function patchResult(apply: () => unknown): PatchResult {
  try {
    return { kind: 'Patched', value: apply() };
  } catch (failure) {
    if (failure instanceof PatchError) return { kind: 'Refused', why: failure.message };
    throw failure;
  }
}
