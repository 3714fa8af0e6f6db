/**
 * Names that other programs see and that more than one part of the project uses: API groups, labels, annotations, finalizers,
 * condition types, reasons, environment variables, event sources and reasons, keys of the shared ConfigMap.
 *
 * These are facts of the wire: a value here never changes, and nobody writes one out a second time.
 */

/** API groups of the kinds. */
export const groups = { apps: 'apps.kruise.io', policy: 'policy.kruise.io' } as const;

/** The API version that references we write carry (owner references, tags of NodeImages). References are compared by group and kind only. */
export const ownerApiVersion = 'apps.kruise.io/v1beta1';

/** Label keys, ours first, then those of Kubernetes that we read or write. */
export const labels = {
  /** On an object: `Always` or `Cascading`, see {@link deleteProtection}. */
  deleteProtection: 'policy.kruise.io/delete-protection',
  /** On a Pod, any value: the workload is to delete this Pod next, within its budget. */
  specifiedDelete: 'apps.kruise.io/specified-delete',
  /** On a Pod: the lifecycle state. */
  lifecycleState: 'lifecycle.apps.kruise.io/state',
  /** On a Pod, as the start of the key, any value: a PodUnavailableBudget counts the Pod as unavailable. */
  unavailablePodPrefix: 'unavailable-pod.kruise.io/',
  /** On Pods and claims of a CloneSet: the five characters that tie them together. */
  cloneSetInstanceId: 'apps.kruise.io/cloneset-instance-id',
  /** On a v1alpha1 CloneSet, `true`: Pods in PreparingDelete do not count as replicas. */
  cloneSetScalingExcludePreparingDelete: 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete',
  /** On a revision, `true`: the jobs that pull its images ahead are made. */
  preDownloadCreated: 'apps.kruise.io/pre-predownload-created',
  /** On a revision, `true`: no images are pulled ahead for it. */
  preDownloadIgnored: 'apps.kruise.io/image-predownload-ignored',
  /** On a NodeImage: keep it although no Node has its name. */
  fakeNodeImage: 'apps.kruise.io/fake-nodeimage',
  /** On a child of a UnitedDeployment and on its Pods: the subset. */
  subsetName: 'apps.kruise.io/subset-name',
  /** On a child of a UnitedDeployment and on its Pods: name of the UnitedDeployment's revision. */
  unitedDeploymentRevision: 'apps.kruise.io/controller-revision-hash',
  /** On Pods of a UnitedDeployment that reserves: `true` or `false`. */
  unitedDeploymentReservedPod: 'apps.kruise.io/united-deployment-reserved-pod',
  /** On a revision of a SidecarSet: the SidecarSet. */
  sidecarSetName: 'kruise.io/sidecarset-name',
  /** On a v1alpha1 SidecarSet and on its revisions: the user's name of the version. */
  sidecarSetCustomVersion: 'apps.kruise.io/sidecarset-custom-version',
  /** On a ContainerRecreateRequest: UID of its Pod. */
  recreatePodUid: 'crr.apps.kruise.io/pod-uid',
  /** On a ContainerRecreateRequest: the node of its Pod. */
  recreateNodeName: 'crr.apps.kruise.io/node-name',
  /** On a ContainerRecreateRequest, `true` until it is completed. */
  recreateActive: 'crr.apps.kruise.io/active',
  /** On Pods of a BroadcastJob: its name. */
  broadcastJobName: 'broadcastjob-name',
  /** On Pods of a BroadcastJob: its UID. */
  broadcastJobControllerUid: 'broadcastjob-controller-uid',

  /** On Pods: their revision (which form depends on the workload); on ImageListPullJobs and their children: hash of the template. */
  controllerRevisionHash: 'controller-revision-hash',
  /** On ControllerRevisions: hash of their data. */
  revisionDataHash: 'controller.kubernetes.io/hash',
  /** On Pods: short revision hash. */
  podTemplateHash: 'pod-template-hash',
  /** On Pods of DaemonSets: generation of the template. */
  podTemplateGeneration: 'pod-template-generation',
  /** On Pods of StatefulSets: their own name. */
  statefulSetPodName: 'statefulset.kubernetes.io/pod-name',
  /** On Pods of StatefulSets: their ordinal. */
  podIndex: 'apps.kubernetes.io/pod-index',
  /** On Nodes: `virtual-kubelet` for nodes without a kubelet and daemon of their own. */
  nodeType: 'type',
  /** On Namespaces: their own name. */
  namespaceName: 'kubernetes.io/metadata.name',
  /** On Namespaces whose Pods the Pod webhooks leave alone. */
  controlPlane: 'control-plane',
} as const;

