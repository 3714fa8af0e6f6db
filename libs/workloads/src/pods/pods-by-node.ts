import type { Pod, Index } from '@kruise/objects';

/** Pods by the name of the node they are on; none for a Pod that is not scheduled. */
export const podsByNode: Index<Pod> = {
  name: 'node',
  valuesOf: ({ spec: { nodeName = '' } }) => (nodeName === '' ? [] : [nodeName]),
};
