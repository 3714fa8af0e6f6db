/** Names on the wire that belong to StatefulSets alone. */

/** Annotation keys of StatefulSets alone. */
export const statefulSetAnnotations = {
  /** On a claim: the StatefulSet that resized it. */
  ownedBy: 'apps.kruise.io/owned-by-asts',
} as const;
