/** Ends the sidecars of Pods that run to completion. */
export { sidecarTerminatorController } from './controller.ts';
