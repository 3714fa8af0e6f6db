/** Defaults of a NodeImage of either version (spec/image-pulling.md 4). */
import { compareUtf8, formatTime, type Instant } from '@kruise/objects';
import { isMembers, withMembers, type Members } from '../../conversion/converter.ts';
import { mapItems, mapMember } from '../../conversion/nested-members.ts';
import { fillAbsent } from '../../defaults/fill.ts';
import { withPullPolicy } from '../../defaults/image-pull.ts';

/** Returns the object with its defaults and the tags of spec and status in ascending order. A tag without a creation time gets the present one. */
export function defaultNodeImage(object: Members, now: Instant): Members {
  const createdAt = formatTime(now);
  const withTags = mapMember(object, 'spec', (spec) =>
    eachImage(spec, 'images', (image) => mapItems(image, 'tags', (tag) => withPullPolicy(fillAbsent(tag, { createdAt })))),
  );
  const sorted = mapMember(withTags, 'spec', (spec) => eachImage(spec, 'images', sortTags));
  return mapMember(sorted, 'status', (status) => eachImage(status, 'imageStatuses', sortTags));
}

const eachImage = (members: Members, name: string, change: (image: Members) => Members): Members =>
  mapMember(members, name, (images) =>
    withMembers(
      images,
      Object.fromEntries(Object.entries(images).map(([image, value]) => [image, isMembers(value) ? change(value) : value])),
    ),
  );

/** Sorts tags. Equal ones keep their order; a list with an entry without a tag is left unchanged. */
function sortTags(image: Members): Members {
  const { tags } = image;
  if (!Array.isArray(tags) || !tags.every(hasTag)) return image;
  const isSorted = tags.every((entry, index) => index === 0 || compareUtf8((tags[index - 1] as Tagged).tag, entry.tag) <= 0);
  return isSorted ? image : withMembers(image, { tags: tags.toSorted((a, b) => compareUtf8(a.tag, b.tag)) });
}

type Tagged = Members & { readonly tag: string };
const hasTag = (entry: unknown): entry is Tagged => isMembers(entry) && typeof entry['tag'] === 'string';
