/** Lists of objects in the order of their names. A change is a new list, because what is known of the old one is kept. */
import { compareUtf8, type KubeObject } from '@kruise/objects';

/** Returns where an object with this name is in the list, or would be. */
function placeOf(list: readonly KubeObject[], name: string): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareUtf8(list[middle]?.metadata.name ?? '', name) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

const countAt = (list: readonly KubeObject[], place: number, name: string): number => (list[place]?.metadata.name === name ? 1 : 0);

/** Returns the list with the object in its place, instead of the one of the same name. */
export function withNamed<T extends KubeObject>(list: readonly T[], object: T): readonly T[] {
  const { name } = object.metadata;
  const place = placeOf(list, name);
  return list.toSpliced(place, countAt(list, place, name), object);
}

/** Returns the list without the object of this name. */
export function withoutNamed<T extends KubeObject>(list: readonly T[], name: string): readonly T[] {
  const place = placeOf(list, name);
  return list.toSpliced(place, countAt(list, place, name));
}
