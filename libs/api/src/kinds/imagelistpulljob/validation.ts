/** What an ImageListPullJob of either version must fulfil to be stored. @see spec/image-pulling.md 4 */
import { imageLimits, isJsonObject, membersAt, type JsonObject } from '@kruise/objects';
import { completionFault, firstFault, imageFault, nodeChoiceFault, parallelismFault, type Fault } from '../../validation/image-pull.ts';

const maxImages = imageLimits.imagesOfList.value;

/**
 * Returns the fault of a list from any source: it is required, has a maximum length, and contains different references.
 *
 * @param stored the list that is replaced, which may be longer already
 */
export function imagesFault(images: unknown, stored?: unknown): Fault {
  if (!Array.isArray(images) || images.length === 0) return 'images can not be empty';
  const list = images as readonly unknown[];
  const seen = new Set<unknown>();
  const twice = list.find((image) => seen.size === seen.add(image).size);
  if (twice !== undefined) return `images has ${JSON.stringify(twice)} twice`;
  if (list.length > Math.max(maxImages, Array.isArray(stored) ? stored.length : 0))
    return `images has ${list.length} entries, ${maxImages} are allowed: split it into several lists`;
  return firstFault(...list.map((image) => () => imageFault(image)));
}

/**
 * Returns the first fault of an ImageListPullJob from any source, with its defaults filled in. Never throws.
 *
 * @param stored the object that is replaced: what exceeds a maximum in it already is allowed
 */
export function imageListPullJobFault(object: JsonObject, stored: JsonObject = {}): Fault {
  const { spec } = object;
  const before = membersAt(stored, 'spec');
  if (!isJsonObject(spec)) return 'spec must be an object';
  return firstFault(
    () => nodeChoiceFault(spec, before),
    () => imagesFault(spec['images'], before['images']),
    () => parallelismFault(spec),
    () => completionFault(spec),
  );
}