/** Annotation keys, ours first, then those of Kubernetes that we read or write. */
export const annotations = {
  /** On a Pod: JSON of the in-place update under way. */
  inPlaceUpdateState: 'apps.kruise.io/inplace-update-state',
  /** On a Pod: JSON of the in-place update that waits for its grace period. */
  inPlaceUpdateGrace: 'apps.kruise.io/inplace-update-grace',
  /** Old key of {@link annotations.inPlaceUpdateState}: read, and removed when the new one is written. */
  legacyInPlaceUpdateState: 'inplace-update-state',
  /** Old key of {@link annotations.inPlaceUpdateGrace}: read, and removed when the new one is written. */
  legacyInPlaceUpdateGrace: 'inplace-update-grace',
  /** On a Pod: RFC 3339 time of the last change of the lifecycle state. */
  lifecycleTimestamp: 'lifecycle.apps.kruise.io/timestamp',
  /** On a Pod, written by the daemon: JSON about its running containers. */
  runtimeContainersMeta: 'apps.kruise.io/runtime-containers-meta',
  /** In an image pull request to the runtime: who pulls. */
  pullingImageBy: 'apps.kruise.io/pulling-image-by',
  /** On a CloneSet's revision: hash of its claim templates. */
  cloneSetVolumeClaimTemplateHash: 'kruise.io/cloneset-volumeclaimtemplate-hash',
  /** On a workload: how many nodes pull ahead at a time. */
  preDownloadParallelism: 'apps.kruise.io/image-predownload-parallelism',
  /** On a workload: seconds one pull ahead may take. */
  preDownloadTimeoutSeconds: 'apps.kruise.io/image-predownload-timeout-seconds',
  /** On a workload: updated and ready Pods to wait for before pulling ahead. */
  preDownloadMinUpdatedReadyPods: 'apps.kruise.io/image-predownload-min-updated-ready-pods',
  /** On a claim: the StatefulSet that resized it. */
  ownedByAdvancedStatefulSet: 'apps.kruise.io/owned-by-asts',
  /** On the v1alpha1 form of an object: JSON of the members that only v1beta1 has. */
  hubMembers: 'apps.kruise.io/v1beta1-members',
  /** On a v1alpha1 DaemonSet, `true`: the partition holds for creation too. */
  daemonSetProgressiveCreatePod: 'daemonset.kruise.io/progressive-create-pod',
  /** On a child of a UnitedDeployment: the patch of its subset as compact JSON. */
  subsetPatch: 'apps.kruise.io/subset-patch',
  /** On a child of an AdvancedCronJob: RFC 3339 time it was scheduled for. */
  scheduledAt: 'apps.kruise.io/scheduled-at',

  /** On a Pod, `Ordered`: containers start in the order of the list. */
  containerLaunchPriority: 'apps.kruise.io/container-launch-priority',
  /** On a Pod, `true`: all launch levels are released. */
  containerLaunchPriorityCompleted: 'apps.kruise.io/container-launch-priority-completed',
  /**
   * On a Pod: how often the request that ends its sidecars was made anew; on that request: of which repetition it is. Of this project alone:
   * others neither write nor read it.
   */
  sidecarTerminationRepeats: 'apps.kruise.io/sidecar-termination-repeats',
  /** On a Pod, `true`: its liveness probes are taken over. */
  usingEnhancedLiveness: 'apps.kruise.io/using-enhanced-liveness',
  /** On a Pod: JSON of the liveness probes that were taken over. */
  containerProbeContext: 'apps.kruise.io/container-probe-context',

  /** On a SidecarSet: hash of its containers; on a Pod: JSON map of SidecarSet names to what was injected. */
  sidecarSetHash: 'kruise.io/sidecarset-hash',
  /** As {@link annotations.sidecarSetHash}, with all images blanked. */
  sidecarSetHashWithoutImage: 'kruise.io/sidecarset-hash-without-image',
  /** On a Pod: sorted names of the injected SidecarSets, joined by commas. */
  sidecarSetInjectedList: 'kruise.io/sidecarset-injected-list',
  /** On a Pod: JSON map of SidecarSet names to the state of their in-place update. */
  sidecarSetInPlaceUpdateState: 'kruise.io/sidecarset-inplace-update-state',
  /** On a Pod: JSON map of sidecar names to the container that works. */
  sidecarSetWorkingHotUpgradeContainer: 'kruise.io/sidecarset-working-hotupgrade-container',
  /** On a Pod, followed by the container's name: version of a hot-upgrade container. */
  sidecarSetVersionPrefix: 'version.sidecarset.kruise.io/',
  /** On a Pod, followed by the container's name: version of the other hot-upgrade container. */
  sidecarSetVersionAltPrefix: 'versionalt.sidecarset.kruise.io/',
  /** On a SidecarSet, `true`: it is a canary of {@link annotations.sidecarSetBase}. */
  sidecarSetCanary: 'apps.kruise.io/sidecarset-canary',
  /** On a canary SidecarSet: name of the SidecarSet it stands in for. */
  sidecarSetBase: 'apps.kruise.io/sidecarset-base',

  /** On a Pod: JSON with WorkloadSpread and subset. */
  matchedWorkloadSpread: 'apps.kruise.io/matched-workloadspread',
  /** On a WorkloadSpread, `true`: Pods that were there before are not patched. */
  workloadSpreadIgnorePatchExistingPods: 'workloadspread.kruise.io/ignore-patch-existing-pods-metadata',

  /** On a v1alpha1 ContainerRecreateRequest: JSON list of the containers' states. */
  recreateSyncContainerStatuses: 'crr.apps.kruise.io/sync-container-statuses',
  /** On a v1alpha1 ContainerRecreateRequest: RFC 3339 time since when its Pod is held not ready. */
  recreateUnreadyAcquired: 'crr.apps.kruise.io/unready-acquired',

  /** On a synced pull secret: `<namespace>/<name>` of its source. */
  pullSecretSourceKey: 'imagepulljobs.kruise.io/source-key',
  /** On a synced pull secret: sorted `<namespace>/<job>` list of its users, joined by commas. */
  pullSecretReferences: 'imagepulljobs.kruise.io/references',
  /** On a synced pull secret: `batch`. */
  pullSecretMode: 'imagepulljobs.kruise.io/mode',
  /** On a pull secret synced by older versions: UID of its source. */
  pullSecretSourceUid: 'imagepulljobs.kruise.io/source-uid',

  /** On a workload, `true`: make a PersistentPodState for it. */
  autoGeneratePersistentPodState: 'kruise.io/auto-generate-persistent-pod-state',
  /** On a workload: node label keys that must stay, joined by commas. */
  requiredPersistentTopology: 'kruise.io/required-persistent-topology',
  /** On a workload: node label keys that should stay, joined by commas. */
  preferredPersistentTopology: 'kruise.io/preferred-persistent-topology',
  /** On a workload: Pod annotation keys to keep, joined by commas. */
  persistentPodAnnotations: 'kruise.io/persistent-pod-annotations',
  /** On a Pod: the PersistentPodState that steered it. */
  injectedPersistentPodState: 'kruise.io/injected-persistent-pod-state',

  /** On a Pod for serverless nodes: JSON list of its probes. */
  podProbe: 'kruise.io/podprobe',
  /** On a Pod for serverless nodes: names of its PodProbeMarkers, joined by commas. */
  podProbeMarkerList: 'kruise.io/podprobemarker-list',

  /** On a Pod: name of its PodUnavailableBudget. */
  relatedPub: 'pub.kruise.io/related-pub',
  /** Old key of {@link annotations.relatedPub}; both are always written together. */
  legacyRelatedPub: 'kruise.io/related-pub',
  /** On a Pod, true: no PodUnavailableBudget protects it. */
  pubNoProtect: 'pub.kruise.io/no-protect',
  /** On a PodUnavailableBudget, old form of `spec.protectOperations`: operations joined by commas. */
  pubProtectOperations: 'kruise.io/pub-protect-operations',
  /** On a PodUnavailableBudget, old form of `spec.protectTotalReplicas`: a number. */
  pubProtectTotalReplicas: 'pub.kruise.io/protect-total-replicas',

  /** On a distributed ConfigMap or Secret: the ResourceDistribution it comes from. */
  resourceDistributionFrom: 'kruise.io/resourcedistribution.resource.from',
  /** On a distributed ConfigMap or Secret: hash of the distributed resource. */
  resourceDistributionHash: 'kruise.io/resourcedistribution.resource.hashcode',

  /** On our webhook configurations: JSON of the webhooks as the installer applied them. */
  webhookTemplate: 'template',

  /** On a Pod: the greater, the later a ReplicaSet deletes it. */
  podDeletionCost: 'controller.kubernetes.io/pod-deletion-cost',
  /** On a Deployment: number of its revision. */
  deploymentRevision: 'deployment.kubernetes.io/revision',
  /** On a DaemonSet: generation of its template. */
  deprecatedDaemonSetTemplateGeneration: 'deprecated.daemonset.template.generation',
} as const;

