/** The controller that gives new Pods their condition KruisePodReady. */
export { podReadinessController } from './controller.ts';
