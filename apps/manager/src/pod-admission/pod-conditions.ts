/**
 * What Pods of a sort have in common, for the API server to find out by itself: CEL expressions over the Pod that is created. They never fail and
 * are cheap for a Pod of any size, for an expression that the API server gives up on refuses the Pod.
 */
import { annotations, envNames, groups, orderedLaunch, podConditions } from '@kruise/api';
import type { RequestNeed } from '@kruise/admission';

const ownedByOurKinds =
  'has(object.metadata.ownerReferences) && ' +
  `object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && o.apiVersion.startsWith("${groups.apps}/"))`;

/** Pods whose controller is one of our workloads. */
export const podsOfOurKinds: RequestNeed = { reason: 'kruise-workload', condition: ownedByOurKinds };

/** A Pod that names none comes with null; the API server refuses it later, in its own words. */
const hasContainers = 'object.spec.containers != null';

/** So many are rare enough to be asked about unseen. */
const manyContainers = 100;
const manyEntries = 200;

const asksForOrder =
  `has(object.metadata.annotations) && "${annotations.containerLaunchPriority}" in object.metadata.annotations` +
  ` && object.metadata.annotations["${annotations.containerLaunchPriority}"] == "${orderedLaunch}"`;
const hasPriority = `c.env.exists(e, e.name == "${envNames.containerPriority}")`;

/** Pods that may want their containers started in an order. */
export const podsWithLaunchPriority: RequestNeed = {
  reason: 'container-launch-priority',
  condition:
    `${hasContainers} && size(object.spec.containers) > 1 && ((${asksForOrder}) || size(object.spec.containers) > ${manyContainers} || ` +
    `object.spec.containers.exists(c, has(c.env) && (size(c.env) > ${manyEntries} || ${hasPriority})))`,
};

/** What the steps leave in a Pod, for their `trace`. */
export const traces = {
  readinessGate:
    'has(object.spec.readinessGates) && ' + `object.spec.readinessGates.exists(g, g.conditionType == "${podConditions.kruisePodReady}")`,
  injection: `has(object.metadata.annotations) && "${annotations.sidecarSetHash}" in object.metadata.annotations`,
  /** It is added behind all other entries. */
  barrier:
    `${hasContainers} && size(object.spec.containers) > 0 && has(object.spec.containers[0].env) && ` +
    'size(object.spec.containers[0].env) > 0 && ' +
    `object.spec.containers[0].env[size(object.spec.containers[0].env) - 1].name == "${envNames.containerBarrier}"`,
} as const;
