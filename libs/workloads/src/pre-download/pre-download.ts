/**
 * Pulls images ahead of an in-place update: once for a revision, ImagePullJobs are created for the images that change, on the nodes whose Pods do not
 * have them yet. They are deleted when the rollout is over. A label on the update revision stores the decision.
 * @see spec/inplace-update.md 13
 */
import { imagePullJobs, labels, type ImagePullJob, type SandboxConfig } from '@kruise/api';
import { apiVersionOf, type ControllerRevision, type LabelSelector, type OwnerReference, type PodTemplateSpec } from '@kruise/objects';
import { planInPlaceUpdate, shortHash, templateOf } from '@kruise/pods';
import type { Workload } from '../workload.ts';

/** With up to this many Pods, a rollout is over before pulling ahead would help. */
const fewReplicas = 3;

/** A step of pulling images ahead of a rollout. */
export type PreDownloadAction =
  | { readonly kind: 'CreateImagePullJob'; readonly job: ImagePullJob; readonly because: string }
  | { readonly kind: 'DeleteImagePullJob'; readonly job: ImagePullJob; readonly because: string }
  | {
      readonly kind: 'LabelRevision';
      readonly revision: ControllerRevision;
      readonly labels: Readonly<Record<string, string>>;
      readonly because: string;
    };

/** `spec.updateStrategy.…inPlaceUpdateStrategy`. */
export interface PreDownloadSettings {
  readonly imagePreDownloadParallelism?: number | string;
  readonly imagePreDownloadTimeoutSeconds?: number;
  readonly imagePreDownloadMinUpdatedReadyPods?: number;
}

/** The revision whose images are pulled ahead, and the jobs for them. */
export interface PullAhead {
  readonly update: ControllerRevision;
  /** Revisions whose Pods are updated: an image that one of them lacks is pulled. */
  readonly before: readonly ControllerRevision[];
  readonly settings: PreDownloadSettings | undefined;
  /** Owner of the jobs: the workload. */
  readonly owner: OwnerReference;
  readonly namespace: string;
  /** The workload's selector of Pods. */
  readonly selector: LabelSelector;
  /** The ImagePullJobs that the workload controls and that are not terminating, by name; absent when images are not pulled ahead. */
  readonly jobs: readonly ImagePullJob[] | undefined;
  /** Whether no Pod remains to be updated. */
  readonly isOver: boolean;
  /** Returns why nothing is pulled ahead for this revision; undefined when images are pulled. Called once for a revision. */
  readonly whyIgnored: () => string | undefined;
  /** Whether the event that the jobs wait for has occurred. */
  readonly isBegun: boolean;
  /** In words, for the log. */
  readonly because: string;
}

/** What a kind reads of a pass to describe its rollout. */
export interface PreDownloadInput<Snapshot, Status extends { readonly updatedReadyReplicas?: number }> {
  readonly seen: Snapshot;
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
  /** Of this pass. */
  readonly status: Pick<Status, 'updatedReadyReplicas'>;
}

/** The progress of a rollout, as pulling ahead depends on it. Numbers are Pods. */
export interface Rollout extends Pick<PullAhead, 'update' | 'settings' | 'owner' | 'namespace' | 'selector' | 'jobs'> {
  readonly current: ControllerRevision;
  /** Desired Pods. */
  readonly replicas: number;
  /** Whether every Pod may be updated at the same time, so that there is no "ahead". */
  readonly isAllAtOnce: boolean;
  /** Pods of the update revision that are ready. */
  readonly updatedReadyReplicas: number;
}

/** Returns why nothing is pulled ahead for this revision; undefined when images are pulled. */
function whyIgnored({ update, current, replicas, isAllAtOnce }: Rollout, workload: Workload): string | undefined {
  const { podUpdatePolicy, gates, adapter, graceSeconds, isOnDelete } = workload;
  if (isOnDelete) return 'Pods are updated only when a user deletes them';
  if (podUpdatePolicy === 'ReCreate') return 'the update policy is ReCreate';
  if (replicas <= fewReplicas) return `there are no more than ${fewReplicas} replicas`;
  if (isAllAtOnce) return 'all Pods may be updated at once';
  const decision = planInPlaceUpdate(current, update, {
    gates,
    adapter,
    ignoreClaimTemplates: podUpdatePolicy === 'InPlaceOnly',
    graceSeconds,
  });
  return decision.kind === 'Recreate' ? `the update is not in place: ${decision.why}` : undefined;
}

interface ChangedImage {
  readonly container: string;
  readonly image: string;
}

const imagesOf = ({ spec }: PodTemplateSpec): ReadonlyMap<string, string | undefined> =>
  new Map((spec?.containers ?? []).map(({ name, image }) => [name, image]));

