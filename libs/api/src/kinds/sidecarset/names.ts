/** Names on the wire that belong to SidecarSets alone. */

/** Label keys of SidecarSets alone. */
export const sidecarSetLabels = {
  /** On a revision of a SidecarSet: the SidecarSet. */
  name: 'kruise.io/sidecarset-name',
  /** On a v1alpha1 SidecarSet and on its revisions: the user's name of the version. */
  customVersion: 'apps.kruise.io/sidecarset-custom-version',
} as const;

/** Annotation keys of SidecarSets alone. */
export const sidecarSetAnnotations = {
  /** As {@link annotations.sidecarSetHash}, without the images. */
  hashWithoutImage: 'kruise.io/sidecarset-hash-without-image',
  /** On a Pod: sorted names of the injected SidecarSets, joined by commas. */
  injectedList: 'kruise.io/sidecarset-injected-list',
  /** On a Pod: JSON map of SidecarSet names to the state of their in-place update. */
  inPlaceUpdateState: 'kruise.io/sidecarset-inplace-update-state',
  /** On a Pod: JSON map of sidecar names to the container that is active. */
  workingHotUpgradeContainer: 'kruise.io/sidecarset-working-hotupgrade-container',
  /** On a Pod, followed by the container's name: version of a hot-upgrade container. */
  versionPrefix: 'version.sidecarset.kruise.io/',
  /** On a Pod, followed by the container's name: version of the other hot-upgrade container. */
  versionAltPrefix: 'versionalt.sidecarset.kruise.io/',
  /** On a SidecarSet, `true`: it is a canary of {@link sidecarSetAnnotations.base}. */
  canary: 'apps.kruise.io/sidecarset-canary',
  /** On a canary SidecarSet: name of the SidecarSet that it replaces. */
  base: 'apps.kruise.io/sidecarset-base',
} as const;

/** Environment variables in containers of users' Pods, of SidecarSets alone. */
export const sidecarSetEnvNames = {
  /** Injected into sidecars, `true`. */
  isInjected: 'IS_INJECTED',
} as const;

/** Key of the shared ConfigMap (`configuration`): the annotations that SidecarSets may patch. */
export const sidecarSetWhiteListKey = 'SidecarSet_PatchPodMetadata_WhiteList';
