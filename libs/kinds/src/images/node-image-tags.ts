/** Reading and changing the tasks in a NodeImage: pure. Objects past admission may lack members; those count as empty. */
import type { ImageSpec, ImageTagSpec, ImageTagStatus, NodeImage } from '@kruise/api';
import { isJsonObject, type ImageTask, type Index } from '@kruise/objects';

const none: readonly never[] = [];

const objectsOf = <T>(list: unknown): readonly T[] => {
  if (!Array.isArray(list)) return none;
  return list.every((entry) => isJsonObject(entry))
    ? (list as readonly T[])
    : (list.filter((entry) => isJsonObject(entry)) as readonly T[]);
};

const membersOf = <T>(map: unknown): Readonly<Record<string, T>> => (isJsonObject(map) ? (map as Readonly<Record<string, T>>) : {});

export const imagesOf = ({ spec }: NodeImage): Readonly<Record<string, ImageSpec>> => membersOf(membersOf<unknown>(spec)['images']);

export const tagsOf = (image: ImageSpec | undefined): readonly ImageTagSpec[] => objectsOf(membersOf<unknown>(image)['tags']);

export const imageAt = (nodeImage: NodeImage, name: string): ImageSpec | undefined => {
  const images = imagesOf(nodeImage);
  return Object.hasOwn(images, name) ? images[name] : undefined;
};

export const tagAt = (nodeImage: NodeImage, { name, tag }: ImageTask): ImageTagSpec | undefined =>
  tagsOf(imageAt(nodeImage, name)).find((entry) => entry.tag === tag);

type ImageStatuses = NonNullable<NonNullable<NodeImage['status']>['imageStatuses']>;

export const imageStatusesOf = ({ status }: NodeImage): ImageStatuses => membersOf(status?.imageStatuses);

export const tagStatusesOf = (nodeImage: NodeImage, name: string): readonly ImageTagStatus[] => {
  const statuses = imageStatusesOf(nodeImage);
  return Object.hasOwn(statuses, name) ? objectsOf(membersOf<unknown>(statuses[name])['tags']) : none;
};

export const tagStatusAt = (nodeImage: NodeImage, { name, tag }: ImageTask): ImageTagStatus | undefined =>
  tagStatusesOf(nodeImage, name).find((entry) => entry.tag === tag);

/** Number of the task; an absent one is the first. */
export const versionOf = ({ version }: { readonly version?: number }): number => version ?? 0;

type Owner = NonNullable<ImageTagSpec['ownerReferences']>[number];

export const ownersOf = ({ ownerReferences }: ImageTagSpec): readonly Owner[] => objectsOf(ownerReferences);

export const hasOwner = (tag: ImageTagSpec, uid: string): boolean => ownersOf(tag).some((owner) => owner.uid === uid);

/** NodeImages by the UIDs of all that want one of their tags. */
export const byTaskOwner: Index<NodeImage> = {
  name: 'taskOwnerUID',
  valuesOf: (nodeImage) => [
    ...new Set(
      Object.values(imagesOf(nodeImage)).flatMap((image) => tagsOf(image).flatMap((tag) => ownersOf(tag).flatMap(({ uid }) => uid ?? []))),
    ),
  ],
};

/** The NodeImage with one image replaced; taken out when `image` is undefined. */
export function withImage(nodeImage: NodeImage, name: string, image: ImageSpec | undefined): NodeImage {
  const others = Object.entries(imagesOf(nodeImage)).filter(([other]) => other !== name);
  const images = Object.fromEntries(image === undefined ? others : [...others, [name, image]]);
  return { ...nodeImage, spec: { ...nodeImage.spec, images } };
}
