/** Admission of ImageListPullJobs. The rules are pure functions of libs/api. @see spec/image-pulling.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { defaultImageListPullJob, imageListPullJobDeclaration, imageListPullJobFault, pullPolicyWarnings } from '@kruise/api';
import { faultRefusal, gateRefusal, isLeaving, type Version } from '../../images/pull-admission.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** The mutating and the validating handler. */
export const imageListPullJobAdmission = ({ gates }: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission<Version>({
    declaration: imageListPullJobDeclaration,
    faultCode: 400,
    defaulted: ({ object }) => defaultImageListPullJob(object),
    refusal: ({ object }) =>
      isLeaving(object)
        ? undefined
        : (gateRefusal(gates, 'KruiseDaemon', 'ImagePullJobGate') ?? faultRefusal(imageListPullJobFault(object))),
    findings: ({ object }) => ({ faults: [], warnings: pullPolicyWarnings(object) }),
  });
