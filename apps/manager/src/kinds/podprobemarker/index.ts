/** PodProbeMarker: its controller, its admission, its step of the Pod webhook. */
export { podProbeMarkerAdmission } from './admission.ts';
export { podProbeMarkerController } from './controller.ts';
export { serverlessProbesStep } from './serverless-step.ts';
