/**
 * What the controller removes from the spec of a NodeImage: tasks that no job wants any more, tasks that ended long enough ago, deleted secrets. It
 * also copies the labels of the Node.
 * @see spec/image-pulling.md 5.3 step 4
 */
import type { ImageSpec, ImageTagSpec, NodeImage } from '@kruise/api';
import { deepEqual, earliest, parseTime, seconds, type Instant, type Milliseconds } from '@kruise/objects';
import { imagesOf, ownersOf, tagsOf, tagStatusesOf, versionOf } from '../images/node-image-tags.ts';
import { isCrowded } from '../images/node-share.ts';
import type { Snapshot } from './snapshot.ts';

export interface CleanUp {
  /** The very same object when there is nothing to do. */
  readonly nodeImage: NodeImage;
  /** What was done, in words. */
  readonly because: readonly string[];
  readonly requeueAfter?: Milliseconds;
}

type Held = Snapshot & { readonly nodeImage: NodeImage };

/** Goes through a NodeImage and collects what happens on the way. */
interface Walk {
  readonly seen: Held;
  readonly now: Instant;
  readonly because: string[];
  readonly waits: number[];
  readonly isCrowded: () => boolean;
}

/**
 * Why the tag has been kept for long enough after its end; undefined when it stays. The task of a running job never expires: the job counts its
 * nodes by their tasks, and would ask the node again.
 */
function expiryOf(tag: ImageTagSpec, name: string, walk: Walk): string | undefined {
  const owners = ownersOf(tag);
  if (owners.some(({ uid }) => uid !== undefined && walk.seen.runningOwners.has(uid))) return undefined;
  const status = tagStatusesOf(walk.seen.nodeImage, name).find((entry) => entry.tag === tag.tag && versionOf(entry) === versionOf(tag));
  const completed = parseTime(status?.completionTime);
  const ttl = tag.pullPolicy?.ttlSecondsAfterFinished;
  if (completed === undefined || ttl === undefined) return undefined;
  const left = completed + seconds(ttl) - walk.now;
  if (left <= 0) return `the time to keep ${name}:${tag.tag} after its end is over`;
  // A tag without owners was written by hand: no job requests room in its place.
  if (owners.length > 0 && walk.isCrowded()) return `${name}:${tag.tag} has ended, and the node is more than half full`;
  walk.waits.push(left);
  return undefined;
}

/** The tag that stays; undefined if it is removed. */
function cleanTag(tag: ImageTagSpec, name: string, walk: Walk): ImageTagSpec | undefined {
  const what = `${name}:${tag.tag}`;
  const drop = (because: string): undefined => void walk.because.push(because);
  if (parseTime(tag.createdAt) === undefined) return drop(`${what} does not contain the time of its request`);
  const expiry = expiryOf(tag, name, walk);
  if (expiry !== undefined) return drop(expiry);
  const owners = ownersOf(tag);
  const kept = owners.filter(({ uid }) => uid === undefined || !walk.seen.deletedOwners.has(uid));
  if (kept.length === owners.length) return tag;
  if (kept.length === 0) return drop(`no job needs ${what}`);
  walk.because.push(`a job that requested ${what} no longer exists`);
  return { ...tag, ownerReferences: kept };
}

function cleanSecrets(image: ImageSpec, name: string, { seen: { deletedSecrets }, because }: Walk): ImageSpec {
  const secrets = image.pullSecrets ?? [];
  const kept = secrets.filter((secret) => !deletedSecrets.has(`${secret.namespace ?? ''}/${secret.name ?? ''}`));
  if (kept.length === secrets.length) return image;
  because.push(`a pull secret of ${name} no longer exists`);
  const { pullSecrets: _all, ...rest } = image;
  return kept.length === 0 ? rest : { ...rest, pullSecrets: kept };
}

function cleanImage(image: ImageSpec, name: string, walk: Walk): ImageSpec | undefined {
  const tags = tagsOf(image);
  const kept = tags.flatMap((tag) => cleanTag(tag, name, walk) ?? []);
  if (kept.length === 0) {
    if (tags.length === 0) walk.because.push(`${name} has no tags`);
    return undefined;
  }
  const isSame = kept.length === tags.length && kept.every((tag, index) => tag === tags[index]);
  return cleanSecrets(isSame ? image : { ...image, tags: kept }, name, walk);
}

function cleanLabels({ seen: { nodeImage, node }, because }: Walk): NodeImage {
  if (node === undefined || deepEqual(nodeImage.metadata.labels ?? {}, node.metadata.labels ?? {})) return nodeImage;
  because.push('the labels of the Node changed');
  return { ...nodeImage, metadata: { ...nodeImage.metadata, labels: node.metadata.labels ?? {} } };
}

/** @param seen its Node may be missing: the labels then stay */
export function planCleanUp(seen: Held, now: Instant): CleanUp {
  let crowded: boolean | undefined;
  const walk: Walk = { seen, now, because: [], waits: [], isCrowded: () => (crowded ??= isCrowded(seen.nodeImage)) };
  const labelled = cleanLabels(walk);
  const images = imagesOf(seen.nodeImage);
  const cleaned = Object.entries(images).flatMap(([name, image]): [string, ImageSpec][] => {
    const kept = cleanImage(image, name, walk);
    return kept === undefined ? [] : [[name, kept]];
  });
  const isSame = cleaned.length === Object.keys(images).length && cleaned.every(([name, image]) => images[name] === image);
  const nodeImage = isSame ? labelled : { ...labelled, spec: { ...labelled.spec, images: Object.fromEntries(cleaned) } };
  const { because, waits } = walk;
  return { nodeImage, because, ...earliest(waits) };
}
