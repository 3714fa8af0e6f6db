/**
 * The Go structs of a pod template (core/v1 of Kubernetes 1.32) and of other content of revisions, as one table: the members of each type in declared
 * order, which of them are written even when empty, and which distinguish an empty value from an absent one. Do not add members newer than 1.32: a
 * member that is not in the table is one that the original drops.
 *
 * @see spec/inplace-update.md 3.2
 */

/** The content of a member. `opaque`: a scalar or a list of strings, or an object that is passed through unchanged. */
type MemberShape =
  | { readonly kind: 'opaque' }
  | { readonly kind: 'struct' | 'structs'; readonly type: string }
  | { readonly kind: 'map' | 'quantities' | 'quantity' }
  /** `integers`: a list of them. `time`: `metav1.Time`. */
  | { readonly kind: 'integers' | 'time' };

export interface Member {
  readonly name: string;
  readonly shape: MemberShape;
  /** A pointer to a scalar: `""`, `0` and `false` are values of their own. */
  readonly pointer: boolean;
  /** Written even when absent, with this value. */
  readonly always?: { readonly zero: '' | 0 | null | '0' | Readonly<Record<string, never>> };
}

/** The members of every container, of any sort. */
const container =
  'name! image command args workingDir ports:[]ContainerPort envFrom:[]EnvFromSource env:[]EnvVar resources!:ResourceRequirements resizePolicy:[]ContainerResizePolicy restartPolicy* volumeMounts:[]VolumeMount volumeDevices:[]VolumeDevice livenessProbe:Probe readinessProbe:Probe startupProbe:Probe lifecycle:Lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext:SecurityContext stdin stdinOnce tty';

/**
 * One line for each type: its members in declared order, each `name`, then optionally
 * - `*` pointer to a scalar,
 * - `!` always written, with `""` (or the empty struct, list `null`, quantity `"0"`), `!0` always with 0, `!n` always with `null`,
 * - `:Type` a struct, `:[]Type` a list of structs, `:[#]` a list of integers, `:{}` a map of strings, `:{q}` a map of quantities, `:q` a
 *   quantity, `:t` a time.
 */
