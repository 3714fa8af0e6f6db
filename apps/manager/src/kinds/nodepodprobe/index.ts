/** NodePodProbe: the controller that keeps one for each node and carries its results into Pods. */
export { nodePodProbeController } from './controller.ts';
