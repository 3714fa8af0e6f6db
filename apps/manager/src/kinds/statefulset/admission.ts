/**
 * Admission of StatefulSets of group apps.kruise.io: fills in defaults, refuses what cannot work, protects from deletion. The rules are pure
 * functions of libs/api.
 * @see spec/statefulset.md 4
 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  defaultStatefulSet,
  inHub,
  statefulSetDeclaration,
  statefulSetWarnings,
  validateStatefulSet,
  validateStatefulSetUpdate,
  type StatefulSetVersion,
} from '@kruise/api';
import { storageClasses, type FieldError } from '@kruise/objects';
import { decideDeletion, replicasOf } from '../../module/decide-deletion.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Submission } from '../../module/kind-admission.ts';
import { orderRule } from '@kruise/workloads';
import { validateClaims } from './admission-claims.ts';

/** The same in both versions. */
const validateOrder = orderRule(statefulSetDeclaration, 'v1beta1', ['spec', 'updateStrategy', 'rollingUpdate', 'unorderedUpdate']);

/** With the members that a v1alpha1 object carries in an annotation, which are stored as if v1beta1 had said them. */
const withCarried = (submission: Submission<StatefulSetVersion>): Submission<StatefulSetVersion> => ({
  ...submission,
  object: inHub(submission.object),
  oldObject: submission.oldObject === undefined ? undefined : inHub(submission.oldObject),
});

const validateObjects = ({ object, oldObject }: Submission): readonly FieldError[] => [
  ...validateStatefulSet(object),
  ...validateOrder(object, oldObject),
  ...(oldObject === undefined ? [] : validateStatefulSetUpdate(object, oldObject)),
];

/** The mutating and the validating handler. */
export const statefulSetAdmission = (dependencies: HandlerDependencies): readonly AdmissionHandler[] => {
  const { caches, gates } = dependencies;
  const classes = gates.StatefulSetAutoResizePVCGate ? caches.of(storageClasses) : undefined;
  return kindAdmission<StatefulSetVersion>({
    declaration: statefulSetDeclaration,
    faultCode: 422,
    defaulted: ({ object, version, oldObject }) => defaultStatefulSet(object, { version, oldObject, gates }),
    findings: async (sent, signal) => {
      const submission = withCarried(sent);
      const faults = [...validateObjects(submission), ...(await validateClaims(submission, classes, signal))];
      return { faults, warnings: statefulSetWarnings(submission.object, { gates }) };
    },
    decideDeletion: (request, signal) => decideDeletion(request, dependencies, replicasOf, signal),
  });
};
