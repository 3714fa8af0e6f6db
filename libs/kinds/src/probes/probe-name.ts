/** Names of probes in a NodePodProbe: `<PodProbeMarker>#<probe>`. @see spec/podprobemarker.md 2 */

export interface ProbeName {
  readonly marker: string;
  readonly probe: string;
}

export const formatProbeName = ({ marker, probe }: ProbeName): string => `${marker}#${probe}`;

/** Names of PodProbeMarkers hold no `#`; undefined for a text without one. */
export function parseProbeName(text: string): ProbeName | undefined {
  const at = text.indexOf('#');
  return at < 0 ? undefined : { marker: text.slice(0, at), probe: text.slice(at + 1) };
}
