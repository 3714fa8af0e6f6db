/** One object of each kind that webhooks are asked about, which has every list, map and text that a rule looks at. */
import type { JsonObject } from '@kruise/objects';

const container = {
  name: 'main',
  image: 'registry.example.com:5000/team/app:1',
  command: ['app'],
  args: ['$(FIRST)', '$(SECOND)'],
  workingDir: '/srv',
  ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' }],
  env: [
    { name: 'FIRST', value: 'x' },
    { name: 'SECOND', value: '$(FIRST)' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
  envFrom: [{ prefix: 'A', configMapRef: { name: 'settings' } }],
  resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
  volumeMounts: [{ name: 'work', mountPath: '/work', subPathExpr: '$(FIRST)/$(SECOND)' }],
  volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }],
  livenessProbe: { httpGet: { path: '/live', port: 80, httpHeaders: [{ name: 'X-A', value: 'b' }] } },
  readinessProbe: { exec: { command: ['true'] } },
  lifecycle: { preStop: { exec: { command: ['true'] } } },
  securityContext: { capabilities: { add: ['NET_ADMIN'] } },
};

const affinityTerm = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname', namespaces: ['shop'] };

const podSpec = {
  containers: [container, { name: 'second', image: 'b:1', env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }] }],
  initContainers: [{ name: 'init', image: 'c:1', env: [{ name: 'A', value: 'b' }], volumeMounts: [{ name: 'work', mountPath: '/w' }] }],
  volumes: [
    { name: 'work', emptyDir: {} },
    { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
    { name: 'files', configMap: { name: 'files', items: [{ key: 'a', path: 'a/b' }] } },
    { name: 'all', projected: { sources: [{ secret: { name: 's', items: [{ key: 'k', path: 'p' }] } }] } },
  ],
  imagePullSecrets: [{ name: 'pull' }],
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }],
  nodeSelector: { disk: 'ssd' },
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.example.com'] }],
  readinessGates: [{ conditionType: 'example.com/ready' }],
  dnsConfig: { nameservers: ['10.0.0.1'], searches: ['example.com'], options: [{ name: 'ndots', value: '5' }] },
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  securityContext: { supplementalGroups: [1], sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } },
      ],
    },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm] },
  },
};

const app = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] };
const template = { metadata: { labels: { app: 'web' }, annotations: { note: 'x' }, finalizers: ['example.com/a'] }, spec: podSpec };
const completionPolicy = { type: 'Always', ttlSecondsAfterFinished: 10 };
const pull = {
  podSelector: app,
  completionPolicy,
  pullSecrets: ['secret'],
  sandboxConfig: { labels: { a: 'b' }, annotations: { a: 'b' } },
};
const probe = { exec: { command: ['true'] } };
const markerPolicy = [{ state: 'Succeeded', labels: { up: 'yes' }, annotations: { up: 'yes' } }];
/** Of what runs to an end. */
const jobTemplate = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };

const sidecar = {
  ...container,
  name: 'side',
  podInjectPolicy: 'BeforeAppContainer',
  shareVolumePolicy: { type: 'enabled' },
  transferEnv: [{ sourceContainerName: 'main', envName: 'FIRST', envNames: ['SECOND'] }],
};

