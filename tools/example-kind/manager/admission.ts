/** Admission of MaintenanceNotices. The rules are pure functions beside the schema. */
import { kindAdmission } from '../../../apps/manager/src/module/kind-admission.ts';
import { maintenanceNoticeDeclaration, defaultMaintenanceNotice, validateMaintenanceNotice } from '../api/index.ts';

/** The mutating and the validating handler. */
export const maintenanceNoticeAdmission = () =>
  kindAdmission({
    declaration: maintenanceNoticeDeclaration,
    faultCode: 422,
    defaulted: ({ object }) => defaultMaintenanceNotice(object),
    findings: ({ object }) => ({ faults: validateMaintenanceNotice(object) }),
  });
