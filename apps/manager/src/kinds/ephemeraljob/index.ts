/** EphemeralJob: its controller and its admission. */
export { ephemeralJobAdmission } from './admission.ts';
export { ephemeralJobController } from './controller.ts';
