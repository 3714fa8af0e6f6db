/** The result of applying a patch. Patches come from outside, so a bad one is an ordinary result. */
export type PatchResult = { readonly kind: 'Patched'; readonly value: unknown } | { readonly kind: 'Refused'; readonly why: string };

/** Thrown only inside the patch code and converted to `Refused` by {@link patchResult}. */
export class PatchError extends Error {}

/** Runs an application. A {@link PatchError} becomes a result; every other error is passed on. */
export function patchResult(apply: () => unknown): PatchResult {
  try {
    return { kind: 'Patched', value: apply() };
  } catch (failure) {
    if (failure instanceof PatchError) return { kind: 'Refused', why: failure.message };
    throw failure;
  }
}
