/** What a NodeImage of either version must fulfil to be stored. @see spec/image-pulling.md 4 */
import { imageLimits, isJsonObject, isUnset, membersAt, type JsonObject } from '@kruise/objects';
import { firstFault, type Fault } from '../../validation/image-pull.ts';

/** Maximum of images of one NodeImage. */
export const maxNodeImages = imageLimits.imagesOfNode.value;

function tagFault(image: string, entry: unknown, seen: Set<string>): Fault {
  if (!isJsonObject(entry)) return `a tag of image ${image} must be an object`;
  const { tag, createdAt, version, pullPolicy } = entry;
  if (typeof tag !== 'string' || tag === '') return `image ${image} has an empty tag`;
  const name = `${image}/${tag}`;
  if (seen.has(tag)) return `duplicated tag ${name}`;
  seen.add(tag);
  if (isUnset(createdAt)) return `createdAt for ${name} must set`;
  if (typeof version === 'number' && version < 0) return `version for ${name} must be 0 or more`;
  if (!isJsonObject(pullPolicy)) return `pullPolicy for ${name} must set`;
  return isUnset(pullPolicy['ttlSecondsAfterFinished']) ? `pullPolicy.ttlSecondsAfterFinished for ${name} must set` : undefined;
}

function imageFault(image: string, value: unknown): Fault {
  if (image === '') return 'an image has an empty name';
  const tags = isJsonObject(value) ? value['tags'] : undefined;
  if (isUnset(tags)) return undefined;
  if (!Array.isArray(tags)) return `tags of image ${image} must be a list`;
  const seen = new Set<string>();
  return firstFault(...tags.map((tag: unknown) => () => tagFault(image, tag, seen)));
}

const imagesOf = (object: JsonObject): JsonObject => membersAt(membersAt(object, 'spec'), 'images');

/**
 * Returns the first fault of a NodeImage from any source, with its defaults filled in. Never throws.
 *
 * @param stored the object that is replaced, which may have more images already
 */
export function nodeImageFault(object: JsonObject, stored: JsonObject = {}): Fault {
  const images = Object.entries(imagesOf(object));
  if (images.length > Math.max(maxNodeImages, Object.keys(imagesOf(stored)).length))
    return `spec.images has ${images.length} entries, ${maxNodeImages} are allowed: remove images that the node does not need`;
  return firstFault(
    ...images.map(
      ([name, value]) =>
        () =>
          imageFault(name, value),
    ),
  );
}
