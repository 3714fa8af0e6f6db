/** Admission of PodProbeMarkers. The rules are pure functions of libs/api. @see spec/podprobemarker.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { podProbeMarkerDeclaration, podProbeMarkerWarnings, validatePodProbeMarker, validatePodProbeMarkerUpdate } from '@kruise/api';
import { semanticEqual, type FieldError } from '@kruise/objects';
import { gateDenial } from '../../module/gate-denial.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Submission } from '../../module/kind-admission.ts';

/** A marker from before these rules keeps its faults: it must still be able to lose its finalizer. */
function faultsOf({ object, oldObject }: Submission): readonly FieldError[] {
  if (oldObject === undefined) return validatePodProbeMarker(object);
  if (semanticEqual(object['spec'], oldObject['spec'])) return [];
  return [...validatePodProbeMarker(object, oldObject), ...validatePodProbeMarkerUpdate(object, oldObject)];
}

export const podProbeMarkerAdmission = ({ gates }: Pick<HandlerDependencies, 'gates'>): readonly AdmissionHandler[] =>
  kindAdmission({
    declaration: podProbeMarkerDeclaration,
    faultCode: 400,
    denial: () => gateDenial(gates, 'PodProbeMarkerGate', 'KruiseDaemon'),
    findings: (submission) => ({ faults: faultsOf(submission), warnings: podProbeMarkerWarnings(submission.object) }),
  });
