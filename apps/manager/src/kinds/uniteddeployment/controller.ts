/** What the controller of UnitedDeployments reads, and the parts that it consists of. @see spec/uniteddeployment.md 5.1, 5.2 */
import { unitedDeploymentDeclaration, unitedDeployments, type UnitedDeployment, type UnitedDeploymentStatus } from '@kruise/api';
import { EventLoopTurns, watchInformer } from '@kruise/kube';
import { controllerRevisions, pods } from '@kruise/objects';
import { byController } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { workloadController, type Sources } from '../../workloads/passes/workload-controller.ts';
import {
  type Action,
  plan,
  type Plan,
  heldStatus,
  isStatusChanged,
  pacedStatus,
  kstatusCounts,
  withFailures,
  withoutUpdateRevision,
  examine,
  type WellFormedUnited,
} from '@kruise/kinds/uniteddeployment';
import { carryOut } from './carry-out.ts';
import { ChildCaches } from './child-caches.ts';
import { unitedDeploymentEvents } from './events.ts';
import { execute } from './execute.ts';
import type { Io, Known, UnitedDeploymentTypes } from './io.ts';
import { observe } from './observe.ts';
import { gathered, keysForPod } from './triggers.ts';

function sourcesOf(dependencies: ControllerDependencies): Sources<UnitedDeployment, Known, WellFormedUnited> {
  const { caches } = dependencies;
  const objects = caches.of(unitedDeployments);
  const podInformer = caches.of(pods, byController);
  const revisions = caches.of(controllerRevisions, byController);
  const children = new ChildCaches(dependencies, objects);
  return {
    objects,
    pods: podInformer,
    known: { united: objects.store, pods: podInformer.store, revisions: revisions.store, children, turns: new EventLoopTurns() },
    ready: ({ childKind }, signal) => children.ready(childKind, signal),
    watches: [children.watch, watchInformer(podInformer, (event) => gathered(keysForPod(event, children.storeOf), objects.store))],
    caches: [revisions],
  };
}

async function executeInTurn(action: Action, io: Io, signal: AbortSignal, { turns }: Known): Promise<void> {
  if ('wish' in action) await turns.next();
  await execute(action, io, signal);
}

/** A child that cannot be created waits by its subset. */
const objectOf = (action: Action): string | undefined => (action.kind === 'CreateChild' ? action.wish.subset.name : undefined);

export const unitedDeploymentController = workloadController<UnitedDeployment, UnitedDeploymentStatus, Action, Plan, UnitedDeploymentTypes>(
  {
    name: unitedDeploymentDeclaration.controllerName,
    workers: 'uniteddeployment-workers',
    status: {
      type: unitedDeployments,
      heldStatus,
      withoutUpdateRevision,
      withFailures,
      isStatusChanged,
      paced: pacedStatus,
      kstatusCounts,
      parts: 'children',
    },
    sources: sourcesOf,
    events: unitedDeploymentEvents,
    leavesTerminating: true,
    rules: {
      context: (_, { now }) => ({ now }),
      examine,
      observe: ({ children, ...stores }, united, { selector, childKind }) =>
        observe({ ...stores, ...children.sources(childKind) }, united, selector, childKind),
      plan: ({ seen }, context) => plan(seen, context),
    },
    // Every child is tried in each pass.
    subjectsOf: () => [],
    objectOf,
    changesPods: false,
    announceMalformed: (events, why) => events.invalid(why),
    execute: executeInTurn,
    carryOut,
  },
);
