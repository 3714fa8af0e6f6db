/** The start order of containers: the step of the Pod webhook and the controller that releases the levels. */
export { launchPriorityStep } from './admission.ts';
export { containerLaunchPriorityController } from './controller.ts';
