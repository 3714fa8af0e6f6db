/** Admission of BroadcastJobs: fills in defaults and refuses what cannot work. The rules are pure functions of libs/api. @see spec/broadcastjob.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { broadcastJobDeclaration, broadcastJobWarnings, defaultBroadcastJob, validateBroadcastJob } from '@kruise/api';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** The mutating and the validating handler, the same for both versions. */
export function broadcastJobAdmission({ gates, allowPrivileged, kubernetes }: HandlerDependencies): readonly AdmissionHandler[] {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return kindAdmission({
    declaration: broadcastJobDeclaration,
    faultCode: 500,
    defaulted: ({ object, oldObject }) => defaultBroadcastJob(object, { oldObject, gates }),
    findings: ({ object, oldObject }) => ({
      faults: validateBroadcastJob(object, { allowPrivileged, hostNetworkHostPorts, kubernetes }, oldObject),
      warnings: broadcastJobWarnings(object, { oldObject }),
    }),
  });
}
