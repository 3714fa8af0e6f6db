/** What a job writes into a NodeImage, and takes out of it. Pure. @see spec/image-pulling.md 5.5 step 8 */
import {
  ownerApiVersion,
  imagePullJobs,
  type ImagePullJob,
  type ImageSpec,
  type ImageTagSpec,
  type ImageTagStatus,
  type NodeImage,
} from '@kruise/api';
import { compareUtf8, fnv1a, formatTime, parseTime, seconds, type Instant } from '@kruise/objects';
import { hasOwner, imageAt, imagesOf, ownersOf, tagAt, tagsOf, tagStatusAt, versionOf, withImage } from '../images/node-image-tags.ts';
import { namespacesOfImage } from '../images/node-share.ts';
import type { Context, PullSecretReference, Snapshot } from './snapshot.ts';
import { endsOf, type Terms } from './terms.ts';

export interface Order {
  readonly job: ImagePullJob;
  readonly terms: Terms;
  readonly references: readonly PullSecretReference[];
}

type TagPullPolicy = NonNullable<ImageTagSpec['pullPolicy']>;

const defaults = { timeoutSeconds: 600, backoffLimit: 3 } as const;
const daySeconds = 86_400;
const maxInt32 = 2_147_483_647;

/** Always the same number below `count` for one job on one node, spread over the nodes. */
const scattered = (job: ImagePullJob, node: string, count: number): number => fnv1a(`${job.metadata.uid ?? ''}/${node}`) % count;

/**
 * How the node tries, and how long the task stays in its list afterwards: a task with `Always` is pulled again after it has left the list, about
 * daily; all times are spread so that nodes do not act at the same moment.
 */
export function pullPolicyOf(job: ImagePullJob, node: string, { alwaysTtlSeconds }: Pick<Context, 'alwaysTtlSeconds'>): TagPullPolicy {
  const { timeoutSeconds = defaults.timeoutSeconds, backoffLimit = defaults.backoffLimit } = job.spec.pullPolicy ?? {};
  const { activeDeadlineSeconds, ttlSecondsAfterFinished } = job.spec.completionPolicy ?? {};
  const tries = { timeoutSeconds, backoffLimit };
  if (!endsOf(job.spec))
    return {
      ...tries,
      ttlSecondsAfterFinished: daySeconds - 600 + scattered(job, node, 1201),
      activeDeadlineSeconds: Math.max(1800, timeoutSeconds),
    };
  const kept = ttlSecondsAfterFinished ?? activeDeadlineSeconds ?? timeoutSeconds * backoffLimit;
  const ttl = Math.min(kept + alwaysTtlSeconds + scattered(job, node, 300), maxInt32);
  return { ...tries, ttlSecondsAfterFinished: ttl, ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }) };
}

const ownerReferenceOf = ({ metadata }: ImagePullJob): ReturnType<typeof ownersOf>[number] => ({
  apiVersion: ownerApiVersion,
  kind: imagePullJobs.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
  uid: metadata.uid ?? '',
});

/**
 * The references that an image does not have yet. An image holds those of all jobs for it, and each pass looks at every node: a walk for each reference
 * would take seconds.
 */
export function missingReferences(
  image: ImageSpec | undefined,
  references: readonly PullSecretReference[],
): readonly PullSecretReference[] {
  const held = image?.pullSecrets ?? [];
  if (references.length === 0 || held.length === 0) return references;
  const byName = Map.groupBy(references, ({ name }) => name);
  const missing = new Set(references);
  for (const { namespace, name } of held) {
    for (const wanted of byName.get(name ?? '') ?? []) if (wanted.namespace === namespace) missing.delete(wanted);
    if (missing.size === 0) break;
  }
  return references.filter((wanted) => missing.has(wanted));
}

/**
 * The sandbox of an image is that of the namespace whose jobs wanted it first: a job of another namespace changes it only once no job of the first
 * wants the image any more.
 */
