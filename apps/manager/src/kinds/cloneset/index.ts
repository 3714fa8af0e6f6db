/** CloneSet: its controller and its admission. */
export { cloneSetAdmission } from './admission.ts';
export { cloneSetController } from './controller.ts';
