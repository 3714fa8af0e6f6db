/** NodePodProbe: declaration, types. */
export { declaration as nodePodProbeDeclaration, nodePodProbes } from './schema.ts';
export type { ContainerProbeState, NodePodProbe, NodePodProbeSpec, NodePodProbeStatus, PodProbe, PodProbeStatus } from './schema.ts';
