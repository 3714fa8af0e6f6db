/** What the controller of ImagePullJobs reads, and which rules it follows. @see spec/image-pulling.md 5.4, 5.5 */
import {
  imageListPullJobs,
  imagePullJobDeclaration,
  imagePullJobFinalizer,
  imagePullJobs,
  nodeImages,
  type ImagePullJob,
} from '@kruise/api';
import { onEvent, watchInformer, type EventRecorder, type StoreEvent } from '@kruise/kube';
import { formatKey, hasFinalizer, keyOf, pods, type Instant } from '@kruise/objects';
import { isActive, byTaskOwner, NodeShares, type SourceOf } from '@kruise/kinds/images';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { Planned, PassView } from '../../workloads/passes/plan-definition.ts';
import { jobEvents } from './events.ts';
import { execute, sortFailures } from './execute.ts';
import {
  orderedWorkloads,
  concludeTasks,
  planPass,
  stagesOf,
  type Action,
  type PassPlan,
  type Seen,
  lingersFor,
  planRelease,
  type Context,
  type Snapshot,
  readTerms,
} from '@kruise/kinds/imagepulljob';
import { observeSecrets } from './observe-secrets.ts';
import { observe, type Known as Terms, type Stores } from './observe.ts';
import { RefusedNodes } from './refused-nodes.ts';
import { SecretStores } from './secret-stores.ts';
import { releaseSecrets, type SecretIo } from './sync-secrets.ts';
import { activeJobs, isAwaited, requestsOfCopy, requestsOfList, requestsOfNodeImage, requestsOfPod, requestsOfSource } from './triggers.ts';

interface Known {
  readonly stores: Stores;
  readonly secrets: SecretIo;
  readonly shares: NodeShares;
  readonly refused: RefusedNodes;
  readonly recorder: EventRecorder;
  readonly contextAt: (now: Instant) => Context;
  /** Whether the manager works in the namespace. */
  readonly isInScope: (namespace: string) => boolean;
}

interface Types {
  readonly object: ImagePullJob;
  readonly known: Known;
  readonly snapshot: Seen;
  readonly action: Action;
  readonly plan: PassPlan;
}

/** Of which namespace the Secret is of which NodeImages name a copy. */
const sourceOf =
  ({ copiesNamespace, stores }: SecretIo): SourceOf =>
  ({ namespace, name = '' }) =>
    namespace === copiesNamespace ? stores.sourceOf(name)?.namespace : namespace;

async function observeJob(
  { stores, secrets, shares, refused, recorder }: Known,
  job: ImagePullJob,
  { now, refusals, signal }: PassView,
): Promise<Seen> {
  const { uid = '' } = job.metadata;
  if (!isActive(job)) {
    refused.forget(uid);
    const lingering = lingersFor(job, secrets.stores.copies, now);
    const hasCopies = planRelease(formatKey(keyOf(job)), secrets.stores.copies, '').length > 0;
    return { kind: 'Over', job, lingering, hasCopies, isAwaited: isAwaited(job, stores.lists) };
  }
  const read = readTerms(job);
  if (read.kind === 'Faulty' || !hasFinalizer(job, imagePullJobFinalizer)) return { kind: 'Unheld' };
  const readiness = await observeSecrets(job, secrets, { events: jobEvents(recorder, job), refusals, signal });
  const seen = (more: Omit<Terms, 'terms'>): Snapshot => observe(stores, job, { terms: read.terms, ...more });
  if (readiness.kind === 'Waiting')
    return {
      kind: 'Waiting',
      secrets: readiness.secrets,
      snapshot: seen({ references: [], refused: new Set(), shares }),
    };
  const known = { references: readiness.references, refused: refused.of(uid), refusedFor: refused.untilAsked(uid) };
  return { kind: 'Ready', snapshot: seen({ ...known, shares }) };
}

/** The job and its nodes as the stores show them now, which hold the pass's own writes; undefined for a job that is over. */
function seenNow({ known: { stores } }: Planned<Types>, { job, ...known }: Snapshot): Snapshot | undefined {
  const present = stores.jobs.get(keyOf(job));
  return present === undefined || present.metadata.uid !== job.metadata.uid || !isActive(present)
    ? undefined
    : observe(stores, present, known);
}

function sourcesOf({ caches, installed }: ControllerDependencies) {
  const listsAreInstalled = installed(imageListPullJobs.group, imageListPullJobs.version, imageListPullJobs.kind);
  return {
    jobs: caches.of(imagePullJobs, activeJobs),
    nodeImages: caches.of(nodeImages, byTaskOwner),
    pods: caches.of(pods),
    workloads: orderedWorkloads
      .filter(({ group, version, kind }) => installed(group, version, kind))
      .map((type) => ({ kind: type.kind, informer: caches.of(type) })),
    lists: listsAreInstalled ? caches.of(imageListPullJobs) : undefined,
  };
}