/** By the end of the path. */
export const samples: Readonly<Record<string, JsonObject>> = {
  pod: podSpec,
  cloneset: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template,
    volumeClaimTemplates: [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
    scaleStrategy: { podsToDelete: ['a'] },
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: { partition: '50%', maxUnavailable: '20%', scatterStrategy: [{ key: 'a', value: 'b' }] },
      scatterStrategy: [{ key: 'a', value: 'b' }],
      priorityStrategy: {
        orderPriority: [{ orderedKey: 'a' }],
        weightPriority: [{ weight: 1, matchSelector: { matchLabels: { a: 'b' } } }],
      },
    },
    lifecycle: { preDelete: { labelsHandler: { a: 'b' }, finalizersHandler: ['example.com/a'] } },
  },
  statefulset: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template,
    serviceName: 'web',
    volumeClaimTemplates: [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    ],
    reserveOrdinals: [1, '3-5'],
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: {
        partition: 1,
        maxUnavailable: '20%',
        unorderedUpdate: { priorityStrategy: { orderPriority: [{ orderedKey: 'a' }] } },
      },
    },
  },
  daemonset: {
    selector: { matchLabels: { app: 'web' } },
    template,
    burstReplicas: '50%',
    minReadySeconds: 5,
    revisionHistoryLimit: 3,
    updateStrategy: {
      type: 'RollingUpdate',
      rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '20%', partition: '50%', selector: app },
    },
    scaleStrategy: { partitionedScaling: true },
    lifecycle: { preDelete: { labelsHandler: { a: 'b' }, finalizersHandler: ['example.com/a'], markPodNotReady: true } },
  },
  broadcastjob: {
    parallelism: '20%',
    template: jobTemplate,
    completionPolicy: { type: 'Always', activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 60 },
    failurePolicy: { type: 'Continue', restartLimit: 1 },
  },
  advancedcronjob: {
    schedule: '*/5 1-3,22 * jan mon',
    timeZone: 'Europe/Berlin',
    concurrencyPolicy: 'Forbid',
    template: { jobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: jobTemplate } } },
  },
  uniteddeployment: {
    replicas: 6,
    selector: { matchLabels: { app: 'web' } },
    template: { deploymentTemplate: { metadata: { labels: { app: 'web' } }, spec: { selector: app, template } } },
    topology: {
      subsets: [
        {
          name: 'a',
          nodeSelectorTerm: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
          tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }],
          replicas: '20%',
          patch: { spec: { containers: [{ name: 'main', env: [{ name: 'ZONE', value: 'a' }] }] } },
        },
        { name: 'b' },
      ],
      scheduleStrategy: { type: 'Fixed' },
    },
    updateStrategy: { type: 'Manual', manualUpdate: { partitions: { a: 1 } } },
  },
  resourcedistribution: {
    resource: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', labels: { a: 'b' }, annotations: { a: 'b' } },
      data: { a: 'MQ==' },
      stringData: { b: '2' },
    },
    targets: {
      includedNamespaces: { list: [{ name: 'a' }] },
      excludedNamespaces: { list: [{ name: 'b' }] },
      namespaceSelector: app,
    },
  },
  // Of Kubernetes, about to be deleted.
  deployment: { replicas: 1, selector: app, template },
  replicaset: { replicas: 1, selector: app, template },
  namespace: { finalizers: ['kubernetes'] },
  service: { ports: [{ port: 80 }], selector: { app: 'web' } },
  ingress: { rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', pathType: 'Prefix' }] } }] },
  customresourcedefinition: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Game', plural: 'games' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
  containerrecreaterequest: {
    podName: 'p',
    containers: [{ name: 'main', ports: [{ name: 'http', containerPort: 80 }], preStop: { exec: { command: ['true'] } } }],
    strategy: {},
  },
  nodeimage: {
    images: {
      nginx: {
        tags: [{ tag: '1', createdAt: '2026-01-01T00:00:00Z', ownerReferences: [{ name: 'a', uid: 'b' }] }],
        pullSecrets: [{ name: 's' }],
      },
    },
  },
  imagepulljob: { image: 'registry.example.com/nginx:1', ...pull },
  imagelistpulljob: { images: ['nginx', 'busybox'], ...pull },
  podprobemarker: {
    selector: app,
    probes: [{ name: 'p', containerName: 'main', probe, markerPolicy, podConditionType: 'example.com/y' }],
  },
  persistentpodstate: {
    targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' },
    requiredPersistentTopology: { keys: ['topology.kubernetes.io/region'] },
    preferredPersistentTopology: [{ weight: 1, preference: { keys: ['topology.kubernetes.io/zone'] } }],
    persistentPodAnnotations: [{ key: 'example.com/address' }],
  },
  workloadspread: {
    targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    targetFilter: { selector: app, replicasPathList: ['spec.subsets.1.replicas'] },
    subsets: [
      {
        name: 'a',
        maxReplicas: '50%',
        requiredNodeSelector: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] },
        preferredNodeSelector: [{ weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] } }],
        tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }],
        patch: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }] } },
      },
      { name: 'b' },
    ],
    scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 30 } },
  },
  podunavailablebudget: {
    selector: app,
    maxUnavailable: '25%',
    protectOperations: ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'],
    protectTotalReplicas: 10,
    ignoredPodSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
  },
  ephemeraljob: { selector: app, template: { ephemeralContainers: [{ ...container, name: 'debug', targetContainerName: 'main' }] } },
  sidecarset: {
    selector: app,
    namespaceSelector: { matchLabels: { team: 'a' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
    containers: [sidecar],
    initContainers: [{ ...sidecar, name: 'side-init', transferEnv: [] }],
    volumes: podSpec.volumes,
    imagePullSecrets: [{ name: 'pull' }],
    patchPodMetadata: [{ annotations: { a: '{"b":1}' }, patchPolicy: 'MergePatchJson' }],
    updateStrategy: {
      type: 'RollingUpdate',
      partition: '50%',
      maxUnavailable: '20%',
      selector: app,
      scatterStrategy: [{ key: 'a', value: 'b' }],
      priorityStrategy: { weightPriority: [{ weight: 1, matchSelector: app }] },
    },
  },
};
