/** Reads lists of objects of any origin, as the webhook receives them. */
import { isMembers, membersAt, type Members } from '../../conversion/converter.ts';

/** Returns the objects of a list with their indexes; none for another value. */
export const objectsAt = (holder: Members, name: string): readonly (readonly [item: Members, index: number])[] => {
  const list = holder[name];
  const found: (readonly [Members, number])[] = [];
  if (Array.isArray(list))
    list.forEach((item: unknown, i) => {
      if (isMembers(item)) found.push([item, i]);
    });
  return found;
};

/** Returns a string; '' when it is absent or no string. */
export const textAt = (holder: Members, name: string): string => {
  const value = holder[name];
  return typeof value === 'string' ? value : '';
};

/** Returns the strings of a map, in its order. */
export const textsOf = (holder: Members, name: string): readonly (readonly [key: string, value: string])[] =>
  Object.entries(membersAt(holder, name)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
