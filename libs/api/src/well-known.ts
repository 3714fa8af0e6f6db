/**
 * Names that other programs see and that more than one part of the project uses: API groups, labels, annotations, condition types, reasons,
 * environment variables, event sources and reasons. Keys, environment variables and the finalizer of only one kind are in its folder,
 * `kinds/<kind>/names.ts`.
 *
 * These are facts of the wire: a value here never changes, and is not written out anywhere else.
 */

/** API groups of the kinds. */
export const groups = { apps: 'apps.kruise.io', policy: 'policy.kruise.io' } as const;

/** The API version of references that we write (owner references, tags of NodeImages). References are compared only by group and kind. */
export const ownerApiVersion = 'apps.kruise.io/v1beta1';

/** Label keys, ours first, then those of Kubernetes that we read or write. */
export const labels = {
  /** On an object: `Always` or `Cascading`, see {@link deleteProtection}. */
  deleteProtection: 'policy.kruise.io/delete-protection',
  /** On a Pod, any value: the workload deletes this Pod next, within its budget. */
  specifiedDelete: 'apps.kruise.io/specified-delete',
  /** On a Pod: the lifecycle state. */
  lifecycleState: 'lifecycle.apps.kruise.io/state',
  /** On a revision, `true`: the jobs that pull its images ahead are created. */
  preDownloadCreated: 'apps.kruise.io/pre-predownload-created',
  /** On a revision, `true`: no images are pulled ahead for it. */
  preDownloadIgnored: 'apps.kruise.io/image-predownload-ignored',
  /** On a ContainerRecreateRequest: UID of its Pod. */
  recreatePodUid: 'crr.apps.kruise.io/pod-uid',
  /** On a ContainerRecreateRequest: the node of its Pod. */
  recreateNodeName: 'crr.apps.kruise.io/node-name',
  /** On a ContainerRecreateRequest, `true` until it is completed. */
  recreateActive: 'crr.apps.kruise.io/active',

  /** On Pods: their revision (the form depends on the workload); on ImageListPullJobs and their children: hash of the template. */
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
  /** On Nodes: `virtual-kubelet` for nodes without a kubelet and daemon. */
  nodeType: 'type',
  /** On Namespaces: their own name. */
  namespaceName: 'kubernetes.io/metadata.name',
  /** On Namespaces whose Pods the Pod webhooks ignore. */
  controlPlane: 'control-plane',
} as const;

