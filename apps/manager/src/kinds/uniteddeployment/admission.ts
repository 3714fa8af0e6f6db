/** Admission of UnitedDeployments: fills in defaults and refuses what cannot work. The rules are pure functions of libs/api. @see spec/uniteddeployment.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  defaultUnitedDeployment,
  unitedDeploymentDeclaration,
  unitedDeploymentWarnings,
  validateUnitedDeployment,
  validateUnitedDeploymentUpdate,
} from '@kruise/api';
import { decideDeletion, replicasOf } from '../../module/decide-deletion.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** The mutating and the validating handler. */
export function unitedDeploymentAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const { gates, allowPrivileged, kubernetes } = dependencies;
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return kindAdmission({
    declaration: unitedDeploymentDeclaration,
    faultCode: 422,
    defaulted: ({ object, oldObject }) => defaultUnitedDeployment(object, { oldObject, gates }),
    findings: ({ object, oldObject }) => ({
      faults: [
        ...validateUnitedDeployment(object, { allowPrivileged, hostNetworkHostPorts, kubernetes, oldObject }),
        ...(oldObject === undefined ? [] : validateUnitedDeploymentUpdate(object, oldObject)),
      ],
      warnings: unitedDeploymentWarnings(object),
    }),
    decideDeletion: (request, signal) => decideDeletion(request, dependencies, replicasOf, signal),
  });
}