const source: Readonly<Record<string, string>> = {
  ObjectMeta:
    'name generateName namespace selfLink uid resourceVersion generation creationTimestamp!n:t deletionTimestamp:t deletionGracePeriodSeconds* labels:{} annotations:{} ownerReferences:[]OwnerReference finalizers managedFields',
  OwnerReference: 'apiVersion! kind! name! uid! controller* blockOwnerDeletion*',
  LocalObjectReference: 'name',
  LabelSelector: 'matchLabels:{} matchExpressions:[]Requirement',
  Requirement: 'key! operator! values',

  PodTemplateSpec: 'metadata!:ObjectMeta spec!:PodSpec',
  PodSpec:
    'volumes:[]Volume initContainers:[]Container containers!:[]Container ephemeralContainers:[]EphemeralContainer restartPolicy terminationGracePeriodSeconds* activeDeadlineSeconds* dnsPolicy nodeSelector:{} serviceAccountName serviceAccount automountServiceAccountToken* nodeName hostNetwork hostPID hostIPC shareProcessNamespace* securityContext:PodSecurityContext imagePullSecrets:[]LocalObjectReference hostname subdomain affinity:Affinity schedulerName tolerations:[]Toleration hostAliases:[]HostAlias priorityClassName priority* dnsConfig:PodDNSConfig readinessGates:[]PodReadinessGate runtimeClassName* enableServiceLinks* preemptionPolicy* overhead:{q} topologySpreadConstraints:[]TopologySpreadConstraint setHostnameAsFQDN* os:Named hostUsers* schedulingGates:[]Named resourceClaims:[]PodResourceClaim resources:ResourceRequirements',
  Named: 'name!',
  PodReadinessGate: 'conditionType!',
  PodResourceClaim: 'name! resourceClaimName* resourceClaimTemplateName*',
  Toleration: 'key operator value effect tolerationSeconds*',
  HostAlias: 'ip! hostnames',
  PodDNSConfig: 'nameservers searches options:[]PodDNSConfigOption',
  PodDNSConfigOption: 'name value*',
  TopologySpreadConstraint:
    'maxSkew!0 topologyKey! whenUnsatisfiable! labelSelector:LabelSelector minDomains* nodeAffinityPolicy* nodeTaintsPolicy* matchLabelKeys',

  Container: container,
  EphemeralContainer: `${container} targetContainerName`,
  ContainerPort: 'name hostPort containerPort!0 protocol hostIP',
  ContainerResizePolicy: 'resourceName! restartPolicy!',
  EnvFromSource: 'prefix configMapRef:OptionalSource secretRef:OptionalSource',
  OptionalSource: 'name optional*',
  EnvVar: 'name! value valueFrom:EnvVarSource',
  EnvVarSource: 'fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector configMapKeyRef:KeySelector secretKeyRef:KeySelector',
  ObjectFieldSelector: 'apiVersion fieldPath!',
  ResourceFieldSelector: 'containerName resource! divisor!:q',
  KeySelector: 'name key! optional*',
  ResourceRequirements: 'limits:{q} requests:{q} claims:[]ResourceClaim',
  ResourceClaim: 'name! request',
  VolumeMount: 'name! readOnly recursiveReadOnly* mountPath! subPath mountPropagation* subPathExpr',
  VolumeDevice: 'name! devicePath!',
  Probe:
    'exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds*',
  Lifecycle: 'postStart:LifecycleHandler preStop:LifecycleHandler',
  LifecycleHandler: 'exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction',
  ExecAction: 'command',
  HTTPGetAction: 'path port!0 host scheme httpHeaders:[]NameValue',
  NameValue: 'name! value!',
  TCPSocketAction: 'port!0 host',
  GRPCAction: 'port!0 service*!n',
  SleepAction: 'seconds!0',

  SecurityContext:
    'capabilities:Capabilities privileged* seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions runAsUser* runAsGroup* runAsNonRoot* readOnlyRootFilesystem* allowPrivilegeEscalation* procMount* seccompProfile:LocalProfile appArmorProfile:LocalProfile',
  PodSecurityContext:
    'seLinuxOptions:SELinuxOptions windowsOptions:WindowsSecurityContextOptions runAsUser* runAsGroup* runAsNonRoot* supplementalGroups:[#] supplementalGroupsPolicy* fsGroup* sysctls:[]NameValue fsGroupChangePolicy* seccompProfile:LocalProfile appArmorProfile:LocalProfile seLinuxChangePolicy*',
  Capabilities: 'add drop',
  SELinuxOptions: 'user role type level',
  WindowsSecurityContextOptions: 'gmsaCredentialSpecName* gmsaCredentialSpec* runAsUserName* hostProcess*',
  LocalProfile: 'type! localhostProfile*',

  Affinity: 'nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAffinity',
  NodeAffinity:
    'requiredDuringSchedulingIgnoredDuringExecution:NodeSelector preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm',
  NodeSelector: 'nodeSelectorTerms!:[]NodeSelectorTerm',
  NodeSelectorTerm: 'matchExpressions:[]Requirement matchFields:[]Requirement',
  PreferredSchedulingTerm: 'weight!0 preference!:NodeSelectorTerm',
  PodAffinity:
    'requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm',
  PodAffinityTerm: 'labelSelector:LabelSelector namespaces topologyKey! namespaceSelector:LabelSelector matchLabelKeys mismatchLabelKeys',
  WeightedPodAffinityTerm: 'weight!0 podAffinityTerm!:PodAffinityTerm',

  Volume:
    'name! hostPath:HostPathVolumeSource emptyDir:EmptyDirVolumeSource gcePersistentDisk:GCEPersistentDiskVolumeSource awsElasticBlockStore:AWSElasticBlockStoreVolumeSource gitRepo:GitRepoVolumeSource secret:SecretVolumeSource nfs:NFSVolumeSource iscsi:ISCSIVolumeSource glusterfs:GlusterfsVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource rbd:RBDVolumeSource flexVolume:FlexVolumeSource cinder:CinderVolumeSource cephfs:CephFSVolumeSource flocker:FlockerVolumeSource downwardAPI:DownwardAPIVolumeSource fc:FCVolumeSource azureFile:AzureFileVolumeSource configMap:ConfigMapVolumeSource vsphereVolume:VsphereVolumeSource quobyte:QuobyteVolumeSource azureDisk:AzureDiskVolumeSource photonPersistentDisk:PhotonVolumeSource projected:ProjectedVolumeSource portworxVolume:PortworxVolumeSource scaleIO:ScaleIOVolumeSource storageos:StorageOSVolumeSource csi:CSIVolumeSource ephemeral:EphemeralVolumeSource image:ImageVolumeSource',
  HostPathVolumeSource: 'path! type*',
  EmptyDirVolumeSource: 'medium sizeLimit*:q',
  GCEPersistentDiskVolumeSource: 'pdName! fsType partition readOnly',
  AWSElasticBlockStoreVolumeSource: 'volumeID! fsType partition readOnly',
  GitRepoVolumeSource: 'repository! revision directory',
  SecretVolumeSource: 'secretName items:[]KeyToPath defaultMode* optional*',
  KeyToPath: 'key! path! mode*',
  NFSVolumeSource: 'server! path! readOnly',
  ISCSIVolumeSource:
    'targetPortal! iqn! lun!0 iscsiInterface fsType readOnly portals chapAuthDiscovery chapAuthSession secretRef:LocalObjectReference initiatorName*',
  GlusterfsVolumeSource: 'endpoints! path! readOnly',
  PersistentVolumeClaimVolumeSource: 'claimName! readOnly',
  RBDVolumeSource: 'monitors!n image! fsType pool user keyring secretRef:LocalObjectReference readOnly',
  FlexVolumeSource: 'driver! fsType secretRef:LocalObjectReference readOnly options:{}',
  CinderVolumeSource: 'volumeID! fsType readOnly secretRef:LocalObjectReference',
  CephFSVolumeSource: 'monitors!n path user secretFile secretRef:LocalObjectReference readOnly',
  FlockerVolumeSource: 'datasetName datasetUUID',
  DownwardAPIVolumeSource: 'items:[]DownwardAPIVolumeFile defaultMode*',
  DownwardAPIVolumeFile: 'path! fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode*',
  FCVolumeSource: 'targetWWNs lun* fsType readOnly wwids',
  AzureFileVolumeSource: 'secretName! shareName! readOnly',
  ConfigMapVolumeSource: 'name items:[]KeyToPath defaultMode* optional*',
  VsphereVolumeSource: 'volumePath! fsType storagePolicyName storagePolicyID',
  QuobyteVolumeSource: 'registry! volume! readOnly user group tenant',
  AzureDiskVolumeSource: 'diskName! diskURI! cachingMode* fsType* readOnly* kind*',
  PhotonVolumeSource: 'pdID! fsType',
  ProjectedVolumeSource: 'sources!:[]VolumeProjection defaultMode*',
  VolumeProjection:
    'secret:KeyedProjection downwardAPI:DownwardAPIProjection configMap:KeyedProjection serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection',
  KeyedProjection: 'name items:[]KeyToPath optional*',
  DownwardAPIProjection: 'items:[]DownwardAPIVolumeFile',
  ServiceAccountTokenProjection: 'audience expirationSeconds* path!',
  ClusterTrustBundleProjection: 'name* signerName* labelSelector:LabelSelector optional* path!',
  PortworxVolumeSource: 'volumeID! fsType readOnly',
  ScaleIOVolumeSource:
    'gateway! system! secretRef!n:LocalObjectReference sslEnabled protectionDomain storagePool storageMode volumeName fsType readOnly',
  StorageOSVolumeSource: 'volumeName volumeNamespace fsType readOnly secretRef:LocalObjectReference',
  CSIVolumeSource: 'driver! readOnly* fsType* volumeAttributes:{} nodePublishSecretRef:LocalObjectReference',
  EphemeralVolumeSource: 'volumeClaimTemplate:PersistentVolumeClaimTemplate',
  ImageVolumeSource: 'reference pullPolicy',

  PersistentVolumeClaimTemplate: 'metadata!:ObjectMeta spec!:PersistentVolumeClaimSpec',
  PersistentVolumeClaimSpec:
    'accessModes selector:LabelSelector resources!:VolumeResourceRequirements volumeName storageClassName* volumeMode* dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference volumeAttributesClassName*',
  VolumeResourceRequirements: 'limits:{q} requests:{q}',
  TypedLocalObjectReference: 'apiGroup*!n kind! name!',
  TypedObjectReference: 'apiGroup*!n kind! name! namespace*',

  SidecarSetContainers: 'containers!n:[]SidecarContainer initContainers:[]SidecarContainer',
  SidecarSetVersion:
    'containers!n:[]SidecarContainer imagePullSecrets!n:[]LocalObjectReference initContainers!n:[]SidecarContainer patchPodMetadata!n:[]SidecarMetadataPatch volumes!n:[]Volume',
  SidecarContainer: `${container} podInjectPolicy upgradeStrategy!:SidecarUpgradeStrategy shareVolumePolicy!:SidecarSharePolicy shareVolumeDevicePolicy:SidecarSharePolicy transferEnv:[]SidecarTransferEnv resourcesPolicy:SidecarResourcesPolicy`,
  SidecarUpgradeStrategy: 'upgradeType hotUpgradeEmptyImage',
  SidecarSharePolicy: 'type',
  SidecarTransferEnv: 'sourceContainerName sourceContainerNameFrom:SidecarEnvSource envName envNames',
  SidecarEnvSource: 'fieldRef:ObjectFieldSelector',
  SidecarResourcesPolicy: 'targetContainersMode! targetContainersNameRegex resourcesExpr!:SidecarResourceExpressions',
  SidecarResourceExpressions: 'limits:SidecarExpressionPair requests:SidecarExpressionPair',
  SidecarExpressionPair: 'cpu memory',
  SidecarMetadataPatch: 'annotations:{} patchPolicy',

  UnitedDeploymentTemplate:
    'statefulSetTemplate:StatefulSetTemplate advancedStatefulSetTemplate:AdvancedStatefulSetTemplate cloneSetTemplate:CloneSetTemplate deploymentTemplate:DeploymentTemplate',
  StatefulSetTemplate: 'metadata!:ObjectMeta spec!:StatefulSetSpec',
  StatefulSetSpec:
    'replicas* selector!n:LabelSelector template!:PodTemplateSpec volumeClaimTemplates:[]PersistentVolumeClaim serviceName! podManagementPolicy updateStrategy!:StatefulSetUpdateStrategy revisionHistoryLimit* minReadySeconds persistentVolumeClaimRetentionPolicy:ClaimRetentionPolicy ordinals:Ordinals',
  StatefulSetUpdateStrategy: 'type rollingUpdate:StatefulSetRollingUpdate',
  StatefulSetRollingUpdate: 'partition* maxUnavailable*',
  ClaimRetentionPolicy: 'whenDeleted whenScaled',
  Ordinals: 'start!0',
  PersistentVolumeClaim: 'kind apiVersion metadata!:ObjectMeta spec!:PersistentVolumeClaimSpec status!:PersistentVolumeClaimStatus',
  PersistentVolumeClaimStatus: 'phase accessModes capacity:{q}',
  AdvancedStatefulSetTemplate: 'metadata!:ObjectMeta spec!:AdvancedStatefulSetSpec',
  AdvancedStatefulSetSpec:
    'replicas* selector!n:LabelSelector template!:PodTemplateSpec volumeClaimTemplates:[]PersistentVolumeClaim volumeClaimUpdateStrategy!:Typed serviceName podManagementPolicy updateStrategy!:AdvancedUpdateStrategy revisionHistoryLimit* reserveOrdinals lifecycle:WorkloadLifecycle scaleStrategy:AdvancedScaleStrategy persistentVolumeClaimRetentionPolicy:ClaimRetentionPolicy ordinals:Ordinals',
  Typed: 'type',
  AdvancedUpdateStrategy: 'type rollingUpdate:AdvancedRollingUpdate',
  AdvancedRollingUpdate:
    'partition* maxUnavailable* podUpdatePolicy paused unorderedUpdate:UnorderedUpdate inPlaceUpdateStrategy:InPlaceUpdateStrategy minReadySeconds*',
  UnorderedUpdate: 'priorityStrategy:UpdatePriorityStrategy',
  AdvancedScaleStrategy: 'maxUnavailable*',
  CloneSetTemplate: 'metadata!:ObjectMeta spec!:CloneSetSpec',
  CloneSetSpec:
    'replicas* selector!n:LabelSelector template!:PodTemplateSpec volumeClaimTemplates:[]PersistentVolumeClaim scaleStrategy!:CloneSetScaleStrategy updateStrategy!:CloneSetUpdateStrategy revisionHistoryLimit* minReadySeconds lifecycle:WorkloadLifecycle progressDeadlineSeconds*',
  CloneSetScaleStrategy: 'podsToDelete maxUnavailable* enablePVCReuse excludePreparingDelete',
  CloneSetUpdateStrategy: 'type rollingUpdate:CloneSetRollingUpdate',
  CloneSetRollingUpdate:
    'partition* maxUnavailable* maxSurge* paused podUpdatePolicy priorityStrategy:UpdatePriorityStrategy scatterStrategy:[]UpdateScatterTerm inPlaceUpdateStrategy:InPlaceUpdateStrategy',
  UpdatePriorityStrategy: 'orderPriority:[]UpdateOrderTerm weightPriority:[]UpdateWeightTerm',
  UpdateOrderTerm: 'orderedKey!',
  UpdateWeightTerm: 'weight!0 matchSelector!:LabelSelector',
  UpdateScatterTerm: 'key! value!',
  InPlaceUpdateStrategy:
    'gracePeriodSeconds imagePreDownloadParallelism* imagePreDownloadTimeoutSeconds imagePreDownloadMinUpdatedReadyPods',
  WorkloadLifecycle: 'preDelete:LifecycleHook inPlaceUpdate:LifecycleHook preNormal:LifecycleHook',
  LifecycleHook: 'labelsHandler:{} finalizersHandler markPodNotReady',
  DeploymentTemplate: 'metadata!:ObjectMeta spec!:DeploymentSpec',
  DeploymentSpec:
    'replicas* selector!n:LabelSelector template!:PodTemplateSpec strategy!:DeploymentStrategy minReadySeconds revisionHistoryLimit* paused progressDeadlineSeconds*',
  DeploymentStrategy: 'type rollingUpdate:DeploymentRollingUpdate',
  DeploymentRollingUpdate: 'maxUnavailable* maxSurge*',
};

