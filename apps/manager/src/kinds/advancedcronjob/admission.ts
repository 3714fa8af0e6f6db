/** Admission of AdvancedCronJobs: fills in defaults and refuses what cannot work. The rules are pure functions. @see spec/advancedcronjob.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  advancedCronJobDeclaration,
  advancedCronJobWarnings,
  defaultAdvancedCronJob,
  validateAdvancedCronJob,
  validateAdvancedCronJobUpdate,
  type ScheduleRules,
} from '@kruise/api';
import { isZoneName, parseSchedule } from '@kruise/cron';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

const schedules: ScheduleRules = {
  faultOfSchedule: (text) => {
    const parsed = parseSchedule(text);
    return parsed.kind === 'Faulty' ? parsed.why : undefined;
  },
  neverComes: (text) => {
    const parsed = parseSchedule(text);
    return parsed.kind !== 'Faulty' && parsed.schedule.kind === 'Fields' && !parsed.schedule.isPossible;
  },
  faultOfZone: (zone) => (isZoneName(zone) ? undefined : `unknown time zone ${zone}`),
};

/** The mutating and the validating handler. */
export function advancedCronJobAdmission({ gates, allowPrivileged, kubernetes }: HandlerDependencies): readonly AdmissionHandler[] {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return kindAdmission({
    declaration: advancedCronJobDeclaration,
    faultCode: 422,
    defaulted: ({ object, oldObject }) => defaultAdvancedCronJob(object, { oldObject, gates }),
    findings: ({ object, oldObject }) => ({
      faults: [
        ...validateAdvancedCronJob(object, { allowPrivileged, hostNetworkHostPorts, kubernetes, schedules }),
        ...(oldObject === undefined ? [] : validateAdvancedCronJobUpdate(object, oldObject, { hostNetworkHostPorts })),
      ],
      warnings: advancedCronJobWarnings(object, schedules),
    }),
  });
}