/** Finalizers that we put on objects. */
export const finalizers = {
  /** On an EphemeralJob. */
  ephemeralContainersCleanup: 'apps.kruise.io/ephemeralcontainers-cleanup',
  /** On a PodProbeMarker. */
  nodePodProbeCleanup: 'kruise.io/node-pod-probe-cleanup',
  /** On an ImagePullJob. */
  deletionProtection: 'apps.kruise.io/deletion-protection',
  /** On a ContainerRecreateRequest that holds its Pod not ready. */
  recreateUnreadyAcquired: 'crr.apps.kruise.io/unready-acquired',
} as const;

/** Condition types of Pods; the first two are readiness gates as well. */
export const podConditions = {
  inPlaceUpdateReady: 'InPlaceUpdateReady',
  kruisePodReady: 'KruisePodReady',
  sidecarSetUpgradable: 'SidecarSetUpgradable',
  sidecarTerminated: 'SidecarTerminated',
  ready: 'Ready',
  containersReady: 'ContainersReady',
  podScheduled: 'PodScheduled',
  initialized: 'Initialized',
} as const;

/** Reasons in Pod conditions. */
export const podConditionReasons = {
  startInPlaceUpdate: 'StartInPlaceUpdate',
  readinessGatesNotReady: 'ReadinessGatesNotReady',
  allSidecarSetsUpgradable: 'AllSidecarsetUpgradable',
  updateImmutableField: 'UpdateImmutableField',
  unschedulable: 'Unschedulable',
} as const;

