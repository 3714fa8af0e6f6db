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
  enqueueOwner,
  enqueueSelf,
  gathered,
  giveUp,
  nextLook,
  outcomeOf,
  runPlan,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type StoreReader,
} from '@kruise/kube';
import { formatKey, milliseconds, type ObjectKey } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { execute, stagesOf, tell } from './execute.ts';
import { plan, type Action } from './plan.ts';
import { byController } from '../../caches/by-owner.ts';

/** The kind has no flag of its own. */
const gathering = milliseconds(20);

interface Stores {
  readonly lists: StoreReader<ImageListPullJob>;
  readonly children: StoreReader<ImagePullJob>;
}

/** A list that came past admission is judged as if the webhook had filled in its defaults. */
function faultOf(job: ImageListPullJob): string | undefined {
  const { spec } = job;
  if (typeof spec !== 'object' || spec === null) return imageListPullJobFault({ ...job });
  return imageListPullJobFault({ ...job, spec: { ...spec, completionPolicy: { type: 'Always', ...spec.completionPolicy } } });
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
  const children = stores.children.byIndex(byController, job.metadata.uid ?? '', { namespace: key.namespace });
  const next = plan({ job, children }, clock.now());
  const io = { client, recorder, job };
  const tools = { execute: (action: Action) => execute(action, io, signal), logger, about: { imageListPullJob: formatKey(key) } };
  const result = await runPlan(stagesOf(next.actions), tools, signal);
  tell(result, io, signal);
  if (next.status !== undefined) await writeStatus(client, imageListPullJobs, { object: job, status: next.status, how: 'Merge' }, signal);
  return outcomeOf(result, nextLook(next.lookAgainAfter));
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const lists = caches.of(imageListPullJobs);
  const children = caches.of(imagePullJobs, byController);
  const stores: Stores = { lists: lists.store, children: children.store };
  return {
    watches: [
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
