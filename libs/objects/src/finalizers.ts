/** Finalizers as lists without repetitions; both changes give the same list back when there is nothing to do. */

type Finalized = { readonly metadata: { readonly finalizers?: readonly string[] } };

export const hasFinalizer = (object: Finalized, finalizer: string): boolean => object.metadata.finalizers?.includes(finalizer) === true;

export function withFinalizer(finalizers: readonly string[] | undefined, finalizer: string): readonly string[] {
  const list = finalizers ?? [];
  return list.includes(finalizer) ? list : [...list, finalizer];
}

export function withoutFinalizer(finalizers: readonly string[] | undefined, finalizer: string): readonly string[] {
  const list = finalizers ?? [];
  return list.includes(finalizer) ? list.filter((one) => one !== finalizer) : list;
}
