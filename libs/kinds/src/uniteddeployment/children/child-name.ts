/** Names of new children. Pure. @see spec/uniteddeployment.md 5.6 */
import { freeNames } from '@kruise/workloads';
import { namePrefixOf } from './render.ts';

/**
 * The name looks like a generated one and follows from what exists: a pass that is repeated because its answer was lost requests the same.
 *
 * @param taken whether an object of the kind has the name, whose child it is not
 */
export function childNameOf(
  united: { readonly name: string; readonly uid: string },
  subset: string,
  taken: (name: string) => boolean,
): string {
  return freeNames(namePrefixOf(united.name, subset), { has: taken })(`${united.uid}/${subset}`);
}
