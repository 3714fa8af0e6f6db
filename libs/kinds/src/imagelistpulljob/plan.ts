/** One ImagePullJob for each image of a list, and what they add up to. Pure. @see spec/image-pulling.md 5.6 */
import {
  defaultImagePullJob,
  imageListPullJobFault,
  imageListPullJobs,
  imagePullJobs,
  labels,
  pullBoundsFault,
  type ImageListPullJob,
  type ImageListPullJobStatus,
  type ImagePullJob,
} from '@kruise/api';
import {
  apiVersionOf,
  canonicalJson,
  compareUtf8,
  deepEqual,
  fnv1a,
  formatTime,
  memoized,
  newControllerRef,
  parseTime,
  safeEncode,
  type Instant,
  type Milliseconds,
} from '@kruise/objects';
import { expiryOf, refusedLast, type RefusedBefore } from '@kruise/workloads';

export interface Snapshot {
  readonly job: ImageListPullJob;
  /** The jobs that it controls, those that are going included; any order. */
  readonly children: readonly ImagePullJob[];
  /** Images for which the API server refused the job. */
  readonly refused: RefusedBefore;
}

export type Action =
  | { readonly kind: 'LabelHash'; readonly hash: string; readonly because: string }
  | { readonly kind: 'CreateJob'; readonly image: string; readonly job: ImagePullJob; readonly because: string }
  | { readonly kind: 'DeleteJob'; readonly job: ImagePullJob; readonly because: string }
  /** The time to live of the list itself is over. */
  | { readonly kind: 'DeleteList'; readonly because: string };

/** The image of a creation: it has its turn, and waits once it is refused. */
export const imageOf = (action: Action): string | undefined => (action.kind === 'CreateJob' ? action.image : undefined);

/** Why no plan can be made for the list. A list that came past admission is judged as if the webhook had filled in its defaults. */
export function faultOf(job: ImageListPullJob): string | undefined {
  const { spec } = job;
  if (typeof spec !== 'object' || spec === null) return imageListPullJobFault({ ...job });
  const complete = { ...job, spec: { ...spec, completionPolicy: { type: 'Always', ...spec.completionPolicy } } };
  return imageListPullJobFault(complete) ?? pullBoundsFault(complete);
}

export interface Plan {
  readonly actions: readonly Action[];
  /** Undefined when the list is over: its status stays. */
  readonly status?: ImageListPullJobStatus;
  readonly requeueAfter?: Milliseconds;
}

const suffixLength = 5;

type Template = Omit<ImagePullJob['spec'], 'image'>;

const templateOf = ({ images: _images, ...template }: ImageListPullJob['spec']): Template => template;

/** A store freezes its objects. Each image of a pass needs the hash, and annotations for sandboxes may be long. */
const hashOfSpec = memoized(
  (spec: ImageListPullJob['spec']) => safeEncode(String(fnv1a(canonicalJson(templateOf(spec))))),
  (spec) => Object.isFrozen(spec),
);

/** Hash of all but the images. */
export const templateHash = ({ spec }: ImageListPullJob): string => hashOfSpec(spec);

const completed = (template: Template): unknown => (defaultImagePullJob({ spec: template }) as { readonly spec: unknown }).spec;

/** By hash, or by what the template says: a hash made by another version of the controller says nothing. */
function hasSameTemplate(child: ImagePullJob, job: ImageListPullJob, hash: string): boolean {
  if (child.metadata.labels?.[labels.controllerRevisionHash] === hash) return true;
  const { image: _image, ...template } = child.spec;
  return deepEqual(completed(template), completed(templateOf(job.spec)));
}

/**
 * The job for one image. Its name follows from the list, the image, the template and the number of the attempt, so that a creation whose
 * answer was lost is found when it is repeated.
 */
export function childOf(job: ImageListPullJob, image: string, attempt = 0): ImagePullJob {
  const { name, namespace = '', uid = '' } = job.metadata;
  const hash = templateHash(job);
  const suffix = safeEncode(String(fnv1a([uid, image, hash, attempt].join('\n')))).slice(-suffixLength);
  return {
    apiVersion: apiVersionOf(imagePullJobs),
    kind: imagePullJobs.kind,
    metadata: {
      name: `${name}-${suffix}`,
      generateName: `${name}-`,
      namespace,
      labels: { [labels.controllerRevisionHash]: hash },
      ownerReferences: [newControllerRef(job, imageListPullJobs)],
    },
    spec: { ...templateOf(job.spec), image },
  };
}

const byName = (a: ImagePullJob, b: ImagePullJob): number => compareUtf8(a.metadata.name, b.metadata.name);

interface ByImage {
  readonly first: ReadonlyMap<string, ImagePullJob>;
  readonly surplus: readonly ImagePullJob[];
}

