/** PodProbeMarker: declaration, types, validation. */
export { podProbeMarkerAnnotations, podProbeMarkerFinalizer } from './names.ts';
export { declaration as podProbeMarkerDeclaration, podProbeMarkers } from './schema.ts';
export type { PodContainerProbe, PodProbeMarker, PodProbeMarkerSpec, PodProbeMarkerStatus, ProbeMarkerPolicy } from './schema.ts';
export { podProbeMarkerWarnings, validatePodProbeMarker, validatePodProbeMarkerUpdate } from './validation.ts';
