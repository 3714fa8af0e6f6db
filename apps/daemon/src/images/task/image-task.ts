/**
 * What a NodeImage requests from this node, one task for each tag, read so that a faulty entry affects only itself. Pure.
 *
 * @see spec/daemon.md 5.2
 */
import type { NodeImage } from '@kruise/api';
import type { ObjectReference } from '@kruise/kube';
import {
  compareUtf8,
  familiarImageReference,
  isJsonObject,
  parseImageReference,
  seconds,
  type JsonObject,
  type Milliseconds,
} from '@kruise/objects';

export interface SecretReference {
  readonly namespace: string;
  readonly name: string;
}

export interface ImageTask {
  /** Key of the image in the spec: its familiar name. */
  readonly image: string;
  /** A tag or a digest. */
  readonly tag: string;
  /** Number of the task: a different one is another task. */
  readonly version: number;
  /** False: an image that is on the node already is still pulled. */
  readonly ifNotPresent: boolean;
  /** Of one attempt. */
  readonly timeout: Milliseconds;
  /** At least 1. */
  readonly tries: number;
  /** Of all attempts together, from the start of the first. */
  readonly deadline?: Milliseconds;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly pullSecrets: readonly SecretReference[];
  /** The jobs that need the tag. */
  readonly owners: readonly ObjectReference[];
}

/** Returns what identifies a task among those of all versions. */
export const taskKey = ({ image, tag }: Pick<ImageTask, 'image' | 'tag'>): string => `${image}\n${tag}`;

export const isDigest = (tag: string): boolean => tag.includes(':');

/** Returns the namespaces that a task waits for: those of the jobs that need it, each once. One of them may have any number of jobs. */
export const tenantsOf = ({ owners }: Pick<ImageTask, 'owners'>): readonly string[] => [
  ...new Set(owners.map(({ namespace = '' }) => namespace)),
];

/** Returns a name for users: `nginx:1.25`, or `nginx@sha256:…`. */
export const taskName = ({ image, tag }: Pick<ImageTask, 'image' | 'tag'>): string => `${image}${isDigest(tag) ? '@' : ':'}${tag}`;

const defaultTimeoutSeconds = 600;
const defaultBackoffLimit = 3;

/** Returns every readable tag, each once, by image and tag in ascending order. */
export function tasksOf({ spec }: NodeImage): readonly ImageTask[] {
  const images: unknown = (spec as unknown as JsonObject | null | undefined)?.['images'];
  if (!isJsonObject(images)) return [];
  const tasks = Object.entries(images).flatMap(([image, wanted]) => (image === '' || !isJsonObject(wanted) ? [] : tagsOf(image, wanted)));
  const unique = new Map(tasks.toReversed().map((task) => [taskKey(task), task]));
  return [...unique.values()].toSorted((a, b) => compareUtf8(a.image, b.image) || compareUtf8(a.tag, b.tag));
}

function tagsOf(image: string, wanted: JsonObject): readonly ImageTask[] {
  const sandbox = isJsonObject(wanted['sandboxConfig']) ? wanted['sandboxConfig'] : {};
  const shared = {
    image,
    labels: textsOf(sandbox['labels']),
    annotations: textsOf(sandbox['annotations']),
    pullSecrets: objectsOf(wanted['pullSecrets']).flatMap(secretReferenceOf),
  };
  return objectsOf(wanted['tags']).flatMap((entry) => {
    const { tag } = entry;
    return typeof tag === 'string' && tag !== '' ? [{ ...shared, tag, ...ownOf(entry) }] : [];
  });
}

function ownOf(entry: JsonObject): Pick<ImageTask, 'version' | 'ifNotPresent' | 'timeout' | 'tries' | 'deadline' | 'owners'> {
  const policy = isJsonObject(entry['pullPolicy']) ? entry['pullPolicy'] : {};
  const timeoutSeconds = wholeNumber(policy['timeoutSeconds']) ?? 0;
  const backoffLimit = wholeNumber(policy['backoffLimit']) ?? -1;
  const deadline = wholeNumber(policy['activeDeadlineSeconds']);
  return {
    version: wholeNumber(entry['version']) ?? 0,
    ifNotPresent: entry['imagePullPolicy'] === 'IfNotPresent',
    timeout: seconds(timeoutSeconds > 0 ? timeoutSeconds : defaultTimeoutSeconds),
    tries: (backoffLimit >= 0 ? backoffLimit : defaultBackoffLimit) + 1,
    ...(deadline === undefined ? {} : { deadline: seconds(deadline) }),
    owners: objectsOf(entry['ownerReferences']).flatMap(ownerOf),
  };
}

const wholeNumber = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined);

const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function secretReferenceOf({ namespace, name }: JsonObject): readonly SecretReference[] {
  const isReference = typeof namespace === 'string' && typeof name === 'string' && namespace !== '' && name !== '';
  return isReference ? [{ namespace, name }] : [];
}

function ownerOf({ apiVersion, kind, namespace, name, uid }: JsonObject): readonly ObjectReference[] {
  if (typeof kind !== 'string' || typeof name !== 'string') return [];
  const texts = Object.entries({ apiVersion, namespace, uid }).filter(([, value]) => typeof value === 'string');
  return [{ kind, name, ...(Object.fromEntries(texts) as Partial<Record<string, string>>) }];
}

/** How a task is requested. */
export type ImageAddress =
  /** `imageRef` for the runtime; `repository` in full, without tag, to select credentials. */
  { readonly kind: 'Valid'; readonly imageRef: string; readonly repository: string } | { readonly kind: 'Invalid'; readonly why: string };

/** Returns the address: `nginx` and `1.25` are `nginx:1.25` of `docker.io/library/nginx`; a digest is joined with `@`. */
export function addressOf(task: Pick<ImageTask, 'image' | 'tag'>): ImageAddress {
  const name = parseImageReference(task.image);
  const whole = parseImageReference(taskName(task));
  if (name === undefined || whole === undefined || name.tag !== undefined || name.digest !== undefined)
    return { kind: 'Invalid', why: `invalid image reference "${taskName(task)}"` };
  const { registry, repository } = name;
  return { kind: 'Valid', imageRef: familiarImageReference(whole), repository: `${registry}/${repository}` };
}