const memberPattern = /^(\w+)(\*?)(![0n]?)?(?::(.+))?$/;

function parseShape(text: string | undefined): MemberShape {
  if (text === undefined) return { kind: 'opaque' };
  if (text === '{}') return { kind: 'map' };
  if (text === '{q}') return { kind: 'quantities' };
  if (text === 'q') return { kind: 'quantity' };
  if (text === 't') return { kind: 'time' };
  if (text === '[#]') return { kind: 'integers' };
  return text.startsWith('[]') ? { kind: 'structs', type: text.slice(2) } : { kind: 'struct', type: text };
}

function zeroOf(mark: string, shape: MemberShape): NonNullable<Member['always']>['zero'] {
  if (mark === '!0') return 0;
  if (mark === '!n' || shape.kind === 'structs') return null;
  if (shape.kind === 'struct') return {};
  return shape.kind === 'quantity' ? '0' : '';
}

function parseMember(text: string): Member {
  const [, name, pointer, always, shapeText] = memberPattern.exec(text) ?? [];
  if (name === undefined) throw new Error(`not a member: ${text}`);
  const shape = parseShape(shapeText);
  return { name, shape, pointer: pointer === '*', ...(always === undefined ? {} : { always: { zero: zeroOf(always, shape) } }) };
}

const parsed = (line: string): ReadonlyMap<string, Member> =>
  new Map(line.split(' ').map((text) => [text.replace(/[^\w].*$/, ''), parseMember(text)]));

/** Members of each type by name, iterated in declared order. */
export const coreTypes: ReadonlyMap<string, ReadonlyMap<string, Member>> = new Map(
  Object.entries(source).map(([type, line]) => [type, parsed(line)]),
);

/** Returns the members of a type. @throws Error for a type that is not in the table: an error in the table or the call */
export function membersOf(type: string): ReadonlyMap<string, Member> {
  const members = coreTypes.get(type);
  if (members === undefined) throw new Error(`unknown core type ${type}`);
  return members;
}
