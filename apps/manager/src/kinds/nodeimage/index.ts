/** NodeImage: its controller and its admission. */
export { nodeImageAdmission } from './admission.ts';
export { nodeImageController } from './controller.ts';