/** Condition types of our kinds. */
export const conditionTypes = {
  progressing: 'Progressing',
  failedScale: 'FailedScale',
  failedUpdate: 'FailedUpdate',
  /** Of a CloneSet, there only while something keeps it from getting on; the original has no such condition. */
  blocked: 'Blocked',
  failedCreatePod: 'FailedCreatePod',
  failedUpdatePod: 'FailedUpdatePod',
  complete: 'Complete',
  failed: 'Failed',
  initialized: 'Initialized',
  jobSucceeded: 'JobSucceeded',
  jobFailed: 'JobFailed',
  jobError: 'JobError',
  matchedEmpty: 'MatchedEmpty',
  preRecreateGrace: 'PreRecreateGrace',
  schedulable: 'Schedulable',
  unitedDeploymentUpdated: 'UnitedDeploymentUpdated',
  subsetProvisioned: 'SubsetProvisioned',
  subsetUpdated: 'SubsetUpdated',
  subsetFailure: 'SubsetFailure',
  getResourceFailed: 'GetResourceFailed',
  createResourceFailed: 'CreateResourceFailed',
  updateResourceFailed: 'UpdateResourceFailed',
  deleteResourceFailed: 'DeleteResourceFailed',
  conflictOccurred: 'ConflictOccurred',
  namespaceNotExists: 'NamespaceNotExists',
} as const;

