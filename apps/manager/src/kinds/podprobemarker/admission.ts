/** Admission of PodProbeMarkers. The rules are pure functions of libs/api. @see spec/podprobemarker.md 4 */
import type { AdmissionHandler } from '@kruise/admission';
import { podProbeMarkerWarnings, validatePodProbeMarker, validatePodProbeMarkerUpdate } from '@kruise/api';
import type { HandlerDependencies } from '../../webhooks/handlers.ts';
import { kindAdmission } from '../../webhooks/kind-admission.ts';

const gatesNeeded = ['PodProbeMarkerGate', 'KruiseDaemon'] as const;

export const podProbeMarkerAdmission = ({ gates }: Pick<HandlerDependencies, 'gates'>): readonly AdmissionHandler[] => {
  const off = gatesNeeded.find((gate) => !gates[gate]);
  return kindAdmission({
    singular: 'podprobemarker',
    versions: ['v1alpha1'],
    faultCode: 400,
    ...(off === undefined ? {} : { refusal: () => ({ code: 403, message: `feature-gate ${off} is not enabled` }) }),
    findings: ({ object, oldObject }) => ({
      faults: [...validatePodProbeMarker(object), ...(oldObject === undefined ? [] : validatePodProbeMarkerUpdate(object, oldObject))],
      warnings: podProbeMarkerWarnings(object),
    }),
  });
};