function sandboxOf(image: ImageSpec | undefined, { metadata, spec }: ImagePullJob): ImageSpec['sandboxConfig'] {
  const others = [...namespacesOfImage(image)].filter((namespace) => namespace !== metadata.namespace);
  return others.length === 0 ? spec.sandboxConfig : image?.sandboxConfig;
}

/** Whether the task fits into what the namespace of the job may hold of the NodeImage. */
export function fits(nodeImage: NodeImage, order: Order & Pick<Snapshot, 'shares'>): boolean {
  const { job, terms, references, shares } = order;
  const image = imageAt(nodeImage, terms.task.name);
  const secrets = missingReferences(image, references);
  return shares.hasRoom(nodeImage, { task: terms.task, owner: ownerReferenceOf(job), secrets, sandbox: sandboxOf(image, job) });
}

/**
 * When a node of a job that does not end is to pull again.
 *
 * @returns undefined for a job that ends, and for a node that has not ended its present task of the job
 */
export function dueAt(nodeImage: NodeImage, { job, terms }: Pick<Order, 'job' | 'terms'>): Instant | undefined {
  const tag = tagAt(nodeImage, terms.task);
  if (terms.ends || tag === undefined || !hasOwner(tag, job.metadata.uid ?? '')) return undefined;
  const status = tagStatusAt(nodeImage, terms.task);
  const ended = status === undefined || versionOf(status) !== versionOf(tag) ? undefined : parseTime(status.completionTime);
  return ended === undefined ? undefined : ((ended + seconds(tag.pullPolicy?.ttlSecondsAfterFinished ?? daySeconds)) as Instant);
}

const larger = (a: number | undefined, b: number | undefined): number | undefined => (a === undefined ? b : Math.max(a, b ?? 0));

/** What is enough for both jobs: one that joins cuts short no other. */
function policyOfBoth(held: TagPullPolicy | undefined, joins: TagPullPolicy): TagPullPolicy {
  if (held === undefined) return joins;
  const { activeDeadlineSeconds: _own, ...rest } = joins;
  const timeoutSeconds = larger(joins.timeoutSeconds, held.timeoutSeconds);
  const backoffLimit = larger(joins.backoffLimit, held.backoffLimit);
  const ttlSecondsAfterFinished = larger(joins.ttlSecondsAfterFinished, held.ttlSecondsAfterFinished);
  const hasDeadline = held.activeDeadlineSeconds !== undefined && joins.activeDeadlineSeconds !== undefined;
  const activeDeadlineSeconds = hasDeadline ? larger(joins.activeDeadlineSeconds, held.activeDeadlineSeconds) : undefined;
  return {
    ...rest,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(backoffLimit === undefined ? {} : { backoffLimit }),
    ...(ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }),
    ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
  };
}

const looksFirst = (imagePullPolicy: string | undefined): boolean => imagePullPolicy === 'IfNotPresent';

/**
 * Whether the node pulls the tag for others, and the result of that pull answers the job as well. A further version would cancel the pull.
 *
 * A job that asks the registry in any case joins no pull: the node may have resolved the tag before the job was created. A job with a pull secret
 * that the image does not have yet needs a pull with that secret.
 */
function canJoin(
  held: ImageTagSpec,
  status: ImageTagStatus | undefined,
  { imagePullPolicy }: ImagePullJob['spec'],
  missing: readonly PullSecretReference[],
): boolean {
  const isUnderWay =
    status !== undefined &&
    versionOf(status) === versionOf(held) &&
    parseTime(status.startTime) !== undefined &&
    parseTime(status.completionTime) === undefined;
  return isUnderWay && looksFirst(imagePullPolicy) && missing.length === 0;
}