/** Reasons in conditions of our kinds. */
export const conditionReasons = {
  cloneSetUpdated: 'CloneSetUpdated',
  cloneSetAvailable: 'CloneSetAvailable',
  cloneSetPaused: 'CloneSetPaused',
  progressPartitionAvailable: 'ProgressPartitionAvailable',
  progressDeadlineExceeded: 'ProgressDeadlineExceeded',
  sufficient: 'Sufficient',
  podUnschedulable: 'PodUnschedulable',
  preRecreateGrace: 'PreRecreateGrace',
  unitedDeploymentRevisionUpdated: 'UnitedDeploymentRevisionUpdated',
  unitedDeploymentRevisionUpdating: 'UnitedDeploymentRevisionUpdating',
  error: 'Error',
  succeeded: 'Succeeded',
  unknown: 'Unknown',
  initialized: 'Initialized',
  jobSucceeded: 'JobSucceeded',
  jobFailed: 'JobFailed',
  createFailed: 'CreateFailed',
  deadlineExceeded: 'DeadlineExceeded',
  matchEmpty: 'MatchEmpty',
} as const;

/** Environment variables in containers of users' Pods. */
export const envNames = {
  /** Set by the user: the higher, the earlier the container starts. */
  containerPriority: 'KRUISE_CONTAINER_PRIORITY',
  /** Injected: holds the container back until its level is released. */
  containerBarrier: 'KRUISE_CONTAINER_BARRIER',
  /** Injected into sidecars, `true`. */
  isInjected: 'IS_INJECTED',
  /** Injected into hot-upgrade sidecars. */
  sidecarSetVersion: 'SIDECARSET_VERSION',
  /** Injected into hot-upgrade sidecars. */
  sidecarSetVersionAlt: 'SIDECARSET_VERSION_ALT',
  /** Injected into ephemeral containers: UID of the EphemeralJob. */
  ephemeralJobId: 'KRUISE_EJOB_ID',
  /** Set by the user, `true`: the container ends when the main containers of its job have. */
  terminateSidecarWhenJobExit: 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT',
  /** Set by the user: the image that lets a sidecar on a virtual node end. */
  terminateSidecarWhenJobExitWithImage: 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT_WITH_IMAGE',
  /** Set by the user, `true`: the sidecar's exit code does not count. */
  terminateSidecarIgnoreExitCode: 'KRUISE_TERMINATE_SIDECAR_IGNORE_EXIT_CODE',
} as const;

/** Environment variables that configure our own processes. */
export const processEnv = {
  podNamespace: 'POD_NAMESPACE',
  nodeName: 'NODE_NAME',
  daemonConfigNamespace: 'KRUISE_DAEMON_CONFIG_NS',
  webhookHost: 'WEBHOOK_HOST',
  webhookPort: 'WEBHOOK_PORT',
  webhookCertDir: 'WEBHOOK_CERT_DIR',
  webhookCertWriter: 'WEBHOOK_CERT_WRITER',
  secretName: 'SECRET_NAME',
  serviceName: 'SERVICE_NAME',
  certsRenewBefore: 'CERTS_RENEW_BEFORE',
  customResourceEnable: 'CUSTOM_RESOURCE_ENABLE',
} as const;

