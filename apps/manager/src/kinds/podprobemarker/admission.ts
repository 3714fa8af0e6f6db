/** Admission of PodProbeMarkers. The rules are pure functions of libs/api. @see spec/podprobemarker.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { podProbeMarkerDeclaration, podProbeMarkerWarnings, validatePodProbeMarker, validatePodProbeMarkerUpdate } from '@kruise/api';
import { memberAt, semanticEqual, type FieldError } from '@kruise/objects';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { kindAdmission, type Denial, type Submission } from '../../module/kind-admission.ts';

const gatesNeeded = ['PodProbeMarkerGate', 'KruiseDaemon'] as const;

const denialOf = (gate: string): Denial => ({ code: 403, message: `feature-gate ${gate} is not enabled` });

/** What goes must be able to go: this is how a finalizer is taken away. */
const isGoing = ({ object, oldObject }: Submission): boolean =>
  oldObject !== undefined && memberAt(object, 'metadata', 'deletionTimestamp') !== undefined;

/** A marker from before these rules keeps its faults: it must still be able to lose its finalizer. */
function faultsOf({ object, oldObject }: Submission): readonly FieldError[] {
  if (oldObject === undefined) return validatePodProbeMarker(object);
  if (semanticEqual(object['spec'], oldObject['spec'])) return [];
  return [...validatePodProbeMarker(object, oldObject), ...validatePodProbeMarkerUpdate(object, oldObject)];
}

export const podProbeMarkerAdmission = ({ gates }: Pick<HandlerDependencies, 'gates'>): readonly AdmissionHandler[] => {
  const off = gatesNeeded.find((gate) => !gates[gate]);
  return kindAdmission({
    declaration: podProbeMarkerDeclaration,
    faultCode: 400,
    ...(off === undefined ? {} : { denial: (submission) => (isGoing(submission) ? undefined : denialOf(off)) }),
    findings: (submission) => ({ faults: faultsOf(submission), warnings: podProbeMarkerWarnings(submission.object) }),
  });
};
