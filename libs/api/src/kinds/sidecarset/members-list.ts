/** Reads lists of objects of any origin, as the webhook receives them. */
import { isJsonObject, membersAt, type JsonObject } from '@kruise/objects';

/** Returns the objects of a list with their indexes; none for another value. */
export const objectsAt = (holder: JsonObject, name: string): readonly (readonly [item: JsonObject, index: number])[] => {
  const list = holder[name];
  const found: (readonly [JsonObject, number])[] = [];
  if (Array.isArray(list))
    list.forEach((item: unknown, i) => {
      if (isJsonObject(item)) found.push([item, i]);
    });
  return found;
};

/** Returns the strings of a map, in its order. */
export const textsOf = (holder: JsonObject, name: string): readonly (readonly [key: string, value: string])[] =>
  Object.entries(membersAt(holder, name)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
