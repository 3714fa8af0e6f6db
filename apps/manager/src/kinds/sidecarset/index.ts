/** SidecarSet: its controller, its admission, its step of the Pod webhook. */
export { sidecarSetAdmission } from './admission.ts';
export { sidecarSetController } from './controller.ts';
export { sidecarInjectionStep } from './injection/step.ts';
