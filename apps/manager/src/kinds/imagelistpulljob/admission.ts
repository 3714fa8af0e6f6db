/** Admission of ImageListPullJobs. The rules are pure functions of libs/api. @see spec/image-pulling.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import {
  defaultImageListPullJob,
  imageListPullJobDeclaration,
  imageListPullJobFault,
  pullBoundsFault,
  pullPolicyWarnings,
} from '@kruise/api';
import { faultDenial, type Version } from '../../images/pull-admission.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { gateDenial } from '../../module/gate-denial.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** The mutating and the validating handler. */
export const imageListPullJobAdmission = ({ gates }: HandlerDependencies): readonly AdmissionHandler[] =>
  kindAdmission<Version>({
    declaration: imageListPullJobDeclaration,
    faultCode: 400,
    defaulted: ({ object }) => defaultImageListPullJob(object),
    denial: ({ object, oldObject }) =>
      gateDenial(gates, 'KruiseDaemon', 'ImagePullJobGate') ??
      faultDenial(imageListPullJobFault(object, oldObject) ?? pullBoundsFault(object, oldObject)),
    findings: ({ object }) => ({ faults: [], warnings: pullPolicyWarnings(object) }),
  });
