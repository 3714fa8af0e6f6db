/**
 * Admission of DaemonSets of group apps.kruise.io: fills in defaults and refuses what cannot work. The rules are pure functions of libs/api.
 * @see spec/daemonset.md 4
 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  daemonSetDeclaration,
  daemonSetWarnings,
  defaultDaemonSet,
  validateDaemonSet,
  validateDaemonSetUpdate,
  type DaemonSetVersion,
} from '@kruise/api';
import type { FieldError } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Submission } from '../../module/kind-admission.ts';

function validateObjects(
  { version, object, oldObject }: Submission<DaemonSetVersion>,
  { gates, allowPrivileged, kubernetes }: HandlerDependencies,
): readonly FieldError[] {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return [
    ...validateDaemonSet(object, { version, oldObject, allowPrivileged, hostNetworkHostPorts, kubernetes }),
    ...(oldObject === undefined ? [] : validateDaemonSetUpdate(object, oldObject, version)),
  ];
}

/** The mutating and the validating handler. */
export const daemonSetAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission<DaemonSetVersion>({
    declaration: daemonSetDeclaration,
    faultCode: { CREATE: 500, UPDATE: 422 },
    defaulted: ({ object, version }) => defaultDaemonSet(object, { version }),
    findings: (submission) => ({
      faults: validateObjects(submission, dependencies),
      warnings: daemonSetWarnings(submission.object, { ...submission, gates: dependencies.gates }),
    }),
  });
