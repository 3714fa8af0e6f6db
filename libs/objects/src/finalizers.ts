/** Finalizers as lists without repetitions; both changes give the same list back when there is nothing to do. */
import { hasText } from './text-lists.ts';

type Finalized = { readonly metadata: { readonly finalizers?: readonly string[] } };

/** Whether deletion of the object waits for this finalizer. */
export const hasFinalizer = (object: Finalized, finalizer: string): boolean => hasText(object.metadata.finalizers, finalizer);

/** The list with `finalizer` at its end, or the same list when it is there already. */
export function withFinalizer(finalizers: readonly string[] | undefined, finalizer: string): readonly string[] {
  const list = finalizers ?? [];
  return list.includes(finalizer) ? list : [...list, finalizer];
}

/** The list without `finalizer`, the order of the others kept; the same list when it is not there. */
export function withoutFinalizer(finalizers: readonly string[] | undefined, finalizer: string): readonly string[] {
  const list = finalizers ?? [];
  return list.includes(finalizer) ? list.filter((one) => one !== finalizer) : list;
}
