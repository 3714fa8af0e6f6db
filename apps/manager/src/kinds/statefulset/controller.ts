/** What the controller of StatefulSets reads, and the parts that it consists of. @see spec/statefulset.md 5.1, 5.3 */
import { imagePullJobs, statefulSetDeclaration, statefulSets, type StatefulSet, type StatefulSetStatus } from '@kruise/api';
import { watchInformer } from '@kruise/kube';
import { controllerRevisions, nodes, persistentVolumeClaims, pods, storageClasses } from '@kruise/objects';
import { byController, podsByNode } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { isIgnorable, ownersOnNode, usersOfRevision } from '../../workloads/writes/pod-events.ts';
import { pullsImagesAhead } from '../../workloads/writes/pull-ahead-writes.ts';
import { workloadController, type Sources } from '../../workloads/passes/workload-controller.ts';
import {
  subjectsOf,
  type Action,
  plan,
  type Plan,
  heldStatus,
  isStatusChanged,
  pacedStatus,
  kstatusCounts,
  withFailures,
  withoutUpdateRevision,
  configurable,
  examine,
} from '@kruise/kinds/statefulset';
import { carryOut } from './carry-out.ts';
import { statefulSetEvents } from './events.ts';
import { execute } from './execute.ts';
import type { StatefulSetTypes } from './io.ts';
import { membersOf, observe, orphansByParent, type Stores } from './observe.ts';
import { gathered, setsOfClaim, setsOfPod } from './triggers.ts';

function sourcesOf(dependencies: ControllerDependencies): Sources<StatefulSet, Stores> {
  const { caches, gates, resourceWriting } = dependencies;
  const objects = caches.of(statefulSets);
  const podInformer = caches.of(pods, byController, orphansByParent, podsByNode);
  const claims = caches.of(persistentVolumeClaims);
  const revisions = caches.of(controllerRevisions, byController);
  const nodeInformer = caches.of(nodes);
  const classes = gates.StatefulSetAutoResizePVCGate ? caches.of(storageClasses) : undefined;
  const jobs = pullsImagesAhead(dependencies) ? caches.of(imagePullJobs, byController) : undefined;
  const { store: sets } = objects;
  const seen = { workloads: sets, isScalingOn: resourceWriting !== 'Ignored' };
  return {
    objects,
    pods: podInformer,
    known: {
      sets,
      pods: podInformer.store,
      claims: claims.store,
      revisions: revisions.store,
      nodes: nodeInformer.store,
      ...(classes === undefined ? {} : { classes: classes.store }),
      ...(jobs === undefined ? {} : { imagePullJobs: jobs.store }),
    },
    watches: [
      watchInformer(podInformer, (event) => (isIgnorable(event, statefulSets, seen) ? [] : gathered(setsOfPod(event, sets), sets))),
      watchInformer(claims, (event) => gathered(setsOfClaim(event, sets), sets)),
      watchInformer(revisions, (event) => usersOfRevision(event, statefulSets, { workloads: sets })),
      watchInformer(nodeInformer, (event) => gathered(ownersOnNode(event, statefulSets, podInformer.store), sets)),
    ],
    caches: [...(classes === undefined ? [] : [classes]), ...(jobs === undefined ? [] : [jobs])],
  };
}

export const statefulSetController = workloadController<StatefulSet, StatefulSetStatus, Action, Plan, StatefulSetTypes>({
  name: statefulSetDeclaration.controllerName,
  workers: 'statefulset-workers',
  status: { type: statefulSets, heldStatus, withoutUpdateRevision, withFailures, isStatusChanged, paced: pacedStatus, kstatusCounts },
  sources: sourcesOf,
  events: statefulSetEvents,
  rules: {
    context: ({ gates, resourceWriting }, { now, refusals, object: set, known }) => ({
      now,
      refused: refusals.of(set.metadata.uid ?? '', () => membersOf(known, set, gates)),
      gates,
      resources: resourceWriting,
    }),
    examine,
    observe: (stores, set, { selector }) => observe(stores, set, selector),
    plan,
  },
  configurable,
  subjectsOf,
  announceMalformed: (events, why) => events.invalid(why),
  execute,
  carryOut,
});
