/** What the controller of DaemonSets reads, and the parts that it consists of. @see spec/daemonset.md 5.1, 5.2 */
import { daemonSetDeclaration, daemonSets, imagePullJobs, type DaemonSet, type DaemonSetStatus } from '@kruise/api';
import { onEvent, ownerKey, watchInformer } from '@kruise/kube';
import { controllerRevisions, nodes, pods, type ObjectKey } from '@kruise/objects';
import { byController, podsByNode, nodeOfCreation } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { isIgnorable, usersOfRevision } from '../../workloads/writes/pod-events.ts';
import { pullsImagesAhead } from '../../workloads/writes/pull-ahead-writes.ts';
import { workloadController, type Sources } from '../../workloads/passes/workload-controller.ts';
import {
  subjectsOf,
  type Action,
  FailedPods,
  plan,
  type Plan,
  hashOfPods,
  heldStatus,
  isStatusChanged,
  pacedStatus,
  kstatusCounts,
  withoutUpdateRevision,
  configurable,
  examine,
  selectsAll,
} from '@kruise/kinds/daemonset';
import { carryOut } from './carry-out.ts';
import { daemonSetEvents } from './events.ts';
import { execute } from './execute.ts';
import { DeletedPods } from './deleted-pods.ts';
import type { DaemonSetTypes } from './io.ts';
import { observe, type Known } from './observe.ts';
import { gathered, setsOfNode, setsOfPod } from './triggers.ts';

function sourcesOf(dependencies: ControllerDependencies): Sources<DaemonSet, Known> {
  const { caches, resourceWriting } = dependencies;
  const objects = caches.of(daemonSets);
  const podInformer = caches.of(pods, byController, podsByNode);
  const revisions = caches.of(controllerRevisions, byController);
  const nodeInformer = caches.of(nodes);
  const jobs = pullsImagesAhead(dependencies, 'PreDownloadImageForDaemonSetUpdate') ? caches.of(imagePullJobs, byController) : undefined;
  const { store: sets } = objects;
  const known: Known = {
    sets,
    pods: podInformer.store,
    revisions: revisions.store,
    nodes: nodeInformer.store,
    failedPods: new FailedPods(),
    deletedPods: new DeletedPods(),
    ...(jobs === undefined ? {} : { imagePullJobs: jobs.store }),
  };
  const seen = { workloads: sets, isScalingOn: resourceWriting !== 'Ignored' };
  const ownersOnNode = (node: string): readonly ObjectKey[] =>
    known.pods.byIndex(podsByNode, node).flatMap((pod) => ownerKey(pod, daemonSets) ?? []);
  return {
    objects,
    pods: podInformer,
    known,
    memories: [known.failedPods, known.deletedPods],
    watches: [
      onEvent(podInformer, (event) => known.deletedPods.note(event, known)),
      onEvent(nodeInformer, ({ kind, object }) => {
        if (kind === 'Deleted') known.deletedPods.forgetNode(object.metadata.name);
      }),
      watchInformer(podInformer, (event) => (isIgnorable(event, daemonSets, seen) ? [] : gathered(setsOfPod(event, sets), sets))),
      watchInformer(revisions, (event) => usersOfRevision(event, daemonSets, { workloads: sets, idOf: hashOfPods })),
      watchInformer(nodeInformer, (event) => gathered(setsOfNode(event, sets, ownersOnNode), sets)),
    ],
    caches: jobs === undefined ? [] : [jobs],
  };
}

export const daemonSetController = workloadController<DaemonSet, DaemonSetStatus, Action, Plan, DaemonSetTypes>({
  name: daemonSetDeclaration.controllerName,
  workers: 'daemonset-workers',
  status: { type: daemonSets, heldStatus, withoutUpdateRevision, isStatusChanged, paced: pacedStatus, kstatusCounts },
  sources: sourcesOf,
  events: daemonSetEvents,
  leavesTerminating: true,
  rules: {
    context: ({ gates, resourceWriting, flags }, { now }) => ({
      now,
      gates,
      resources: resourceWriting,
      placedByScheduler: flags['assign-pods-by-scheduler'],
    }),
    examine,
    observe,
    plan,
  },
  configurable,
  subjectsOf,
  objectOf: nodeOfCreation,
  announceMalformed: (events, why, set) => (selectsAll(set) ? events.selectingAll() : events.invalid(why)),
  execute: (action, io, signal, { failedPods }) => execute(action, { ...io, failedPods }, signal),
  carryOut,
});
