/** Admission of NodeImages. The rules are pure functions of libs/api. @see spec/image-pulling.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { defaultNodeImage, nodeImageDeclaration, nodeImageFault } from '@kruise/api';
import { SystemClock, type Clock } from '@kruise/kube';
import { faultDenial, type Version } from '../../images/pull-admission.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { gateDenial } from '../../module/gate-denial.ts';
import { kindAdmission } from '../../module/kind-admission.ts';

/** The mutating and the validating handler. */
export const nodeImageAdmission = (
  { gates }: HandlerDependencies,
  clock: Pick<Clock, 'now'> = new SystemClock(),
): readonly AdmissionHandler[] =>
  kindAdmission<Version>({
    declaration: nodeImageDeclaration,
    faultCode: 400,
    defaulted: ({ object }) => defaultNodeImage(object, clock.now()),
    denial: ({ object, oldObject }) => gateDenial(gates, 'KruiseDaemon') ?? faultDenial(nodeImageFault(object, oldObject)),
  });