/** Values of {@link labels.deleteProtection}; others have no effect. */
export const deleteProtection = { always: 'Always', cascading: 'Cascading' } as const;

/** Value of {@link labels.nodeType} on nodes without a kubelet and daemon of their own. */
export const virtualKubelet = 'virtual-kubelet';

/** The subset of Pods that fit no other one of their WorkloadSpread; never in a status. */
export const workloadSpreadFakeSubset = 'kruise.io/workloadspread-fake-subset-name';

/** Value of {@link annotations.containerLaunchPriority}. */
export const orderedLaunch = 'Ordered';

/** Values of {@link labels.lifecycleState}. */
export const lifecycleStates = {
  preparingNormal: 'PreparingNormal',
  normal: 'Normal',
  preparingUpdate: 'PreparingUpdate',
  updating: 'Updating',
  updated: 'Updated',
  preparingDelete: 'PreparingDelete',
} as const;

/** The ConfigMap with settings that are read while the manager runs, in the manager's namespace; its values are JSON with case-insensitive keys. */
export const configuration = {
  name: 'kruise-configuration',
  sidecarSetPatchMetadataWhiteList: 'SidecarSet_PatchPodMetadata_WhiteList',
  persistentPodStateWhiteList: 'PPS_Watch_Custom_Workload_WhiteList',
  workloadSpreadWhiteList: 'WorkloadSpread_Watch_Custom_Workload_WhiteList',
} as const;

/** Namespaces that are used when the environment names no others. */
export const defaultNamespaces = { manager: 'kruise-system', daemonConfig: 'kruise-daemon-config' } as const;

/** Names of the objects that an installation is made of, in the manager's namespace where they have one (spec/manager.md 1.1). */
export const objectNames = {
  managerDeployment: 'kruise-controller-manager',
  daemonSet: 'kruise-daemon',
  webhookService: 'kruise-webhook-service',
  webhookSecret: 'kruise-webhook-certs',
  mutatingWebhooks: 'kruise-mutating-webhook-configuration',
  validatingWebhooks: 'kruise-validating-webhook-configuration',
  managerLease: 'kruise-manager',
} as const;

/** How the processes call themselves to the API server, alone or followed by `/` and a controller; also their name in managed fields. */
export const userAgents = { manager: 'kruise-manager', daemon: 'kruise-daemon' } as const;

/** Names of the controllers: metric label, log field and event source. */
export const controllerNames = {
  advancedCronJob: 'advancedcronjob-controller',
  broadcastJob: 'broadcastjob-controller',
  cloneSet: 'cloneset-controller',
  containerLaunchPriority: 'container-launch-priority-controller',
  containerRecreateRequest: 'containerrecreaterequest-controller',
  daemonSet: 'daemonset-controller',
  ephemeralJob: 'ephemeraljob-controller',
  imageListPullJob: 'imagelistpulljob-controller',
  imagePullJob: 'imagepulljob-controller',
  nodeImage: 'nodeimage-controller',
  nodePodProbe: 'NodePodProbe-controller',
  persistentPodState: 'persistentpodstate-controller',
  podProbeMarker: 'PodProbeMarker-controller',
  podReadiness: 'pod-readiness-controller',
  podUnavailableBudget: 'podunavailablebudget-controller',
  resourceDistribution: 'resourcedistribution-controller',
  sidecarSet: 'sidecarset-controller',
  sidecarTerminator: 'sidecarterminator-controller',
  statefulSet: 'statefulset-controller',
  unitedDeployment: 'uniteddeployment-controller',
  workloadSpread: 'workloadspread-controller',
} as const;

/** Event sources that are not controllers. */
export const eventSources = {
  /** Admission of Pod operations by PodUnavailableBudgets. */
  pubAdmission: 'pub-controller',
  imagePuller: 'kruise-daemon-imagepuller',
  containerRecreate: 'kruise-daemon-crr',
  containerMeta: 'kruise-daemon-containermeta',
  podProbe: 'kruise-daemon-podprobe',
} as const;

