/** What the controller of AdvancedCronJobs reads, and which rules it follows. @see spec/advancedcronjob.md 5 */
import {
  advancedCronJobDeclaration,
  advancedCronJobObstacle,
  advancedCronJobs,
  broadcastJobDeclaration,
  broadcastJobs,
  imageListPullJobDeclaration,
  imageListPullJobs,
  type AdvancedCronJob,
} from '@kruise/api';
import { createZoneLoader, type ZoneLoader } from '@kruise/cron';
import { enqueueOwner, watchInformer, type Informer, type StoreEvent, type Watch } from '@kruise/kube';
import { controllerOf, jobs as jobType, keyOf, milliseconds, type Instant, type KubeObject, type ObjectKey } from '@kruise/objects';
import { byOwner } from '@kruise/workloads';
import { isInstalled } from '../../module/kind-module.ts';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PlanIo } from '../../workloads/passes/plan-definition.ts';
import {
  childOfBroadcastJob,
  childOfImageList,
  childOfJob,
  type Child,
  objectOf,
  plan,
  stagesOf,
  type Action,
  type Plan,
  type Snapshot,
  horizonOf,
  statusOf,
} from '@kruise/kinds/advancedcronjob';
import { advancedCronJobEvents, type AdvancedCronJobEvents } from './events.ts';
import { execute } from './execute.ts';

/** Jobs of one kind. */
interface ChildSource {
  readonly watch: Watch;
  readonly childrenOf: (job: AdvancedCronJob) => readonly Child[];
}

interface Known {
  readonly childrenOf: (job: AdvancedCronJob) => readonly Child[];
  readonly zones: ZoneLoader;
  /** By uid, the time of the last job that was made, until the status shows it. @see Snapshot.made */
  readonly made: Map<string, Instant>;
}

interface Types {
  readonly object: AdvancedCronJob;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan;
}

/** Its own status is no news to it. */
const requestsForCronJob = (event: StoreEvent<AdvancedCronJob>): readonly ObjectKey[] =>
  event.kind === 'Added' || (event.kind === 'Updated' && event.object.metadata.generation !== event.previous.metadata.generation)
    ? [keyOf(event.object)]
    : [];

const ownersOf = enqueueOwner(advancedCronJobs);

/** A child that begins or ends; the deletion of a child is no reason for a pass. */
const requestsForChild =
  <T extends KubeObject>(seen: (object: T) => Child) =>
  (event: StoreEvent<T>): readonly ObjectKey[] => {
    const isNews = event.kind === 'Added' || (event.kind === 'Updated' && seen(event.object).state !== seen(event.previous).state);
    return isNews ? ownersOf(event) : [];
  };

const childSource = <T extends KubeObject>(informer: Informer<T>, seen: (object: T) => Child): ChildSource => ({
  watch: watchInformer(informer, requestsForChild(seen)),
  childrenOf: ({ metadata: { uid = '', namespace = '' } }) =>
    informer.store
      .byIndex(byOwner, uid, { namespace })
      .filter((object) => controllerOf(object)?.uid === uid)
      .map(seen),
});

function observe({ childrenOf, made }: Known, job: AdvancedCronJob): Snapshot {
  return { job, children: childrenOf(job), made: made.get(job.metadata.uid ?? '') };
}

const eventsOf = ({ recorder, object }: PlanIo<Types>): AdvancedCronJobEvents => advancedCronJobEvents(recorder, object);

export const advancedCronJobController = planController<Types>({
  name: advancedCronJobDeclaration.controllerName,
  workers: 'advancedcronjob-workers',
  type: advancedCronJobs,
  sources: ({ caches, installed }) => {
    const children = [
      childSource(caches.of(jobType, byOwner), childOfJob),
      ...(isInstalled(broadcastJobDeclaration, installed) ? [childSource(caches.of(broadcastJobs, byOwner), childOfBroadcastJob)] : []),
      ...(isInstalled(imageListPullJobDeclaration, installed)
        ? [childSource(caches.of(imageListPullJobs, byOwner), childOfImageList)]
        : []),
    ];
    const made = new Map<string, Instant>();
    return {
      objects: caches.of(advancedCronJobs),
      known: { childrenOf: (job) => children.flatMap((source) => source.childrenOf(job)), zones: createZoneLoader(), made },
      requestsOf: requestsForCronJob,
      watches: children.map((source) => source.watch),
      memories: [{ forget: (uid) => made.delete(uid) }],
    };
  },
  leaves: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  rules: {
    examine: advancedCronJobObstacle,
    observe,
    plan: (seen, now, { zones }) => plan(seen, { now, zones }),
    // Where many have their time in the same second all of their jobs are created first, and their statuses written afterwards.
    conclude: ({ plan: { scheduled }, object, known: { made, childrenOf, zones }, clock }, { error }) => {
      const { uid = '' } = object.metadata;
      // The opening status shows it.
      made.delete(uid);
      if (scheduled === undefined || error !== undefined)
        return { status: statusOf(object, childrenOf(object), { horizon: horizonOf(object, clock.now(), zones) }) };
      made.set(uid, scheduled);
      return { isOver: true, requeueAfter: milliseconds(0) };
    },
  },
  malformed: { announce: (io, why) => eventsOf(io).invalid(why) },
  status: 'Newest',
  stages: stagesOf,
  objectOf,
  execute: (action, io, signal) => execute(action, { client: io.client, job: io.object, events: eventsOf(io) }, signal),
  announcePlan: (pass) => {
    for (const note of pass.plan.notes) eventsOf(pass).tell(note);
  },
});
