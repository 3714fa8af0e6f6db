/** Names of new children. Pure. @see spec/uniteddeployment.md 5.6 */
import { hashedSuffix } from '@kruise/objects';
import { namePrefixOf } from './render.ts';

/** What the API server leaves of a prefix, so that it and a suffix make a label of DNS. */
const longestPrefix = 58;

/**
 * The name looks like a generated one and follows from what exists: a pass that is repeated because its answer was lost asks for the same.
 *
 * @param taken whether an object of the kind has the name, whose child it is not
 */
export function childNameOf(
  united: { readonly name: string; readonly uid: string },
  subset: string,
  taken: (name: string) => boolean,
): string {
  const prefix = namePrefixOf(united.name, subset).slice(0, longestPrefix);
  for (let attempt = 0; ; attempt++) {
    const name = `${prefix}${hashedSuffix(`${united.uid}/${subset}/${String(attempt)}`)}`;
    if (!taken(name)) return name;
  }
}
