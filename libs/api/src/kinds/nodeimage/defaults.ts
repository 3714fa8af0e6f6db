/** Defaults of a NodeImage of either version (spec/image-pulling.md 4). */
import { compareUtf8, formatTime, isJsonObject, withMembers, type Instant, type JsonObject } from '@kruise/objects';
import { mapItems, mapMember } from '../../members/nested-members.ts';
import { fillAbsent } from '../../members/fill.ts';
import { withPullPolicy } from '../../defaults/image-pull.ts';

/** Returns the object with its defaults and the tags of spec and status in ascending order. A tag without a creation time gets the present one. */
export function defaultNodeImage(object: JsonObject, now: Instant): JsonObject {
  const createdAt = formatTime(now);
  const withTags = mapMember(object, 'spec', (spec) =>
    eachImage(spec, 'images', (image) => mapItems(image, 'tags', (tag) => withPullPolicy(fillAbsent(tag, { createdAt })))),
  );
  const sorted = mapMember(withTags, 'spec', (spec) => eachImage(spec, 'images', sortTags));
  return mapMember(sorted, 'status', (status) => eachImage(status, 'imageStatuses', sortTags));
}

const eachImage = (members: JsonObject, name: string, change: (image: JsonObject) => JsonObject): JsonObject =>
  mapMember(members, name, (images) =>
    withMembers(
      images,
      Object.fromEntries(Object.entries(images).map(([image, value]) => [image, isJsonObject(value) ? change(value) : value])),
    ),
  );

/** Sorts tags. Equal ones keep their order; a list with an entry without a tag is left unchanged. */
function sortTags(image: JsonObject): JsonObject {
  const { tags } = image;
  if (!Array.isArray(tags) || !tags.every(hasTag)) return image;
  const isSorted = tags.every((entry, index) => index === 0 || compareUtf8((tags[index - 1] as Tagged).tag, entry.tag) <= 0);
  return isSorted ? image : withMembers(image, { tags: tags.toSorted((a, b) => compareUtf8(a.tag, b.tag)) });
}

type Tagged = JsonObject & { readonly tag: string };
const hasTag = (entry: unknown): entry is Tagged => isJsonObject(entry) && typeof entry['tag'] === 'string';