/** The entry of the tag with the job among its owners, as a task of its own or as the one that is under way. */
function tagFor(nodeImage: NodeImage, held: ImageTagSpec | undefined, { job, terms, references }: Order, context: Context): ImageTagSpec {
  const { imagePullPolicy } = job.spec;
  const missing = missingReferences(imageAt(nodeImage, terms.task.name), references);
  const status = tagStatusAt(nodeImage, terms.task);
  const pullPolicy = pullPolicyOf(job, nodeImage.metadata.name, context);
  const ownerReferences = [
    ...(held === undefined ? [] : ownersOf(held).filter(({ uid }) => uid !== job.metadata.uid)),
    ownerReferenceOf(job),
  ];
  if (held !== undefined && canJoin(held, status, job.spec, missing))
    return { ...held, ownerReferences, pullPolicy: policyOfBoth(held.pullPolicy, pullPolicy) };
  const version = held === undefined ? (status === undefined ? 0 : versionOf(status) + 1) : versionOf(held) + 1;
  const tag: ImageTagSpec = {
    ...held,
    tag: terms.task.tag,
    createdAt: formatTime(context.now),
    pullPolicy,
    ownerReferences,
    ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }),
  };
  const { version: _before, ...rest } = tag;
  return version === 0 ? rest : { ...rest, version };
}

/** Whether the job requested the tag, and the node is not to pull it again yet. */
function isPresentTask(nodeImage: NodeImage, held: ImageTagSpec, order: Order, { now }: Context): boolean {
  return hasOwner(held, order.job.metadata.uid ?? '') && (dueAt(nodeImage, order) ?? Infinity) > now;
}

/**
 * The NodeImage with the job's task in it. If the node pulls a tag for another job, the job joins that pull when its result answers the job; otherwise
 * the tag becomes a new task of both, and the node checks again. A tag of this job stays unchanged, unless the node must pull it again.
 *
 * @returns the very same object when there is nothing to add
 */
export function withTask(nodeImage: NodeImage, order: Order, context: Context): NodeImage {
  const { job, terms, references } = order;
  const image = imageAt(nodeImage, terms.task.name);
  const missing = missingReferences(image, references);
  const held = tagsOf(image).find(({ tag }) => tag === terms.task.tag);
  const isOurs = held !== undefined && isPresentTask(nodeImage, held, order, context);
  if (isOurs && missing.length === 0) return nodeImage;
  const others = tagsOf(image).filter((tag) => tag !== held);
  const tags = [...others, isOurs ? held : tagFor(nodeImage, held, order, context)].sort((a, b) => compareUtf8(a.tag, b.tag));
  const sandbox = sandboxOf(image, job);
  const { sandboxConfig: _other, ...rest } = image ?? { tags: [] };
  const pullSecrets = [...(image?.pullSecrets ?? []), ...missing];
  return withImage(nodeImage, terms.task.name, {
    ...rest,
    tags,
    ...(pullSecrets.length === 0 ? {} : { pullSecrets }),
    ...(sandbox === undefined ? {} : { sandboxConfig: sandbox }),
  });
}

/** Without the job among the owners of tags other than its present one; a tag that only this job wanted is removed. Returns the same object if there are none. */
export function withoutFormerTasks(nodeImage: NodeImage, { job, terms }: Pick<Order, 'job' | 'terms'>): NodeImage {
  const uid = job.metadata.uid ?? '';
  let result = nodeImage;
  for (const [name, image] of Object.entries(imagesOf(nodeImage))) {
    const tags = tagsOf(image);
    const isFormer = (tag: ImageTagSpec): boolean => hasOwner(tag, uid) && !(name === terms.task.name && tag.tag === terms.task.tag);
    if (!tags.some(isFormer)) continue;
    const kept = tags.flatMap((tag) => {
      const owners = ownersOf(tag).filter((owner) => owner.uid !== uid);
      return !isFormer(tag) ? [tag] : owners.length === 0 ? [] : [{ ...tag, ownerReferences: owners }];
    });
    result = withImage(result, name, kept.length === 0 ? undefined : { ...image, tags: kept });
  }
  return result;
}
