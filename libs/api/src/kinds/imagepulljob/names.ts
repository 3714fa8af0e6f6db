/** Names on the wire that belong to ImagePullJobs alone. */

/** Annotation keys of ImagePullJobs alone. */
export const imagePullJobAnnotations = {
  /** On a synced pull secret: `<namespace>/<name>` of its source. */
  pullSecretSourceKey: 'imagepulljobs.kruise.io/source-key',
  /** On a synced pull secret: sorted `<namespace>/<job>` list of its users, joined by commas. */
  pullSecretReferences: 'imagepulljobs.kruise.io/references',
  /** On a synced pull secret: `batch`. */
  pullSecretMode: 'imagepulljobs.kruise.io/mode',
  /** On a pull secret synced by older versions: UID of its source. */
  pullSecretSourceUid: 'imagepulljobs.kruise.io/source-uid',
} as const;

/** The finalizer that the manager adds to ImagePullJobs. */
export const imagePullJobFinalizer = 'apps.kruise.io/deletion-protection';