/** Returns containers whose image differs from that of one of the earlier templates, new ones included, in the order of the template. */
function changedImages(before: readonly PodTemplateSpec[], after: PodTemplateSpec): readonly ChangedImage[] {
  const known = before.map(imagesOf);
  return (after.spec?.containers ?? []).flatMap(({ name, image = '' }) =>
    // eslint-disable-next-line kruise/cross-product -- revisions of the workload, each as large as its containers
    image === '' || known.every((images) => images.get(name) === image) ? [] : [{ container: name, image }],
  );
}

/** Returns what the runtime receives about the Pods that use the image. */
function sandboxOf({ metadata }: ControllerRevision, template: PodTemplateSpec): Required<Pick<SandboxConfig, 'labels'>> & SandboxConfig {
  const hash = metadata.labels?.[labels.revisionDataHash] ?? shortHash(metadata.name);
  const annotations = template.metadata?.annotations;
  return {
    labels: { ...template.metadata?.labels, [labels.revisionDataHash]: hash },
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Returns a selector of the workload's Pods that are not of the revision, in both forms of their label. */
function selectorOfOthers(selector: LabelSelector, revision: string): NonNullable<ImagePullJob['spec']['podSelector']> {
  const isOther = { key: labels.controllerRevisionHash, operator: 'NotIn', values: [revision, shortHash(revision)] };
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), isOther] };
}

function jobFor(
  { update, settings, namespace, owner, selector }: PullAhead,
  template: PodTemplateSpec,
  { container, image }: ChangedImage,
): ImagePullJob {
  const { name } = update.metadata;
  const { imagePreDownloadParallelism = 1, imagePreDownloadTimeoutSeconds = 300 } = settings ?? {};
  const sandboxConfig = sandboxOf(update, template);
  const pullSecrets = (template.spec?.imagePullSecrets ?? []).flatMap((secret) => secret.name ?? []);
  return {
    apiVersion: apiVersionOf(imagePullJobs),
    kind: imagePullJobs.kind,
    metadata: { name: `${name}-${container}`, namespace, labels: sandboxConfig.labels, ownerReferences: [owner] },
    spec: {
      image,
      ...(pullSecrets.length === 0 ? {} : { pullSecrets }),
      podSelector: selectorOfOthers(selector, name),
      parallelism: imagePreDownloadParallelism,
      pullPolicy: { backoffLimit: 1, timeoutSeconds: imagePreDownloadTimeoutSeconds },
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 600 },
      sandboxConfig,
    },
  };
}

const remember = (revision: ControllerRevision, label: string, because: string): PreDownloadAction => ({
  kind: 'LabelRevision',
  revision,
  labels: { [label]: 'true' },
  because,
});

function planJobs(pull: PullAhead): readonly PreDownloadAction[] {
  const { update, because } = pull;
  const before = pull.before.flatMap((revision) => templateOf(revision) ?? []);
  const after = templateOf(update);
  if (!pull.isBegun || before.length < pull.before.length || after === undefined) return [];
  const jobs = changedImages(before, after).map((changed): PreDownloadAction => ({
    kind: 'CreateImagePullJob',
    job: jobFor(pull, after, changed),
    because,
  }));
  return [...jobs, remember(update, labels.preDownloadCreated, `${jobs.length} images are pulled ahead`)];
}

/**
 * Pulls the images of a revision ahead, for any kind of workload.
 *
 * @returns nothing when pulling ahead is off, or once the decision on the revision is stored; jobs first, then the label that stores it, so that a
 * process that dies in between creates them again with the same names
 */
export function planPullAhead(pull: PullAhead): readonly PreDownloadAction[] {
  const { update, jobs, isOver, whyIgnored: why } = pull;
  if (jobs === undefined) return [];
  if (isOver) return jobs.map((job) => ({ kind: 'DeleteImagePullJob', job, because: 'its rollout has ended' }));
  const carried = update.metadata.labels ?? {};
  if (carried[labels.preDownloadCreated] !== undefined || carried[labels.preDownloadIgnored] !== undefined) return [];
  const ignored = why();
  return ignored === undefined ? planJobs(pull) : [remember(update, labels.preDownloadIgnored, ignored)];
}

/** Pulls ahead for a workload whose rollout is from one revision to another. */
export function planPreDownload(rollout: Rollout, workload: Workload): readonly PreDownloadAction[] {
  const { update, current, settings, updatedReadyReplicas } = rollout;
  return planPullAhead({
    ...rollout,
    before: [current],
    isOver: update.metadata.name === current.metadata.name,
    whyIgnored: () => whyIgnored(rollout, workload),
    isBegun: updatedReadyReplicas >= (settings?.imagePreDownloadMinUpdatedReadyPods ?? 0),
    because: `revision ${update.metadata.name} is rolled out in place, ${updatedReadyReplicas} Pods have it and are ready`,
  });
}
