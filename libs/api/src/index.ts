/** The 18 kinds: types, schema, CRDs, conversion; the names on the wire; the feature gates. */
export { normalizeCloneSetTemplate } from './conversion/cloneset-to-hub.ts';
export { convertObject, converters } from './conversion/convert.ts';
export type { Conversion, Converter, Members } from './conversion/converter.ts';
export { allKinds } from './kinds/index.ts';
export { conversionReviewVersions, crdName, customResourceDefinition, defaultConversionService } from './schema/crd.ts';
export type { ConversionService, CrdConversion, CrdVersion, CustomResourceDefinition } from './schema/crd.ts';
export { conforms } from './schema/conforms.ts';
export { admissionPaths, objectSchema, resourceTypeOf, servedPaths, storedVersion, webhookName } from './schema/kind.ts';
export type { AdmissionDeclaration, KindDeclaration, PrinterColumn, UninstallRule, VersionDeclaration } from './schema/kind.ts';
export { changing, everything, reading, right } from './schema/rights.ts';
export type { KindRights, Right } from './schema/rights.ts';
export type { JsonSchema } from './schema/builder.ts';
export type {
  CompletionPolicy,
  InPlaceUpdateStrategy,
  LabelSelector,
  LabelSelectorWithNames,
  Lifecycle,
  LifecycleHook,
  NodeSelectorTerm,
  ObjectReference,
  PriorityStrategy,
  ScatterStrategy,
  Toleration,
} from './schema/shared.ts';
export type { SandboxConfig } from './schema/image-pull.ts';
export { parseParallelism, pullPolicyWarnings } from './validation/image-pull.ts';
export type { MetaCondition } from './schema/meta-condition.ts';
export type { ContainerProbe, HookHandler } from './schema/probe.ts';
export { advancedCronJobs, advancedCronJobsV1Alpha1, declaration as advancedCronJobDeclaration } from './kinds/advancedcronjob/index.ts';
export type {
  AdvancedCronJob,
  AdvancedCronJobSpec,
  AdvancedCronJobSpecV1Alpha1,
  AdvancedCronJobStatus,
  AdvancedCronJobV1Alpha1,
} from './kinds/advancedcronjob/index.ts';
export { broadcastJobs, broadcastJobsV1Alpha1, declaration as broadcastJobDeclaration } from './kinds/broadcastjob/index.ts';
export type { BroadcastJob, BroadcastJobSpec, BroadcastJobStatus, BroadcastJobV1Alpha1 } from './kinds/broadcastjob/index.ts';
export {
  cloneSets,
  cloneSetsV1Alpha1,
  cloneSetWarnings,
  declaration as cloneSetDeclaration,
  defaultCloneSet,
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
export { defaultPodTemplate } from './pod-template/defaults.ts';
export type { TemplateDefaultOptions } from './pod-template/defaults.ts';
export { defaultContainer, defaultInitContainer } from './pod-template/container-defaults.ts';
export { withCanonicalClaimQuantities, withCanonicalQuantities } from './pod-template/quantities.ts';
export { defaultVolume, defaultVolumeClaimTemplate } from './pod-template/volume-defaults.ts';
export { validatePodTemplate } from './pod-template/validation/pod-template.ts';
export type { PodTemplateOptions } from './pod-template/validation/pod-template.ts';
export {
  aimContainerRecreateRequest,
  containerRecreateRequests,
  containerRecreateRequestsV1Alpha1,
  declaration as containerRecreateRequestDeclaration,
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
export { daemonSets, daemonSetsV1Alpha1, declaration as daemonSetDeclaration } from './kinds/daemonset/index.ts';
export type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetSpecV1Alpha1,
  DaemonSetStatus,
  DaemonSetStatusV1Alpha1,
  DaemonSetV1Alpha1,
} from './kinds/daemonset/index.ts';
export { declaration as ephemeralJobDeclaration, ephemeralJobs, validateEphemeralJob } from './kinds/ephemeraljob/index.ts';
export type { EphemeralContainer, EphemeralJob, EphemeralJobSpec, EphemeralJobStatus } from './kinds/ephemeraljob/index.ts';
export {
  declaration as imageListPullJobDeclaration,
  defaultImageListPullJob,
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
  declaration as imagePullJobDeclaration,
  defaultImagePullJob,
  imagePullJobFault,
  imagePullJobs,
  imagePullJobsV1Alpha1,
  keepsPullSecrets,
  protectImagePullJob,
} from './kinds/imagepulljob/index.ts';
export type { ImagePullJob, ImagePullJobSpec, ImagePullJobStatus, ImagePullJobV1Alpha1 } from './kinds/imagepulljob/index.ts';
export {
  declaration as nodeImageDeclaration,
  defaultNodeImage,
  maxNodeImages,
  nodeImageFault,
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
export { declaration as nodePodProbeDeclaration, nodePodProbes } from './kinds/nodepodprobe/index.ts';
export type {
  ContainerProbeState,
  NodePodProbe,
  NodePodProbeSpec,
  NodePodProbeStatus,
  PodProbe,
  PodProbeStatus,
} from './kinds/nodepodprobe/index.ts';
export {
  declaration as persistentPodStateDeclaration,
  persistentPodStates,
  persistentPodStatesV1Alpha1,
} from './kinds/persistentpodstate/index.ts';
export type {
  PersistentPodState,
  PersistentPodStateSpec,
  PersistentPodStateStatus,
  PersistentPodStateV1Alpha1,
  PodState,
} from './kinds/persistentpodstate/index.ts';
export {
  declaration as podProbeMarkerDeclaration,
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
  declaration as podUnavailableBudgetDeclaration,
  podUnavailableBudgets,
  podUnavailableBudgetsV1Alpha1,
  pubOperations,
} from './kinds/podunavailablebudget/index.ts';
export type {
  PodUnavailableBudget,
  PodUnavailableBudgetSpec,
  PodUnavailableBudgetStatus,
  PodUnavailableBudgetV1Alpha1,
  PubOperation,
} from './kinds/podunavailablebudget/index.ts';
export {
  declaration as resourceDistributionDeclaration,
  resourceDistributions,
  resourceDistributionsV1Alpha1,
} from './kinds/resourcedistribution/index.ts';
export type {
  DistributedResource,
  ResourceDistribution,
  ResourceDistributionCondition,
  ResourceDistributionSpec,
  ResourceDistributionStatus,
  ResourceDistributionTargets,
  ResourceDistributionV1Alpha1,
} from './kinds/resourcedistribution/index.ts';
export {
  compileResourceExpression,
  declaration as sidecarSetDeclaration,
  defaultSidecarSet,
  sidecarSetBaseOf,
  sidecarSetConflicts,
  sidecarSets,
  sidecarSetsV1Alpha1,
  sidecarSetWarnings,
  validatePatchedAnnotations,
  validateSidecarSet,
  validateSidecarSetStrictly,
  validateSidecarSetUpdate,
} from './kinds/sidecarset/index.ts';
export type {
  CompiledExpression,
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
export { declaration as statefulSetDeclaration, statefulSets, statefulSetsV1Alpha1 } from './kinds/statefulset/index.ts';
export type {
  StatefulSet,
  StatefulSetSpec,
  StatefulSetSpecV1Alpha1,
  StatefulSetStatus,
  StatefulSetStatusV1Alpha1,
  StatefulSetV1Alpha1,
} from './kinds/statefulset/index.ts';
export {
  declaration as unitedDeploymentDeclaration,
  unitedDeployments,
  unitedDeploymentsV1Alpha1,
} from './kinds/uniteddeployment/index.ts';
export type {
  UnitedDeployment,
  UnitedDeploymentSpec,
  UnitedDeploymentStatus,
  UnitedDeploymentStatusV1Alpha1,
  UnitedDeploymentSubset,
  UnitedDeploymentV1Alpha1,
} from './kinds/uniteddeployment/index.ts';
export { declaration as workloadSpreadDeclaration, workloadSpreads, workloadSpreadsV1Alpha1 } from './kinds/workloadspread/index.ts';
export type {
  WorkloadSpread,
  WorkloadSpreadScheduleStrategy,
  WorkloadSpreadSpec,
  WorkloadSpreadStatus,
  WorkloadSpreadSubset,
  WorkloadSpreadSubsetStatus,
  WorkloadSpreadV1Alpha1,
} from './kinds/workloadspread/index.ts';
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
  finalizers,
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
  workloadSpreadFakeSubset,
} from './well-known.ts';
export { defaultGates, formatGates, gateNames, gateTable, normaliseGates, parseGates } from './gates/feature-gates.ts';
export type { GateName, Gates, ParsedGates } from './gates/feature-gates.ts';
