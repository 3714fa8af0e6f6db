/** Admission of ImagePullJobs. The rules are pure functions of libs/api. @see spec/image-pulling.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  defaultImagePullJob,
  imagePullJobDeclaration,
  imagePullJobFault,
  keepsPullSecrets,
  protectImagePullJob,
  pullPolicyWarnings,
  type Gates,
} from '@kruise/api';
import { faultRefusal, gateRefusal, isLeaving, type Version } from '../../images/pull-admission.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Refusal, type Submission } from '../../module/kind-admission.ts';

function refusalOf({ object, oldObject }: Submission, gates: Gates): Refusal | undefined {
  if (isLeaving(object)) return undefined;
  const refusal = gateRefusal(gates, 'KruiseDaemon', 'ImagePullJobGate');
  if (refusal !== undefined) return refusal;
  if (oldObject !== undefined && !keepsPullSecrets(object, oldObject)) return { code: 403, message: 'spec.pullSecrets is immutable' };
  return faultRefusal(imagePullJobFault(object));
}

/** The mutating and the validating handler. */
export const imagePullJobAdmission = ({ gates }: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission<Version>({
    declaration: imagePullJobDeclaration,
    faultCode: 400,
    defaulted: ({ object, oldObject }) => {
      const complete = defaultImagePullJob(object);
      return oldObject === undefined ? protectImagePullJob(complete) : complete;
    },
    refusal: (submission) => refusalOf(submission, gates),
    findings: ({ object }) => ({ faults: [], warnings: pullPolicyWarnings(object) }),
  });
