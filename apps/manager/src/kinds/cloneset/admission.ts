/**
 * Admission of CloneSets: fills in defaults, refuses what cannot work, protects from deletion. The rules are pure functions of libs/api.
 * @see spec/cloneset.md 4
 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  cloneSetDeclaration,
  cloneSetWarnings,
  defaultCloneSet,
  validateCloneSet,
  validateCloneSetUpdate,
  type CloneSetVersion,
} from '@kruise/api';
import type { FieldError } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Submission } from '../../module/kind-admission.ts';
import { decideDeletion, replicasOf } from '../../module/decide-deletion.ts';
import { validateUpdateOrder } from '@kruise/kinds/cloneset';
import { validatePodsToDelete } from './admission-pods-to-delete.ts';

function validateObjects(
  { version, object, oldObject }: Submission<CloneSetVersion>,
  { gates, allowPrivileged, kubernetes }: HandlerDependencies,
): readonly FieldError[] {
  const hostNetworkHostPorts = gates.DefaultHostNetworkHostPortsInPodTemplates;
  return [
    ...validateCloneSet(object, { version, oldObject, allowPrivileged, hostNetworkHostPorts, kubernetes }),
    ...validateUpdateOrder(object, version, oldObject),
    ...(oldObject === undefined ? [] : validateCloneSetUpdate(object, oldObject, version)),
  ];
}

/** The mutating and the validating handler. */
export const cloneSetAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] => {
  const { gates, client } = dependencies;
  return kindAdmission<CloneSetVersion>({
    declaration: cloneSetDeclaration,
    faultCode: 422,
    defaulted: ({ object, version, oldObject }) => defaultCloneSet(object, { version, oldObject, gates }),
    findings: async (submission, signal) => ({
      faults: [
        ...validateObjects(submission, dependencies),
        ...(submission.version === 'v1alpha1' ? await validatePodsToDelete(submission, client, signal) : []),
      ],
      warnings: cloneSetWarnings(submission.object, { ...submission, gates }),
    }),
    decideDeletion: (request, signal) => decideDeletion(request, dependencies, replicasOf, signal),
  });
};
