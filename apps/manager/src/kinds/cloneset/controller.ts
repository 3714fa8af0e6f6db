/** What the controller of CloneSets reads, and the parts that it consists of. @see spec/cloneset.md 5.1, 5.2 */
import { cloneSetDeclaration, cloneSets, imagePullJobs, type CloneSet, type CloneSetStatus } from '@kruise/api';
import { watchInformer } from '@kruise/kube';
import { controllerRevisions, nodes, persistentVolumeClaims, pods } from '@kruise/objects';
import { byController, byOwner, podsByNode } from '@kruise/workloads';
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
} from '@kruise/kinds/cloneset';
import { carryOut } from './carry-out.ts';
import { cloneSetEvents } from './events.ts';
import { execute } from './execute.ts';
import type { CloneSetTypes } from './io.ts';
import { observe, type Stores } from './observe.ts';
import { gathered, setsOfClaim, setsOfPod } from './triggers.ts';
import { VanishedPods } from './vanished-pods.ts';

function sourcesOf(dependencies: ControllerDependencies): Sources<CloneSet, Stores> {
  const { caches, gates, resourceWriting } = dependencies;
  const objects = caches.of(cloneSets);
  const podInformer = caches.of(pods, byOwner, podsByNode);
  const claims = caches.of(persistentVolumeClaims, byOwner);
  const revisions = caches.of(controllerRevisions, byController);
  const nodeInformer = caches.of(nodes);
  const jobs = pullsImagesAhead(dependencies) ? caches.of(imagePullJobs, byOwner) : undefined;
  const vanished = new VanishedPods(objects);
  const { store: sets } = objects;
  const seen = { workloads: sets, isScalingOn: resourceWriting !== 'Ignored' };
  return {
    objects,
    pods: podInformer,
    known: {
      cloneSets: sets,
      pods: podInformer.store,
      claims: claims.store,
      revisions: revisions.store,
      nodes: nodeInformer.store,
      vanished,
      ...(jobs === undefined ? {} : { imagePullJobs: jobs.store }),
    },
    watches: [
      ...vanished.watches(podInformer),
      watchInformer(podInformer, (event) =>
        gates.CloneSetEventHandlerOptimization && isIgnorable(event, cloneSets, seen) ? [] : gathered(setsOfPod(event, sets), sets),
      ),
      watchInformer(claims, setsOfClaim),
      watchInformer(revisions, (event) => usersOfRevision(event, cloneSets, { workloads: sets })),
      watchInformer(nodeInformer, (event) => gathered(ownersOnNode(event, cloneSets, podInformer.store), sets)),
    ],
    caches: jobs === undefined ? [] : [jobs],
  };
}

export const cloneSetController = workloadController<CloneSet, CloneSetStatus, Action, Plan, CloneSetTypes>({
  name: cloneSetDeclaration.controllerName,
  workers: 'cloneset-workers',
  status: { type: cloneSets, heldStatus, withoutUpdateRevision, withFailures, isStatusChanged, paced: pacedStatus, kstatusCounts },
  sources: sourcesOf,
  events: cloneSetEvents,
  rules: {
    context: ({ gates, flags, resourceWriting }, { now }) => ({
      now,
      gates,
      excludePreparingDelete: flags['cloneset-scaling-exclude-preparing-delete'],
      resources: resourceWriting,
    }),
    examine,
    observe: (known, cloneSet, { selector, refusals }) => observe({ ...known, refusals }, cloneSet, selector),
    plan,
  },
  configurable,
  subjectsOf,
  announceMalformed: (events, why) => events.invalid(why),
  execute,
  carryOut,
});
