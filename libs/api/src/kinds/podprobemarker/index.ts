/** PodProbeMarker: declaration, types, validation. */
export { declaration, podProbeMarkers } from './schema.ts';
export type { PodContainerProbe, PodProbeMarker, PodProbeMarkerSpec, PodProbeMarkerStatus, ProbeMarkerPolicy } from './schema.ts';
export { podProbeMarkerWarnings, validatePodProbeMarker, validatePodProbeMarkerUpdate } from './validation.ts';
