/** Admission of ImagePullJobs. The rules are pure functions of libs/api. @see spec/image-pulling.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  defaultImagePullJob,
  imagePullJobDeclaration,
  imagePullJobFault,
  keepsPullSecrets,
  protectImagePullJob,
  pullBoundsFault,
  pullPolicyWarnings,
  type Gates,
} from '@kruise/api';
import { faultDenial, type Version } from '../../images/pull-admission.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { gateDenial } from '../../module/gate-denial.ts';
import { kindAdmission, type Denial, type Submission } from '../../module/kind-admission.ts';

function denialOf({ object, oldObject }: Submission, gates: Gates): Denial | undefined {
  const denial = gateDenial(gates, 'KruiseDaemon', 'ImagePullJobGate');
  if (denial !== undefined) return denial;
  if (oldObject !== undefined && !keepsPullSecrets(object, oldObject)) return { code: 403, message: 'spec.pullSecrets is immutable' };
  return faultDenial(imagePullJobFault(object, oldObject) ?? pullBoundsFault(object, oldObject));
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
    denial: (submission) => denialOf(submission, gates),
    findings: ({ object }) => ({ faults: [], warnings: pullPolicyWarnings(object) }),
  });
