/** What the controller of ImagePullJobs reads, and which rules it follows. @see spec/image-pulling.md 5.4, 5.5 */
import { imageListPullJobs, imagePullJobDeclaration, imagePullJobs, nodeImages, type ImagePullJob } from '@kruise/api';
import { onEvent, watchInformer } from '@kruise/kube';
import { formatKey, pods, type Instant } from '@kruise/objects';
import { byTaskOwner, NodeShares } from '@kruise/kinds/images';
import {
  concludeTasks,
  faultOf,
  orderedWorkloads,
  planPass,
  stagesOf,
  type Action,
  type Context,
  type PassPlan,
  type Seen,
} from '@kruise/kinds/imagepulljob';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PlanSources } from '../../workloads/passes/plan-definition.ts';
import { jobEvents } from './events.ts';
import { execute, sortFailures } from './execute.ts';
import { observeJob, seenNow, type JobSources } from './observe-job.ts';
import type { Stores } from './observe.ts';
import { RefusedNodes } from './refused-nodes.ts';
import { SecretStores } from './secret-stores.ts';
import { releaseSecrets } from './sync-secrets.ts';
import {
  activeJobs,
  isEditedAfterEnd,
  requestsOfCopy,
  requestsOfList,
  requestsOfNodeImage,
  requestsOfPod,
  requestsOfSource,
} from './triggers.ts';

interface Known extends JobSources {
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

function sourcesOf(dependencies: ControllerDependencies): PlanSources<Types> {
  const { client, clock, caches, flags, installed, recorderFor, daemonConfigNamespace: copiesNamespace } = dependencies;
  const isInstalled = ({ group, version, kind }: (typeof orderedWorkloads)[number]): boolean => installed(group, version, kind);
  const jobs = caches.of(imagePullJobs, activeJobs);
  const allNodeImages = caches.of(nodeImages, byTaskOwner);
  const allPods = caches.of(pods);
  const lists = isInstalled(imageListPullJobs) ? caches.of(imageListPullJobs) : undefined;
  const workloads = orderedWorkloads.filter(isInstalled).map((type) => ({ kind: type.kind, informer: caches.of(type) }));
  const stores: Stores = {
    jobs: jobs.store,
    nodeImages: allNodeImages.store,
    pods: allPods.store,
    workloads: new Map(workloads.map(({ kind, informer }) => [kind, informer.store])),
    lists: lists?.store,
  };
  const secretStores = new SecretStores({ client, clock, caches }, copiesNamespace);
  const refused = new RefusedNodes(clock);
  const recorder = recorderFor(imagePullJobDeclaration.controllerName);
  return {
    objects: jobs,
    known: {
      stores,
      secrets: { client, stores: secretStores, copiesNamespace },
      shares: new NodeShares((reference) => secretStores.namespaceOf(reference)),
      refused,
      contextAt: (now) => ({ now, alwaysTtlSeconds: flags['default-ttlseconds-for-always-nodeimage'] }),
      isInScope: (namespace) => flags.namespace === '' || flags.namespace === namespace,
    },
    watches: [
      onEvent(jobs, (event) => {
        if (isEditedAfterEnd(event)) jobEvents(recorder, event.object).editedAfterEnd();
      }),
      watchInformer(allNodeImages, (event) => requestsOfNodeImage(event, jobs.store)),
      watchInformer(allPods, (event) => requestsOfPod(event, jobs.store)),
      ...(lists === undefined ? [] : [watchInformer(lists, (event) => requestsOfList(event, jobs.store))]),
      ...secretStores.watches({ source: (event) => requestsOfSource(event, jobs.store), copy: requestsOfCopy }),
    ],
    caches: workloads.map(({ informer }) => informer),
    memories: [refused],
  };
}

export const imagePullJobController = planController<Types>({
  name: imagePullJobDeclaration.controllerName,
  workers: 'imagepulljob-workers',
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  type: imagePullJobs,
  sources: sourcesOf,
  leaves: ({ metadata: { namespace = '' } }, { isInScope }) => !isInScope(namespace),
  whenAbsent: async ({ key, known: { secrets, isInScope }, signal }) => {
    if (isInScope(key.namespace)) await releaseSecrets(formatKey(key), secrets, 'the job no longer exists', signal);
  },
  rules: {
    examine: faultOf,
    observe: observeJob,
    plan: (seen, now, { contextAt }) => planPass(seen, contextAt(now)),
    conclude: ({ snapshot: seen, plan, object, known, now }, { stages }) => {
      if (seen.kind !== 'Ready' || plan.tasks.length === 0) return plan;
      const results = sortFailures(stages.get('tasks')?.failures ?? []);
      known.refused.add(object.metadata.uid ?? '', [...results.refusals.keys()]);
      return concludeTasks(seenNow(known.stores, seen.snapshot), plan, results, known.contextAt(now));
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