/** Children that are not going, one for each image: one with the present template before others, then the first by name. The rest is surplus. */
function childrenByImage({ job, children }: Snapshot): ByImage {
  const hash = templateHash(job);
  const rank = new Map(children.map((child) => [child, hasSameTemplate(child, job, hash) ? 0 : 1]));
  const staying = children.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const first = new Map<string, ImagePullJob>();
  const surplus: ImagePullJob[] = [];
  for (const child of staying.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0) || byName(a, b))) {
    if (first.has(child.spec.image)) surplus.push(child);
    else first.set(child.spec.image, child);
  }
  return { first, surplus };
}

function planChildren(seen: Snapshot, hash: string): readonly Action[] {
  const { job } = seen;
  const { first, surplus } = childrenByImage(seen);
  const isWanted = new Set(job.spec.images);
  const differs = [...first.values()].filter((child) => isWanted.has(child.spec.image) && !hasSameTemplate(child, job, hash));
  const stale = new Set(differs.map(({ spec }) => spec.image));
  const creations = job.spec.images.filter((image) => !first.has(image) || stale.has(image));
  const unwanted = [...first.values()].filter(({ spec }) => !isWanted.has(spec.image));
  const deletion = (child: ImagePullJob, because: string): Action => ({ kind: 'DeleteJob', job: child, because });
  return [
    ...refusedLast(creations, (image) => image, seen.refused).map((image): Action => ({
      kind: 'CreateJob',
      image,
      job: childOf(job, image),
      because: stale.has(image) ? 'the template changed' : 'the image has no job',
    })),
    ...differs.map((child) => deletion(child, 'the template changed')),
    ...unwanted.map((child) => deletion(child, 'the image left the list')),
    ...surplus.map((child) => deletion(child, 'another job pulls the image')),
  ];
}

interface Tally {
  active: number;
  completed: number;
  succeeded: number;
  readonly failures: NonNullable<ImageListPullJobStatus['failedImageStatuses']>[number][];
}

function count(tally: Tally, { metadata, spec, status }: ImagePullJob): void {
  if (parseTime(status?.startTime) === undefined) return;
  const { active = 0, failed = 0, succeeded = 0, desired = 0 } = status ?? {};
  if (active > 0) tally.active += 1;
  if (desired === failed + succeeded) tally.completed += 1;
  if (desired === succeeded) tally.succeeded += 1;
  if (failed === 0) return;
  const message = `Please check for details which nodes failed by 'kubectl get ImagePullJob ${metadata.name}'.`;
  tally.failures.push({ imagePullJob: metadata.name, name: spec.image, message });
}

/** In the order of the images, so that the same state gives the same status. */
function computeStatus(seen: Snapshot, now: Instant): ImageListPullJobStatus {
  const { job } = seen;
  const { first } = childrenByImage(seen);
  const tally: Tally = { active: 0, completed: 0, succeeded: 0, failures: [] };
  for (const image of new Set(job.spec.images)) {
    const child = first.get(image);
    if (child !== undefined) count(tally, child);
  }
  const desired = job.spec.images.length;
  const ended = job.spec.completionPolicy?.type !== 'Never' && tally.completed === desired;
  return {
    startTime: job.status?.startTime ?? formatTime(now),
    desired,
    active: tally.active,
    completed: tally.completed,
    succeeded: tally.succeeded,
    ...(tally.failures.length === 0 ? {} : { failedImageStatuses: tally.failures }),
    ...(ended ? { completionTime: formatTime(now) } : {}),
  };
}

function planEnd(job: ImageListPullJob, ended: Instant, now: Instant): Plan {
  const expiry = expiryOf(job.status?.completionTime, job.spec.completionPolicy?.ttlSecondsAfterFinished, now);
  if (expiry.kind === 'Kept') return { actions: [] };
  return expiry.kind === 'Waiting'
    ? { actions: [], requeueAfter: expiry.left }
    : { actions: [{ kind: 'DeleteList', because: expiry.because }] };
}

export function plan(seen: Snapshot, now: Instant): Plan {
  const { job } = seen;
  if (job.metadata.deletionTimestamp !== undefined) return { actions: [] };
  const hash = templateHash(job);
  const label: readonly Action[] =
    job.metadata.labels?.[labels.controllerRevisionHash] === hash ? [] : [{ kind: 'LabelHash', hash, because: 'the template is new' }];
  const ended = parseTime(job.status?.completionTime);
  if (ended !== undefined) {
    const end = planEnd(job, ended, now);
    return { ...end, actions: [...label, ...end.actions] };
  }
  return { actions: [...label, ...planChildren(seen, hash)], status: computeStatus(seen, now) };
}
