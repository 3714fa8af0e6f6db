/** Finalizers as lists without repetitions. Both changes return the same list when there is nothing to do. */
import { hasText } from '../text/text-lists.ts';

type Finalized = { readonly metadata: { readonly finalizers?: readonly string[] } };

/** Returns whether deletion of the object waits for this finalizer. */
export const hasFinalizer = (object: Finalized, finalizer: string): boolean => hasText(object.metadata.finalizers, finalizer);

/** Returns the list with `finalizer` at its end, or the same list when it contains it already. */
export function withFinalizer(finalizers: readonly string[] | undefined, finalizer: string): readonly string[] {
  const list = finalizers ?? [];
  return list.includes(finalizer) ? list : [...list, finalizer];
}

/** Returns the list without `finalizer`, in the same order; the same list when it does not contain it. */
export function withoutFinalizer(finalizers: readonly string[] | undefined, finalizer: string): readonly string[] {
  const list = finalizers ?? [];
  return list.includes(finalizer) ? list.filter((one) => one !== finalizer) : list;
}
