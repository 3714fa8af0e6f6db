/** ImagePullJob: its controller and its admission. */
export { imagePullJobAdmission } from './admission.ts';
export { imagePullJobController } from './controller.ts';
