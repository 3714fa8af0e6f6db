/** Pods as a cluster holds them: about 12 KB of JSON with the managedFields that the server adds, 100 to a workload template. */
import type { Pod } from '@kruise/objects';

const podsPerTemplate = 100;
export const benchNamespace = 'bench';

const probe = (path: string, port: number) => ({
  httpGet: { path, port, scheme: 'HTTP' },
  initialDelaySeconds: 5,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
});

const uidOf = (kind: number, at: number): string =>
  `${kind.toString(16).padStart(8, '0')}-7a3b-4c1d-9e2f-${at.toString(16).padStart(12, '0')}`;
const suffixOf = (at: number): string => ((at * 2_654_435_761) % 60_466_176).toString(36).padStart(5, 'x');
const hexOf = (seed: number): string =>
  Array.from({ length: 8 }, (_, part) => Math.imul(seed + part * 97, 0x9e3779b1) >>> 0)
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('');
const timeOf = (at: number): string => new Date(Date.UTC(2025, 5, 1) + at * 1000).toISOString().replace('.000Z', 'Z');

function container(app: string, name: string, port: number) {
  return {
    name,
    image: `registry.example.com/team/${app}-${name}:v1.24.7`,
    args: [`--config=/etc/${app}/config.yaml`, '--log-level=info', `--listen=:${port}`],
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' as const }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } } },
      { name: 'DATABASE_URL', value: `postgres://${app}.db.svc.cluster.local:5432/${app}` },
      { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: `${app}-secrets`, key: 'token' } } },
      { name: 'GOMAXPROCS', value: '2' },
    ],
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: `/etc/${app}`, readOnly: true },
      { name: 'data', mountPath: '/var/lib/data' },
    ],
    livenessProbe: probe('/healthz', port),
    readinessProbe: probe('/readyz', port),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File' as const,
    imagePullPolicy: 'IfNotPresent' as const,
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  };
}

function initContainer(app: string) {
  const { livenessProbe: _liveness, readinessProbe: _readiness, ...rest } = container(app, 'migrate', 8081);
  return rest;
}

function spec(app: string, at: number, name: string): Pod['spec'] {
  const tokenVolume = `kube-api-access-${suffixOf(at + 7)}`;
  const tokenMount = { name: tokenVolume, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  const withToken = <C extends { volumeMounts: object[] }>(one: C): C => ({ ...one, volumeMounts: [...one.volumeMounts, tokenMount] });
  return {
    nodeName: `node-${at % 200}`,
    hostname: name,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: app,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
    schedulerName: 'default-scheduler',
    initContainers: [withToken(initContainer(app))],
    containers: [withToken(container(app, 'main', 8080)), withToken(container(app, 'proxy', 15001))],
    volumes: [
      { name: 'config', configMap: { name: `${app}-config`, defaultMode: 420 } },
      { name: 'data', emptyDir: {} },
      {
        name: tokenVolume,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            { downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] } },
          ],
        },
      },
    ],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' } },
        ],
      },
    },
  };
}

function status(app: string, at: number): NonNullable<Pod['status']> {
  const startedAt = timeOf(at + 9);
  const containerStatus = (name: string, seed: number) => ({
    name,
    ready: true,
    started: true,
    restartCount: 0,
    image: `registry.example.com/team/${app}-${name}:v1.24.7`,
    imageID: `registry.example.com/team/${app}-${name}@sha256:${hexOf(app.length * 131 + name.length)}`,
    containerID: `containerd://${hexOf(at * 10 + seed)}`,
    state: { running: { startedAt } },
  });
  return {
    phase: 'Running',
    hostIP: `10.0.${(at % 200) >> 4}.${at % 200}`,
    podIP: `10.244.${(at >> 8) % 256}.${at % 256}`,
    podIPs: [{ ip: `10.244.${(at >> 8) % 256}.${at % 256}` }],
    qosClass: 'Burstable',
    startTime: timeOf(at),
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type, index) => ({
      type,
      status: 'True',
      lastTransitionTime: timeOf(at + index),
    })),
    initContainerStatuses: [
      {
        ...containerStatus('migrate', 3),
        state: {
          terminated: {
            exitCode: 0,
            reason: 'Completed',
            startedAt: timeOf(at + 2),
            finishedAt: timeOf(at + 4),
            containerID: `containerd://${hexOf(at * 10 + 3)}`,
          },
        },
      },
    ],
    containerStatuses: [containerStatus('main', 1), containerStatus('proxy', 2)],
  };
}

/** @param at counts from 0; every {@link podsPerTemplate} of them come of one template */
export function realisticPod(at: number): Pod {
  const template = Math.floor(at / podsPerTemplate);
  const app = `service-${String(template).padStart(3, '0')}`;
  const hash = suffixOf(template + 1000);
  const name = `${app}-${hash}-${suffixOf(at)}`;
  return {
    metadata: {
      name,
      generateName: `${app}-${hash}-`,
      namespace: benchNamespace,
      labels: {
        app,
        'app.kubernetes.io/name': app,
        'app.kubernetes.io/part-of': 'shop',
        'app.kubernetes.io/managed-by': 'kruise',
        'pod-template-hash': hash,
        tier: 'backend',
      },
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '8080',
        'checksum/config': hexOf(template),
        'example.com/node-pool': 'general',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-${hash}`,
          uid: uidOf(1, template),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: spec(app, at, name),
    status: status(app, at),
  };
}
