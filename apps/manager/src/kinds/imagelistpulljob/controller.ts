/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/image-pulling.md 5.6 */
import {
  eventReasons,
  imageListPullJobDeclaration,
  imageListPullJobFault,
  imageListPullJobs,
  imagePullJobs,
  type ImageListPullJob,
  type ImagePullJob,
} from '@kruise/api';
import {
  afterFailure,
  enqueueOwner,
  enqueueSelf,
  gathered,
  giveUp,
  nextLook,
  onEvent,
  runPlan,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type StoreReader,
} from '@kruise/kube';
import { formatKey, milliseconds, shortest, type ObjectKey } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { RefusedObjects, retriedWithin } from '../../workloads/refused-objects.ts';
import { execute, stagesOf, tell } from './execute.ts';
import { plan, type Action } from './plan.ts';
import { byController } from '../../caches/by-owner.ts';

/** The kind has no flag of its own. */
const gathering = milliseconds(20);

interface Stores {
  readonly lists: StoreReader<ImageListPullJob>;
  readonly children: StoreReader<ImagePullJob>;
  readonly refusals: RefusedObjects;
}

/** A list that came past admission is judged as if the webhook had filled in its defaults. */
function faultOf(job: ImageListPullJob): string | undefined {
  const { spec } = job;
  if (typeof spec !== 'object' || spec === null) return imageListPullJobFault({ ...job });
  return imageListPullJobFault({ ...job, spec: { ...spec, completionPolicy: { type: 'Always', ...spec.completionPolicy } } });
}

const imageOf = (action: Action): string | undefined => (action.kind === 'CreateJob' ? action.image : undefined);

async function reconcile(key: ObjectKey, stores: Stores, dependencies: ControllerDependencies, signal: AbortSignal): Promise<Outcome> {
  const job = stores.lists.get(key);
  if (job === undefined) return settled;
  const { client, clock, logger, recorderFor } = dependencies;
  const recorder = recorderFor(imageListPullJobDeclaration.controllerName);
  const why = faultOf(job);
  if (why !== undefined) {
    recorder.event(job, 'Warning', eventReasons.failedCreate, why);
    return giveUp(new Error(why));
  }
  const children = stores.children.byIndex(byController, job.metadata.uid ?? '', { namespace: key.namespace });
  const refused = stores.refusals.of(job.metadata.uid ?? '', () => new Set(job.spec.images));
  const next = plan({ job, children, refused }, clock.now());
  const io = { client, recorder, job, refusals: stores.refusals };
  const tools = { execute: (action: Action) => execute(action, io, signal), logger, about: { imageListPullJob: formatKey(key) } };
  const result = await runPlan(stagesOf(next.actions), tools, signal);
  tell(result, io, signal);
  if (next.status !== undefined) await writeStatus(client, imageListPullJobs, { object: job, status: next.status, how: 'Merge' }, signal);
  if (result.error === undefined) return nextLook(next.lookAgainAfter);
  return afterFailure(result.error, shortest([next.lookAgainAfter, retriedWithin(result.stages, imageOf, refused)]));
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const lists = caches.of(imageListPullJobs);
  const children = caches.of(imagePullJobs, byController);
  const refusals = new RefusedObjects(dependencies.clock);
  const stores: Stores = { lists: lists.store, children: children.store, refusals };
  return {
    watches: [
      onEvent(lists, (event) => {
        if (event.kind === 'Deleted') refusals.forget(event.object.metadata.uid ?? '');
      }),
      watchInformer(lists, enqueueSelf),
      watchInformer(children, (event) => gathered(enqueueOwner(imageListPullJobs)(event), gathering)),
    ],
    reconcile: (key, signal) => reconcile(key, stores, dependencies, signal),
  };
}

export const imageListPullJobController: ControllerModule = {
  name: imageListPullJobDeclaration.controllerName,
  workers: 3,
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  define,
};
