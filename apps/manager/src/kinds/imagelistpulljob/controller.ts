/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/image-pulling.md 5.6 */
import {
  eventReasons,
  imageListPullJobDeclaration,
  imageListPullJobFault,
  imageListPullJobs,
  imagePullJobs,
  pullBoundsFault,
  type ImageListPullJob,
  type ImagePullJob,
} from '@kruise/api';
import {
  enqueueOwner,
  enqueueSelf,
  gathered,
  giveUp,
  onEvent,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type StoreReader,
} from '@kruise/kube';
import { formatKey, milliseconds, type ObjectKey } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { runPaced } from '../../workloads/run-paced.ts';
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
  const complete = { ...job, spec: { ...spec, completionPolicy: { type: 'Always', ...spec.completionPolicy } } };
  return imageListPullJobFault(complete) ?? pullBoundsFault(complete);
}

const imageOf = (action: Action): string | undefined => (action.kind === 'CreateJob' ? action.image : undefined);

function subjectsOf(action: Action): readonly string[] {
  const image = imageOf(action);
  return image === undefined ? [] : [image];
}

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
  const { refusals } = stores;
  const { uid = '' } = job.metadata;
  refusals.begin(job);
  const children = stores.children.byIndex(byController, uid, { namespace: key.namespace });
  const { actions, status, lookAgainAfter } = plan(
    { job, children, refused: refusals.of(uid, () => new Set(job.spec.images)) },
    clock.now(),
  );
  const io = { client, recorder, job };
  const tools = { execute: (action: Action) => execute(action, io, signal), logger, about: { imageListPullJob: formatKey(key) } };
  const result = await runPaced(stagesOf(actions), tools, { refusals, owner: job, subjectsOf, objectOf: imageOf }, signal);
  tell(result, io, signal);
  const written =
    status === undefined
      ? {}
      : await refusals.writeStatus(job, () => writeStatus(client, imageListPullJobs, { object: job, status, how: 'Merge' }, signal));
  return refusals.outcome(uid, result.fresh ?? written.fresh, [lookAgainAfter]);
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