/** Who writes keys into the message of the condition KruisePodReady (spec/inplace-update.md 9). */
export const podReadinessWriters = { lifecycle: 'Lifecycle', containerRecreateRequest: 'ContainerRecreateRequest' } as const;

/** Reasons of events; two of them hold blanks. */
export const eventReasons = {
  successfulCreate: 'SuccessfulCreate',
  failedCreate: 'FailedCreate',
  successfulDelete: 'SuccessfulDelete',
  failedDelete: 'FailedDelete',
  successfulUpdate: 'SuccessfulUpdate',
  failedUpdate: 'FailedUpdate',
  scaleUpLimited: 'ScaleUpLimited',
  successfulUpdatePodInPlace: 'SuccessfulUpdatePodInPlace',
  failedUpdatePodInPlace: 'FailedUpdatePodInPlace',
  successfulUpdatePodReCreate: 'SuccessfulUpdatePodReCreate',
  failedUpdatePodReCreate: 'FailedUpdatePodReCreate',
  createdImagePullJob: 'CreatedImagePullJob',
  failedCreateImagePullJob: 'FailedCreateImagePullJob',
  successfulResize: 'SuccessfulResize',
  failedResize: 'FailedResize',
  failedUpdatePvc: 'FailedUpdatePVC',
  selectingAll: 'SelectingAll',
  failedDaemonPod: 'FailedDaemonPod',
  failedRevisionProvision: 'FailedRevisionProvision',
  failedFindSubsets: 'FailedFindSubsets',
  failedFindSubsetsOfRound: 'Failed FindSubsets',
  failedDeleteDuplicatedSubsets: 'FailedDeleteDuplicatedSubsets',
  failedSpecifySubsetReplicas: 'Failed SpecifySubsetReplicas',
  failedUpdateSubset: 'FailedUpdateSubset',
  successfulUpdateSubset: 'SuccessfulUpdateSubset',
  duplicatePodCreatedOnSameNode: 'DuplicatePodCreatedOnSameNode',
  tooManyActivePods: 'TooManyActivePods',
  continued: 'Continue',
  paused: 'Paused',
  failedPodFound: 'failed pod is found',
  deadlineExceeded: 'DeadlineExceeded',
  jobComplete: 'JobComplete',
  sawCompletedJob: 'SawCompletedJob',
  tooManyMissedTimes: 'TooManyMissedTimes',
  unparseableSchedule: 'UnparseableSchedule',
  missSchedule: 'MissSchedule',
  jobAlreadyActive: 'JobAlreadyActive',
  notUpgradablePods: 'NotUpgradablePods',
  resetContainerSucceed: 'ResetContainerSucceed',
  resetContainerFailed: 'ResetContainerFailed',
  createPodFailed: 'CreatePodFailed',
  deletePodFailed: 'DeletePodFailed',
  recoverSchedulable: 'RecoverSchedulable',
  patchPodDeletionCostFailed: 'PatchPodDeletionCostFailed',
  killing: 'Killing',
  failedPreStopHook: 'FailedPreStopHook',
  createFailed: 'CreateFailed',
  removeFailed: 'RemoveFailed',
  pullImageSucceed: 'PullImageSucceed',
  pullImageFailed: 'PullImageFailed',
  createdImagePullJobs: 'Successful create ImagePullJob',
  deletedImagePullJobs: 'Successful delete ImagePullJob',
  kruiseProbeSucceeded: 'KruiseProbeSucceeded',
  kruiseProbeFailed: 'KruiseProbeFailed',
  noPods: 'NoPods',
  calculateExpectedPodCountFailed: 'CalculateExpectedPodCountFailed',
  pubPreventPodDeletion: 'PubPreventPodDeletion',
  notDeleted: 'NotDeleted',
  sidecarTerminator: 'SidecarTerminator',
  sidecarTerminatorUnsupported: 'SidecarTerminatorUnsupported',
  sidecarTerminatorFailed: 'SidecarTerminatorFailed',
  leaderElection: 'LeaderElection',
} as const;
