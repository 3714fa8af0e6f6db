/** PodProbeMarker: declaration, types. */
export { declaration, podProbeMarkers } from './schema.ts';
export type { PodContainerProbe, PodProbeMarker, PodProbeMarkerSpec, PodProbeMarkerStatus, ProbeMarkerPolicy } from './schema.ts';
