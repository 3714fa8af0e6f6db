/** Admission of AdvancedCronJobs: fills in defaults and refuses what cannot work. The rules are pure functions. @see spec/advancedcronjob.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  advancedCronJobDeclaration,
  advancedCronJobWarnings,
  defaultAdvancedCronJob,
  inHub,
  validateAdvancedCronJob,
  validateAdvancedCronJobUpdate,
} from '@kruise/api';
import { scheduleRules } from '@kruise/kinds/advancedcronjob';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** The mutating and the validating handler. */
export function advancedCronJobAdmission({ gates, allowPrivileged, kubernetes }: HandlerDependencies): readonly AdmissionHandler[] {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return kindAdmission({
    declaration: advancedCronJobDeclaration,
    faultCode: 422,
    defaulted: ({ object, oldObject }) => defaultAdvancedCronJob(object, { oldObject, gates }),
    findings: ({ object: sent, oldObject: stored }) => {
      const object = inHub(sent);
      const options = { allowPrivileged, hostNetworkHostPorts, kubernetes, schedules: scheduleRules };
      const changed = stored === undefined ? [] : validateAdvancedCronJobUpdate(object, inHub(stored), { hostNetworkHostPorts });
      return {
        faults: [...validateAdvancedCronJob(object, options), ...changed],
        warnings: advancedCronJobWarnings(object, scheduleRules),
      };
    },
  });
}