/** Annotation keys, ours first, then those of Kubernetes that we read or write. */
export const annotations = {
  /** On a Pod: JSON of the running in-place update. */
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
  /** In an image pull request to the runtime: the program that pulls. */
  pullingImageBy: 'apps.kruise.io/pulling-image-by',
  /** On a CloneSet's revision: hash of its claim templates. */
  cloneSetVolumeClaimTemplateHash: 'kruise.io/cloneset-volumeclaimtemplate-hash',
  /**
   * On a revision of another writer, which lacks members of the template: hash of the whole template that it represents. Only of this project: other
   * programs neither write nor read it.
   */
  revisionStandsFor: 'apps.kruise.io/revision-stands-for',
  /** On a Pod with the label `specified-delete` that its workload set: the revision that it must be recreated for. */
  specifiedDeleteFor: 'apps.kruise.io/specified-delete-for',
  /** On a workload: how many nodes pull ahead at a time. */
  preDownloadParallelism: 'apps.kruise.io/image-predownload-parallelism',
  /** On a workload: seconds one pull ahead may take. */
  preDownloadTimeoutSeconds: 'apps.kruise.io/image-predownload-timeout-seconds',
  /** On a workload: updated and ready Pods to wait for before pulling ahead. */
  preDownloadMinUpdatedReadyPods: 'apps.kruise.io/image-predownload-min-updated-ready-pods',
  /** On a workload: ConfigMaps and Secrets whose content is part of its revision, as `configmap/a, secret/b, configmap/c?`. Only of this project. */
  configRollout: 'apps.kruise.io/config-rollout',
  /** In a template, on a Pod: hash of the contents that {@link annotations.configRollout} names. Only of this project. */
  configHash: 'apps.kruise.io/config-hash',
  /** On the v1alpha1 form of an object: JSON of the members that only v1beta1 has. */
  hubMembers: 'apps.kruise.io/v1beta1-members',

  /** On a Pod, `Ordered`: containers start in the order of the list. */
  containerLaunchPriority: 'apps.kruise.io/container-launch-priority',
  /** On a Pod, `true`: all launch levels are released. */
  containerLaunchPriorityCompleted: 'apps.kruise.io/container-launch-priority-completed',
  /**
   * On a Pod: how often the request that ends its sidecars was recreated; on that request: which repetition it is. Only of this project: other
   * programs neither write nor read it.
   */
  sidecarTerminationRepeats: 'apps.kruise.io/sidecar-termination-repeats',
  /** On a Pod, `true`: the daemon runs its liveness probes. */
  usingEnhancedLiveness: 'apps.kruise.io/using-enhanced-liveness',
  /** On a Pod: JSON of the liveness probes that the daemon runs. */
  containerProbeContext: 'apps.kruise.io/container-probe-context',

  /** On a SidecarSet: hash of its containers; on a Pod: JSON map of SidecarSet names to what was injected. */
  sidecarSetHash: 'kruise.io/sidecarset-hash',

  /** On our webhook configurations: JSON of the webhooks as the installer applied them. */
  webhookTemplate: 'template',

  /** On a Pod: the greater, the later a ReplicaSet deletes it. */
  podDeletionCost: 'controller.kubernetes.io/pod-deletion-cost',
  /** On a Deployment: number of its revision. */
  deploymentRevision: 'deployment.kubernetes.io/revision',
  /** On a DaemonSet: generation of its template. */
  deprecatedDaemonSetTemplateGeneration: 'deprecated.daemonset.template.generation',
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
  /** Of a CloneSet, only while something blocks its progress; the original has no such condition. */
  blocked: 'Blocked',
  /** Of workloads, with the gate KStatusConditions: work is left to do. */
  reconciling: 'Reconciling',
  /** Of workloads, with the gate KStatusConditions: something must be repaired first. */
  stalled: 'Stalled',
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
  /** Injected: delays the container until its level is released. */
  containerBarrier: 'KRUISE_CONTAINER_BARRIER',
  /** Injected into hot-upgrade sidecars. */
  sidecarSetVersion: 'SIDECARSET_VERSION',
  /** Injected into hot-upgrade sidecars. */
  sidecarSetVersionAlt: 'SIDECARSET_VERSION_ALT',
  /** Set by the user, `true`: the container ends when the main containers of its job have ended. */
  terminateSidecarWhenJobExit: 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT',
  /** Set by the user: the image with which a sidecar on a virtual node ends. */
  terminateSidecarWhenJobExitWithImage: 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT_WITH_IMAGE',
  /** Set by the user, `true`: the sidecar's exit code is ignored. */
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

/** Value of {@link labels.nodeType} on nodes without a kubelet and daemon. */
export const virtualKubelet = 'virtual-kubelet';

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
export const configuration = { name: 'kruise-configuration' } as const;

/** Namespaces that are used when the environment names no others. */
export const defaultNamespaces = { manager: 'kruise-system', daemonConfig: 'kruise-daemon-config' } as const;

/** Names of the objects of an installation, in the manager's namespace if they have one (spec/manager.md 1.1). */
export const objectNames = {
  managerDeployment: 'kruise-controller-manager',
  daemonSet: 'kruise-daemon',
  webhookService: 'kruise-webhook-service',
  webhookSecret: 'kruise-webhook-certs',
  mutatingWebhooks: 'kruise-mutating-webhook-configuration',
  validatingWebhooks: 'kruise-validating-webhook-configuration',
  managerLease: 'kruise-manager',
} as const;

/** The user agents of the processes, alone or followed by `/` and a controller; also their name in managed fields. */
export const userAgents = { manager: 'kruise-manager', daemon: 'kruise-daemon' } as const;

/** Names of the controllers of features, which have no kind: metric label, log field and event source. Those of kinds are in their declarations. */
export const controllerNames = {
  containerLaunchPriority: 'container-launch-priority-controller',
  podReadiness: 'pod-readiness-controller',
  sidecarTerminator: 'sidecarterminator-controller',
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

/** The writers of keys in the message of the condition KruisePodReady (spec/inplace-update.md 9). */
export const podReadinessWriters = { lifecycle: 'Lifecycle', containerRecreateRequest: 'ContainerRecreateRequest' } as const;

/** Reasons of events; two of them contain blanks. */
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
  budgetRefuses: 'BudgetRefuses',
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
  failedLaunchPriority: 'FailedLaunchPriority',
  failedPodReadiness: 'FailedPodReadiness',
  leaderElection: 'LeaderElection',
} as const;