/** A change that comes too late gets an answer. */
const answerLateChange =
  (recorder: EventRecorder) =>
  (event: StoreEvent<ImagePullJob>): void => {
    if (event.kind !== 'Updated' || event.previous.metadata.generation === event.object.metadata.generation) return;
    const { object, previous } = event;
    if (previous.status?.completionTime !== undefined && object.metadata.deletionTimestamp === undefined)
      jobEvents(recorder, object).editedAfterEnd();
  };

export const imagePullJobController = planController<Types>({
  name: imagePullJobDeclaration.controllerName,
  workers: 'imagepulljob-workers',
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  type: imagePullJobs,
  sources: (dependencies) => {
    const { client, clock, caches, flags, recorderFor, daemonConfigNamespace: copiesNamespace } = dependencies;
    const sources = sourcesOf(dependencies);
    const jobs = sources.jobs.store;
    const stores: Stores = {
      jobs,
      nodeImages: sources.nodeImages.store,
      pods: sources.pods.store,
      workloads: new Map(sources.workloads.map(({ kind, informer }) => [kind, informer.store])),
      lists: sources.lists?.store,
    };
    const secretStores = new SecretStores({ client, clock, caches }, copiesNamespace);
    const secrets: SecretIo = { client, stores: secretStores, copiesNamespace };
    const refused = new RefusedNodes(clock);
    const recorder = recorderFor(imagePullJobDeclaration.controllerName);
    return {
      objects: sources.jobs,
      known: {
        stores,
        secrets,
        shares: new NodeShares(sourceOf(secrets)),
        refused,
        recorder,
        contextAt: (now) => ({ now, alwaysTtlSeconds: flags['default-ttlseconds-for-always-nodeimage'] }),
        isInScope: (namespace) => flags.namespace === '' || flags.namespace === namespace,
      },
      watches: [
        onEvent(sources.jobs, answerLateChange(recorder)),
        watchInformer(sources.nodeImages, (event) => requestsOfNodeImage(event, jobs)),
        watchInformer(sources.pods, (event) => requestsOfPod(event, jobs)),
        ...(sources.lists === undefined ? [] : [watchInformer(sources.lists, (event) => requestsOfList(event, jobs))]),
        ...secretStores.watches({ source: (event) => requestsOfSource(event, jobs), copy: requestsOfCopy }),
      ],
      caches: sources.workloads.map(({ informer }) => informer),
      memories: [refused],
    };
  },
  leaves: ({ metadata: { namespace = '' } }, { isInScope }) => !isInScope(namespace),
  whenAbsent: async ({ key, known: { secrets, isInScope }, signal }) => {
    if (isInScope(key.namespace)) await releaseSecrets(formatKey(key), secrets, 'the job no longer exists', signal);
  },
  rules: {
    examine: (job) => {
      const read = isActive(job) ? readTerms(job) : undefined;
      return read?.kind === 'Faulty' ? read.why : undefined;
    },
    observe: observeJob,
    plan: (seen, now, { contextAt }) => planPass(seen, contextAt(now)),
    conclude: (pass, { stages }) => {
      const { snapshot: seen, plan, object, known, now } = pass;
      if (seen.kind !== 'Ready' || plan.tasks.length === 0) return plan;
      const results = sortFailures(stages.get('tasks')?.failures ?? []);
      known.refused.add(object.metadata.uid ?? '', [...results.refusals.keys()]);
      return concludeTasks(seenNow(pass, seen.snapshot), plan, results, known.contextAt(now));
    },
  },
  malformed: {
    announce: ({ recorder, object }, why) => jobEvents(recorder, object).invalid(why),
    status: (job, why) => ({ desired: 0, ...job.status, message: why }),
  },
  status: 'Merge',
  stages: (plan) => ({ before: stagesOf(plan) }),
  objectOf: (action) => ('nodeImage' in action ? action.nodeImage.metadata.name : undefined),
  execute: (action, { client, clock, object, snapshot, now, known: { stores, secrets, contextAt } }, signal) => {
    const order = snapshot.kind === 'Ready' ? snapshot.snapshot : undefined;
    return execute(action, { client, clock, object, secrets, nodeImages: stores.nodeImages, order, context: contextAt(now) }, signal);
  },
  announce: ({ recorder, object }, { stages, held }) => {
    const failures = (stages.get('tasks')?.failures ?? []).filter(({ error }) => !held.has(error));
    for (const [node, error] of sortFailures(failures).refusals) jobEvents(recorder, object).nodeRefused(node, error);
  },
});
