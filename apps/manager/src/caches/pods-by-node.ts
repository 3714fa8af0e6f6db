import type { Pod } from '@kruise/objects';
import type { Index } from './caches.ts';

/** Pods by the name of the node they are on; none for a Pod that is not scheduled. */
export const podsByNode: Index<Pod> = {
  name: 'node',
  valuesOf: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};
