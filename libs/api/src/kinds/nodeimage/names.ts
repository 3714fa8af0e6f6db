/** Names on the wire that belong to NodeImages alone. */

/** Label keys of NodeImages alone. */
export const nodeImageLabels = {
  /** On a NodeImage: it is kept although no Node has its name. */
  fake: 'apps.kruise.io/fake-nodeimage',
} as const;
