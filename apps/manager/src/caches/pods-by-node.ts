/** Pods by the node they are on: an index of the store that controllers share, so all name the same function. */
import type { Pod } from '@kruise/objects';

export const podsByNode = 'node';

/** The node's name; none for a Pod that is not scheduled. */
export function nodeNameOf(pod: Pod): readonly string[] {
  const { nodeName = '' } = pod.spec;
  return nodeName === '' ? [] : [nodeName];
}
