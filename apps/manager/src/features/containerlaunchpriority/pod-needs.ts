/**
 * Which Pods the step has to see, for the API server to find out by itself: CEL expressions over the Pod that is created. They never fail and are
 * cheap for a Pod of any size, for an expression that the API server gives up on refuses the Pod.
 */
import type { RequestNeed } from '@kruise/admission';
import { annotations, envNames, orderedLaunch } from '@kruise/api';

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

/** What the step leaves in a Pod: the barrier is added behind all other entries. */
export const barrierTrace =
  `${hasContainers} && size(object.spec.containers) > 0 && has(object.spec.containers[0].env) && ` +
  'size(object.spec.containers[0].env) > 0 && ' +
  `object.spec.containers[0].env[size(object.spec.containers[0].env) - 1].name == "${envNames.containerBarrier}"`;
