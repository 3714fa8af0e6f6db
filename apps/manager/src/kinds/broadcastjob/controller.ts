/** What the controller of BroadcastJobs reads, and the parts that it consists of. @see spec/broadcastjob.md 5 */
import { broadcastJobDeclaration, broadcastJobs, type BroadcastJob, type BroadcastJobStatus } from '@kruise/api';
import { watchInformer } from '@kruise/kube';
import { nodes, pods } from '@kruise/objects';
import { byOwner, nodeOfCreation, nodesOfAction } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { workloadController, type Sources } from '../../workloads/passes/workload-controller.ts';
import { type Action, plan, type Plan, heldStatus, isStatusChanged, pacedStatus, examine } from '@kruise/kinds/broadcastjob';
import { carryOut } from './carry-out.ts';
import { broadcastJobEvents } from './events.ts';
import { execute } from './execute.ts';
import type { BroadcastJobTypes } from './io.ts';
import { observe, type Known } from './observe.ts';
import { keysForJob, requestsForNode, requestsForPod } from './triggers.ts';

function sourcesOf({ caches }: ControllerDependencies): Sources<BroadcastJob, Known, BroadcastJobTypes['examined']> {
  const objects = caches.of(broadcastJobs);
  const podInformer = caches.of(pods, byOwner);
  const nodeInformer = caches.of(nodes);
  return {
    objects,
    pods: podInformer,
    known: { pods: podInformer.store, nodes: nodeInformer.store },
    requestsOf: keysForJob,
    watches: [
      watchInformer(podInformer, (event) => requestsForPod(event, objects.store)),
      watchInformer(nodeInformer, (event) => requestsForNode(event, objects.store)),
    ],
    caches: [],
  };
}

export const broadcastJobController = workloadController<BroadcastJob, BroadcastJobStatus, Action, Plan, BroadcastJobTypes>({
  name: broadcastJobDeclaration.controllerName,
  workers: 'broadcastjob-workers',
  status: { type: broadcastJobs, heldStatus, malformedStatus: heldStatus, isStatusChanged, paced: pacedStatus },
  sources: sourcesOf,
  events: broadcastJobEvents,
  leavesTerminating: true,
  rules: {
    context: ({ flags }, { now }) => ({ now, placedByScheduler: flags['assign-bcj-pods-by-scheduler'] }),
    examine,
    observe,
    plan,
  },
  subjectsOf: nodesOfAction,
  objectOf: nodeOfCreation,
  changesPods: false,
  announceMalformed: (events, why) => events.invalid(why),
  execute,
  carryOut,
});
