/** What the controller of AdvancedCronJobs reads, and which rules it follows. @see spec/advancedcronjob.md 5 */
import { advancedCronJobDeclaration, advancedCronJobObstacle, advancedCronJobs, type AdvancedCronJob } from '@kruise/api';
import { createZoneLoader, type ZoneLoader } from '@kruise/cron';
import { milliseconds, type Instant } from '@kruise/objects';
import {
  horizonOf,
  objectOf,
  plan,
  stagesOf,
  statusOf,
  type Action,
  type Child,
  type Plan,
  type Snapshot,
} from '@kruise/kinds/advancedcronjob';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { PlanIo } from '../../workloads/passes/plan-definition.ts';
import { childSourcesOf } from './child-sources.ts';
import { advancedCronJobEvents, type AdvancedCronJobEvents } from './events.ts';
import { execute } from './execute.ts';
import { requestsForCronJob } from './triggers.ts';

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

function observe({ childrenOf, made }: Known, job: AdvancedCronJob): Snapshot {
  return { job, children: childrenOf(job), made: made.get(job.metadata.uid ?? '') };
}

const eventsOf = ({ recorder, object }: PlanIo<Types>): AdvancedCronJobEvents => advancedCronJobEvents(recorder, object);

export const advancedCronJobController = planController<Types>({
  name: advancedCronJobDeclaration.controllerName,
  workers: 'advancedcronjob-workers',
  type: advancedCronJobs,
  sources: (dependencies) => {
    const children = childSourcesOf(dependencies);
    const made = new Map<string, Instant>();
    return {
      objects: dependencies.caches.of(advancedCronJobs),
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
