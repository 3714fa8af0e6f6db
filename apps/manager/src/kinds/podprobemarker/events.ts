/** The event of a PodProbeMarker. */
import type { PodProbeMarker } from '@kruise/api';
import type { EventRecorder } from '@kruise/kube';

const namedNodes = 5;

/** @param nodes whose lists have no room for all probes of the marker, at least one */
export function leftOutMessage(nodes: readonly string[]): string {
  const named = nodes.slice(0, namedNodes).join(', ');
  const more = nodes.length > namedNodes ? ` and ${nodes.length - namedNodes} more nodes` : '';
  return `probes are omitted on ${named}${more}: with them, this namespace would exceed its share of the probes of a node. Use fewer or shorter probes`;
}

export const recordLeftOut = (recorder: EventRecorder, marker: PodProbeMarker, message: string): void =>
  recorder.event(marker, 'Warning', 'ProbesLeftOut', message);
