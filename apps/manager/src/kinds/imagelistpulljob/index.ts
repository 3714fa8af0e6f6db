/** ImageListPullJob: its controller and its admission. */
export { imageListPullJobAdmission } from './admission.ts';
export { imageListPullJobController } from './controller.ts';
