/** The 18 kinds: types, schema, CRDs, conversion; the names on the wire; the feature gates. */
export { convertObject, converters, inHub } from './convert.ts';
export { allConverters, allKinds } from './kinds/index.ts';
export {
  advancedCronJobAnnotations,
  advancedCronJobConverter,
  advancedCronJobDeclaration,
  advancedCronJobObstacle,
  advancedCronJobs,
  advancedCronJobsV1Alpha1,
  advancedCronJobWarnings,
  defaultAdvancedCronJob,
  validateAdvancedCronJob,
  validateAdvancedCronJobUpdate,
} from './kinds/advancedcronjob/index.ts';
export type {
  AdvancedCronJob,
  AdvancedCronJobSpec,
  AdvancedCronJobSpecV1Alpha1,
  AdvancedCronJobStatus,
  AdvancedCronJobV1Alpha1,
  AdvancedCronJobValidation,
  ScheduleRules,
} from './kinds/advancedcronjob/index.ts';
export {
  broadcastJobConverter,
  broadcastJobDeclaration,
  broadcastJobLabels,
  broadcastJobObstacle,
  broadcastJobs,
  broadcastJobsV1Alpha1,
  broadcastJobWarnings,
  defaultBroadcastJob,
  parallelPods,
  validateBroadcastJob,
} from './kinds/broadcastjob/index.ts';
export type {
  BroadcastJob,
  BroadcastJobSpec,
  BroadcastJobStatus,
  BroadcastJobV1Alpha1,
  BroadcastJobValidation,
  BroadcastJobWarningOptions,
} from './kinds/broadcastjob/index.ts';
export {
  cloneSetConverter,
  cloneSetDeclaration,
  cloneSetLabels,
  cloneSetObstacle,
  cloneSets,
  cloneSetsV1Alpha1,
  cloneSetWarnings,
  defaultCloneSet,
  normalizeCloneSetTemplate,
  validateCloneSet,
  validateCloneSetUpdate,
} from './kinds/cloneset/index.ts';
export type {
  CloneSet,
  CloneSetDefaulting,
  CloneSetSpec,
  CloneSetSpecV1Alpha1,
  CloneSetStatus,
  CloneSetV1Alpha1,
  CloneSetValidation,
  CloneSetVersion,
  CloneSetWarningOptions,
} from './kinds/cloneset/index.ts';
export {
  aimContainerRecreateRequest,
  containerRecreateRequestAnnotations,
  containerRecreateRequestConverter,
  containerRecreateRequestDeclaration,
  containerRecreateRequestFinalizer,
  containerRecreateRequests,
  containerRecreateRequestsV1Alpha1,
  defaultContainerRecreateRequest,
  obstacleInPod,
  preRecreateGraceMessage,
  validateContainerRecreateRequest,
  validateContainerRecreateRequestUpdate,
} from './kinds/containerrecreaterequest/index.ts';
export type {
  AimedRequest,
  ContainerRecreateRequest,
  ContainerRecreateRequestContainer,
  ContainerRecreateRequestSpec,
  ContainerRecreateRequestStatus,
  ContainerRecreateRequestStrategy,
  ContainerRecreateRequestV1Alpha1,
  ContainerRecreateState,
  ContainerStatusSnapshot,
} from './kinds/containerrecreaterequest/index.ts';
export {
  daemonSetAnnotations,
  daemonSetConverter,
  daemonSetDeclaration,
  daemonSetObstacle,
  daemonSets,
  daemonSetsV1Alpha1,
  daemonSetWarnings,
  defaultDaemonSet,
  validateDaemonSet,
  validateDaemonSetUpdate,
} from './kinds/daemonset/index.ts';
export type {
  DaemonSet,
  DaemonSetDefaulting,
  DaemonSetSpec,
  DaemonSetSpecV1Alpha1,
  DaemonSetStatus,
  DaemonSetStatusV1Alpha1,
  DaemonSetV1Alpha1,
  DaemonSetValidation,
  DaemonSetVersion,
  DaemonSetWarningOptions,
} from './kinds/daemonset/index.ts';
export {
  ephemeralJobDeclaration,
  ephemeralJobEnvNames,
  ephemeralJobFinalizer,
  ephemeralJobs,
  validateEphemeralJob,
} from './kinds/ephemeraljob/index.ts';
export type { EphemeralContainer, EphemeralJob, EphemeralJobSpec, EphemeralJobStatus } from './kinds/ephemeraljob/index.ts';
export {
  defaultImageListPullJob,
  imageListPullJobConverter,
  imageListPullJobDeclaration,
  imageListPullJobFault,
  imageListPullJobs,
  imageListPullJobsV1Alpha1,
} from './kinds/imagelistpulljob/index.ts';
export type {
  ImageListPullJob,
  ImageListPullJobSpec,
  ImageListPullJobStatus,
  ImageListPullJobV1Alpha1,
} from './kinds/imagelistpulljob/index.ts';
export {
  defaultImagePullJob,
  imagePullJobAnnotations,
  imagePullJobConverter,
  imagePullJobDeclaration,
  imagePullJobFault,
  imagePullJobFinalizer,
  imagePullJobs,
  imagePullJobsV1Alpha1,
  isNamedAsCopyOf,
  keepsPullSecrets,
  protectImagePullJob,
  secretCopyName,
} from './kinds/imagepulljob/index.ts';
export type { ImagePullJob, ImagePullJobSpec, ImagePullJobStatus, ImagePullJobV1Alpha1 } from './kinds/imagepulljob/index.ts';
export {
  defaultNodeImage,
  maxNodeImages,
  nodeImageConverter,
  nodeImageDeclaration,
  nodeImageFault,
  nodeImageLabels,
  nodeImages,
  nodeImagesV1Alpha1,
} from './kinds/nodeimage/index.ts';
export type {
  ImageSpec,
  ImageTagSpec,
  ImageTagStatus,
  NodeImage,
  NodeImageSpec,
  NodeImageStatus,
  NodeImageV1Alpha1,
} from './kinds/nodeimage/index.ts';
export { nodePodProbeDeclaration, nodePodProbes } from './kinds/nodepodprobe/index.ts';
export type {
  ContainerProbeState,
  NodePodProbe,
  NodePodProbeSpec,
  NodePodProbeStatus,
  PodProbe,
  PodProbeStatus,
} from './kinds/nodepodprobe/index.ts';
export {
  persistentPodStateAnnotations,
  persistentPodStateConverter,
  persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStatesV1Alpha1,
  persistentPodStateWarnings,
  persistentPodStateWhiteListKey,
  validatePersistentPodState,
} from './kinds/persistentpodstate/index.ts';
export type {
  PersistentPodState,
  PersistentPodStateRules,
  PersistentPodStateSpec,
  PersistentPodStateStatus,
  PersistentPodStateV1Alpha1,
  PodState,
  WorkloadGroupKind,
} from './kinds/persistentpodstate/index.ts';
export {
  podProbeMarkerAnnotations,
  podProbeMarkerDeclaration,
  podProbeMarkerFinalizer,
  podProbeMarkers,
  podProbeMarkerWarnings,
  validatePodProbeMarker,
  validatePodProbeMarkerUpdate,
} from './kinds/podprobemarker/index.ts';
export type {
  PodContainerProbe,
  PodProbeMarker,
  PodProbeMarkerSpec,
  PodProbeMarkerStatus,
  ProbeMarkerPolicy,
} from './kinds/podprobemarker/index.ts';
export {
  budgetOverlaps,
  podUnavailableBudgetAnnotations,
  podUnavailableBudgetConverter,
  podUnavailableBudgetDeclaration,
  podUnavailableBudgetLabels,
  podUnavailableBudgets,
  podUnavailableBudgetsV1Alpha1,
  podUnavailableBudgetWarnings,
  protectedOperations,
  protectedTotal,
  pubOperations,
  validatePodUnavailableBudget,
} from './kinds/podunavailablebudget/index.ts';
export type {
  OverlapOf,
  PodUnavailableBudget,
  PodUnavailableBudgetSpec,
  PodUnavailableBudgetStatus,
  PodUnavailableBudgetV1Alpha1,
  PubOperation,
} from './kinds/podunavailablebudget/index.ts';
export {
  distributionConditions,
  distributionReasons,
  readDistributedResource,
  resourceDistributionAnnotations,
  resourceDistributionConverter,
  resourceDistributionDeclaration,
  resourceDistributions,
  resourceDistributionsV1Alpha1,
  resourceDistributionWarnings,
  resourceNameFaults,
  systemNamespaces,
  validateDistributedResource,
  validateDistributionName,
  validateTargets,
} from './kinds/resourcedistribution/index.ts';
export type {
  DistributedKind,
  DistributedResource,
  DistributedResourceReading,
  DistributionCondition,
  ResourceDistribution,
  ResourceDistributionCondition,
  ResourceDistributionSpec,
  ResourceDistributionStatus,
  ResourceDistributionTargets,
  ResourceDistributionV1Alpha1,
} from './kinds/resourcedistribution/index.ts';
export {
  compileResourceExpression,
  conflictSubjects,
  defaultSidecarSet,
  sidecarSetAnnotations,
  sidecarSetBaseOf,
  sidecarSetConflicts,
  sidecarSetConverter,
  sidecarSetDeclaration,
  sidecarSetEnvNames,
  sidecarSetLabels,
  sidecarSets,
  sidecarSetsV1Alpha1,
  sidecarSetWarnings,
  sidecarSetWhiteListKey,
  validatePatchedAnnotations,
  validateSidecarSet,
  validateSidecarSetStrictly,
  validateSidecarSetUpdate,
} from './kinds/sidecarset/index.ts';
export type {
  CompiledExpression,
  ConflictSubject,
  Evaluated,
  ExpressionResource,
  ResourceExpression,
  SidecarContainer,
  SidecarResourcesPolicy,
  SidecarSet,
  SidecarSetInjectionStrategy,
  SidecarSetPatchPodMetadata,
  SidecarSetSpec,
  SidecarSetStatus,
  SidecarSetUpdateStrategy,
  SidecarSetV1Alpha1,
  SidecarSetValidation,
  SidecarTransferEnv,
} from './kinds/sidecarset/index.ts';
export {
  classesToLookUp,
  defaultStatefulSet,
  ordinalSlots,
  parsePodOrdinal,
  parseReservedOrdinals,
  resizesWithUpdate,
  statefulSetAnnotations,
  statefulSetConverter,
  statefulSetDeclaration,
  statefulSetObstacle,
  statefulSets,
  statefulSetsV1Alpha1,
  statefulSetWarnings,
  validateClaimGrowth,
  validateStatefulSet,
  validateStatefulSetUpdate,
} from './kinds/statefulset/index.ts';
export type {
  OrdinalChoice,
  OrdinalRange,
  OrdinalSlots,
  ReservedOrdinals,
  StatefulSet,
  StatefulSetDefaulting,
  StatefulSetSpec,
  StatefulSetSpecV1Alpha1,
  StatefulSetStatus,
  StatefulSetStatusV1Alpha1,
  StatefulSetV1Alpha1,
  StatefulSetVersion,
  StatefulSetWarningOptions,
} from './kinds/statefulset/index.ts';
export {
  defaultUnitedDeployment,
  parseSubsetShare,
  unitedDeploymentAnnotations,
  unitedDeploymentConverter,
  unitedDeploymentDeclaration,
  unitedDeploymentLabels,
  unitedDeploymentObstacle,
  unitedDeployments,
  unitedDeploymentsV1Alpha1,
  unitedDeploymentWarnings,
  validateUnitedDeployment,
  validateUnitedDeploymentUpdate,
} from './kinds/uniteddeployment/index.ts';
export type {
  SubsetShare,
  UnitedDeployment,
  UnitedDeploymentSpec,
  UnitedDeploymentStatus,
  UnitedDeploymentStatusV1Alpha1,
  UnitedDeploymentSubset,
  UnitedDeploymentV1Alpha1,
  UnitedDeploymentValidation,
} from './kinds/uniteddeployment/index.ts';
export {
  isSpreadable,
  unworkableSpread,
  validateWorkloadSpread,
  workloadSpreadAnnotations,
  workloadSpreadConverter,
  workloadSpreadDeclaration,
  workloadSpreadFakeSubset,
  workloadSpreadFindings,
  workloadSpreads,
  workloadSpreadsV1Alpha1,
  workloadSpreadWhiteListKey,
} from './kinds/workloadspread/index.ts';
export type {
  SpreadSupport,
  SpreadTemplate,
  WorkloadSpread,
  WorkloadSpreadFindings,
  WorkloadSpreadRules,
  WorkloadSpreadScheduleStrategy,
  WorkloadSpreadSpec,
  WorkloadSpreadStatus,
  WorkloadSpreadSubset,
  WorkloadSpreadSubsetStatus,
  WorkloadSpreadV1Alpha1,
} from './kinds/workloadspread/index.ts';
export { allFeatures, deletionProtectionDeclaration } from './features/index.ts';
export { crdName, customResourceDefinition, defaultConversionService } from './schema/crd.ts';
export { conforms } from './schema/conforms.ts';
export { admissionPaths, objectSchema, resourceTypeOf, servedPaths, storedVersion, webhookName } from './schema/kind.ts';
export type { KindDeclaration, PrinterColumn, UninstallRule, VersionDeclaration } from './schema/kind.ts';
export { servedWebhooks } from './schema/feature.ts';
export type { FeatureDeclaration, FeatureWebhook } from './schema/feature.ts';
export { managing, reading, right } from './schema/rights.ts';
export type { Right } from './schema/rights.ts';
export type { JsonSchema } from './schema/builder.ts';
export type { Lifecycle, LifecycleHook, PriorityStrategy, ScatterStrategy } from './schema/shared.ts';
export type { SandboxConfig } from './schema/image-pull.ts';
export { parseParallelism, pullBoundsFault, pullPolicyWarnings } from './validation/image-pull.ts';
export type { MetaCondition } from './schema/meta-condition.ts';
export type { ContainerProbe } from './schema/probe.ts';
export {
  annotations,
  conditionReasons,
  conditionTypes,
  configuration,
  controllerNames,
  defaultNamespaces,
  deleteProtection,
  envNames,
  eventReasons,
  eventSources,
  groups,
  labels,
  lifecycleStates,
  objectNames,
  orderedLaunch,
  ownerApiVersion,
  podConditionReasons,
  podConditions,
  podReadinessWriters,
  processEnv,
  userAgents,
  virtualKubelet,
} from './well-known.ts';
export { defaultGates, formatGates, gateTable, normaliseGates, parseGates } from './gates/feature-gates.ts';
export type { GateName, Gates } from './gates/feature-gates.ts';
