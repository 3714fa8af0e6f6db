/**
 * Images pulled ahead of an in-place update: once for a revision, ImagePullJobs are made for the images that change, on the nodes whose Pods do
 * not have it yet, and are deleted when the rollout is over. What was decided is remembered as a label on the update revision.
 * @see spec/inplace-update.md 13
 */
import { imagePullJobs, labels, type CloneSet, type CloneSetStatus, type ImagePullJob, type SandboxConfig } from '@kruise/api';
import { apiVersionOf, scaleIntOrPercentOr, type ControllerRevision, type PodTemplateSpec } from '@kruise/objects';
import { planInPlaceUpdate, shortHash, templateOf } from '@kruise/pods';
import type { Action } from './action.ts';
import { ownerReferenceTo } from './new-pod.ts';
import { adapterOf } from './pod-facts.ts';
import type { Context, Snapshot } from './snapshot.ts';
import { graceSecondsOf, partitionOf, podUpdatePolicyOf, replicasOf } from './strategy.ts';

/** Up to this many Pods a rollout is over before pulling ahead would help. */
const fewReplicas = 3;

export interface PreDownloadInput {
  readonly seen: Snapshot;
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
  /** Of this pass. */
  readonly status: CloneSetStatus;
}

const settingsOf = (
  cloneSet: CloneSet,
): NonNullable<NonNullable<CloneSet['spec']['updateStrategy']>['rollingUpdate']>['inPlaceUpdateStrategy'] =>
  cloneSet.spec.updateStrategy?.rollingUpdate?.inPlaceUpdateStrategy;

/** Whether every Pod may be updated at once, so that there is no "ahead". Rounded down, unlike the limit of the update itself. */
function isAllAtOnce(cloneSet: CloneSet): boolean {
  const replicas = replicasOf(cloneSet);
  const value = cloneSet.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? '20%';
  return partitionOf(cloneSet) === 0 && scaleIntOrPercentOr(0, value, replicas, 'down') >= replicas;
}

/** Why nothing is pulled ahead for this revision; undefined when it is. */
function whyIgnored({ seen: { cloneSet }, update, current }: PreDownloadInput, context: Context): string | undefined {
  const policy = podUpdatePolicyOf(cloneSet);
  if (policy === 'ReCreate') return 'the update policy is ReCreate';
  if (replicasOf(cloneSet) <= fewReplicas) return `there are no more than ${fewReplicas} replicas`;
  if (isAllAtOnce(cloneSet)) return 'all Pods may be updated at once';
  const options = {
    gates: context.gates,
    adapter: adapterOf(context),
    ignoreClaimTemplates: policy === 'InPlaceOnly',
    graceSeconds: graceSecondsOf(cloneSet),
  };
  const decision = planInPlaceUpdate(current, update, options);
  return decision.kind === 'Recreate' ? `the update is not in place: ${decision.why}` : undefined;
}

interface ChangedImage {
  readonly container: string;
  readonly image: string;
}

/** Containers whose image differs, those that are new included, in the order of the template. */
function changedImages(before: PodTemplateSpec, after: PodTemplateSpec): readonly ChangedImage[] {
  const images = new Map((before.spec?.containers ?? []).map(({ name, image }) => [name, image]));
  return (after.spec?.containers ?? []).flatMap(({ name, image = '' }) =>
    image === '' || images.get(name) === image ? [] : [{ container: name, image }],
  );
}

/** What the runtime is told about the Pods that the image is for. */
function sandboxOf({ metadata }: ControllerRevision, template: PodTemplateSpec): Required<Pick<SandboxConfig, 'labels'>> & SandboxConfig {
  const hash = metadata.labels?.[labels.revisionDataHash] ?? shortHash(metadata.name);
  const annotations = template.metadata?.annotations;
  return {
    labels: { ...template.metadata?.labels, [labels.revisionDataHash]: hash },
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Selects the Pods of the CloneSet that are not of the revision, in either form of their label. */
function selectorOfOthers({ spec: { selector } }: CloneSet, revision: string): NonNullable<ImagePullJob['spec']['podSelector']> {
  const isOther = { key: labels.controllerRevisionHash, operator: 'NotIn', values: [revision, shortHash(revision)] };
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), isOther] };
}

function jobFor(
  cloneSet: CloneSet,
  update: ControllerRevision,
  template: PodTemplateSpec,
  { container, image }: ChangedImage,
): ImagePullJob {
  const { name } = update.metadata;
  const { imagePreDownloadParallelism = 1, imagePreDownloadTimeoutSeconds = 300 } = settingsOf(cloneSet) ?? {};
  const sandboxConfig = sandboxOf(update, template);
  const pullSecrets = (template.spec?.imagePullSecrets ?? []).flatMap((secret) => secret.name ?? []);
  return {
    apiVersion: apiVersionOf(imagePullJobs),
    kind: imagePullJobs.kind,
    metadata: {
      name: `${name}-${container}`,
      namespace: cloneSet.metadata.namespace ?? '',
      labels: sandboxConfig.labels,
      ownerReferences: [ownerReferenceTo(cloneSet)],
    },
    spec: {
      image,
      ...(pullSecrets.length === 0 ? {} : { pullSecrets }),
      podSelector: selectorOfOthers(cloneSet, name),
      parallelism: imagePreDownloadParallelism,
      pullPolicy: { backoffLimit: 1, timeoutSeconds: imagePreDownloadTimeoutSeconds },
      completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 600 },
      sandboxConfig,
    },
  };
}

const remember = (revision: ControllerRevision, label: string, because: string): Action => ({
  kind: 'LabelRevision',
  revision,
  labels: { [label]: 'true' },
  because,
});

function planJobs({ seen: { cloneSet }, update, current, status }: PreDownloadInput): readonly Action[] {
  const awaited = settingsOf(cloneSet)?.imagePreDownloadMinUpdatedReadyPods ?? 0;
  const [before, after] = [templateOf(current), templateOf(update)];
  if (status.updatedReadyReplicas < awaited || before === undefined || after === undefined) return [];
  const because = `revision ${update.metadata.name} is rolled out in place, ${status.updatedReadyReplicas} Pods have it and are ready`;
  const jobs = changedImages(before, after).map((changed): Action => ({
    kind: 'CreateImagePullJob',
    job: jobFor(cloneSet, update, after, changed),
    because,
  }));
  return [...jobs, remember(update, labels.preDownloadCreated, `${jobs.length} images are pulled ahead`)];
}

/**
 * @returns nothing when pulling ahead is off (the snapshot then holds no list of jobs), and once the decision on the revision is made; jobs first,
 * then the label that remembers them, so that a process that dies in between makes them again under the same names
 */
export function planPreDownload(input: PreDownloadInput, context: Context): readonly Action[] {
  const { seen, update, current } = input;
  if (seen.imagePullJobs === undefined) return [];
  if (update.metadata.name === current.metadata.name)
    return seen.imagePullJobs.map((job) => ({ kind: 'DeleteImagePullJob', job, because: 'the rollout that it was made for is over' }));
  const carried = update.metadata.labels ?? {};
  if (carried[labels.preDownloadCreated] !== undefined || carried[labels.preDownloadIgnored] !== undefined) return [];
  const ignored = whyIgnored(input, context);
  return ignored === undefined ? planJobs(input) : [remember(update, labels.preDownloadIgnored, ignored)];
}
