/** Admission of AdvancedCronJobs: fills in defaults and refuses what cannot work. The rules are pure functions. @see spec/advancedcronjob.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  advancedCronJobDeclaration,
  advancedCronJobWarnings,
  defaultAdvancedCronJob,
  inHub,
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
  periodOf: (text) => {
    const parsed = parseSchedule(text);
    return parsed.kind !== 'Faulty' && parsed.schedule.kind === 'Every' ? parsed.schedule.period : undefined;
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
    findings: ({ object: sent, oldObject: stored }) => {
      const object = inHub(sent);
      const options = { allowPrivileged, hostNetworkHostPorts, kubernetes, schedules };
      const changed = stored === undefined ? [] : validateAdvancedCronJobUpdate(object, inHub(stored), { hostNetworkHostPorts });
      return { faults: [...validateAdvancedCronJob(object, options), ...changed], warnings: advancedCronJobWarnings(object, schedules) };
    },
  });
}
