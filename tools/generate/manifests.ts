/** The plain manifests beside CRDs, RBAC and webhooks: namespaces, accounts, manager and daemon as one applies them without Helm. */
import { readFileSync } from 'node:fs';
import { withHashOrigin, type Generator } from './generator.ts';
import { daemonAccount, managerAccount, plainDaemonConfigNamespace, plainNamespace, webhookServiceName } from './names.ts';
import { toYaml } from './yaml.ts';

const source = 'tools/generate/manifests.ts';
const folder = 'deploy/manifests/generated/workloads';

/** Replaced by `images:` of the kustomization. */
const image = 'openkruise/kruise-manager:latest';

const managerLabels = { 'control-plane': 'controller-manager' };
const daemonLabels = { 'control-plane': 'daemon' };

/** All features, but certificates of our own and templates as they are written. */
const managerGates = 'AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false';

const inNamespace = (name: string, namespace = plainNamespace): object => ({ name, namespace });

/** The daemon needs the host, so the namespace cannot enforce more; what the manager would need is checked in the audit log. */
const namespaces = (): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: plainNamespace,
      labels: {
        'control-plane': 'controller-manager',
        'pod-security.kubernetes.io/enforce': 'privileged',
        'pod-security.kubernetes.io/audit': 'restricted',
      },
    },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: plainDaemonConfigNamespace } },
];

const accounts = (): readonly object[] =>
  [managerAccount, daemonAccount].map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace(name) }));

/** Both are left to the manager: it fills the Secret, and the configurations point to the Service. */
const webhookObjects = (): readonly object[] => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: inNamespace(webhookServiceName),
    spec: { ports: [{ port: 443, targetPort: 9876 }], selector: managerLabels },
  },
  { apiVersion: 'v1', kind: 'Secret', metadata: inNamespace('kruise-webhook-certs'), type: 'Opaque' },
];

const env = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });

const probe = (port: number, path: string, more: object): object => ({ httpGet: { path, port }, ...more });

/** What Pod Security "restricted" requests. */
const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
};

const scratch = (names: readonly string[]): { readonly volumes: readonly object[]; readonly volumeMounts: readonly object[] } => ({
  volumes: names.map((name) => ({ name, emptyDir: { sizeLimit: '256Mi' } })),
  volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
});

function manager(): object {
  const { volumes, volumeMounts } = scratch(['tmp', 'log']);
  const container = {
    name: 'manager',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/manager'],
    args: ['--enable-leader-election', '--logtostderr=true', '--v=5', `--feature-gates=${managerGates}`],
    env: [env('POD_NAMESPACE', 'metadata.namespace')],
    ports: [
      { name: 'webhook-server', containerPort: 9876, protocol: 'TCP' },
      { name: 'metrics', containerPort: 8080, protocol: 'TCP' },
      { name: 'health', containerPort: 8000, protocol: 'TCP' },
    ],
    readinessProbe: probe(8000, '/readyz', { periodSeconds: 2, failureThreshold: 15 }),
    livenessProbe: probe(8000, '/healthz', { initialDelaySeconds: 60, periodSeconds: 20 }),
    resources: { limits: { cpu: '2', memory: '2Gi' }, requests: { cpu: '100m', memory: '200Mi' } },
    securityContext: restricted,
    volumeMounts,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...inNamespace('kruise-controller-manager'), labels: managerLabels },
    spec: {
      replicas: 1,
      selector: { matchLabels: managerLabels },
      template: {
        metadata: { labels: managerLabels },
        spec: {
          serviceAccountName: managerAccount,
          terminationGracePeriodSeconds: 10,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65534,
            runAsGroup: 65534,
            fsGroup: 65534,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [container],
          volumes,
        },
      },
    },
  };
}

function daemon(): object {
  const { volumes, volumeMounts } = scratch(['tmp', 'log']);
  const container = {
    name: 'daemon',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/kruise-daemon'],
    args: [
      '--logtostderr=true',
      '-v=5',
      '--feature-gates=AllAlpha=true,AllBeta=true',
      '--max-workers-for-pull-image=2',
      // On the host's network: to others on the node, not to other nodes.
      '--pprof-addr=localhost:10222',
    ],
    env: [env('NODE_NAME', 'spec.nodeName')],
    livenessProbe: probe(10221, '/healthz', { initialDelaySeconds: 60, periodSeconds: 10, timeoutSeconds: 1, failureThreshold: 3 }),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    resources: { limits: { cpu: '200m', memory: '256Mi' }, requests: { cpu: '0', memory: '0' } },
    securityContext: { ...restricted, runAsUser: 0, runAsGroup: 0, seccompProfile: { type: 'RuntimeDefault' } },
    volumeMounts: [{ name: 'runtime-socket', mountPath: '/hostvarrun', readOnly: true }, ...volumeMounts],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...inNamespace('kruise-daemon'), labels: daemonLabels },
    spec: {
      selector: { matchLabels: daemonLabels },
      minReadySeconds: 3,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        metadata: { labels: daemonLabels },
        spec: {
          serviceAccountName: daemonAccount,
          terminationGracePeriodSeconds: 10,
          hostNetwork: true,
          dnsPolicy: 'ClusterFirstWithHostNet',
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [{ operator: 'Exists' }],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] }] }],
              },
            },
          },
          containers: [container],
          volumes: [{ name: 'runtime-socket', hostPath: { path: '/var/run' } }, ...volumes],
        },
      },
    },
  };
}

const file = (name: string, objects: readonly object[]): { readonly path: string; readonly content: string } => ({
  path: `${folder}/${name}.yaml`,
  content: withHashOrigin(source, objects.map(toYaml).join('---\n')),
});

const policyTemplate = 'charts/kruise/templates/daemon-policy.yaml';

/** The chart's policy that binds the token of a daemon to its node, with its actions carried out. */
function nodePolicy(): string {
  const text = readFileSync(new URL(`../../${policyTemplate}`, import.meta.url), 'utf8')
    .replace(/^\{\{- if .*\}\}\n\{\{- \/\*[^]*?\*\/\}\}\n/, '')
    .replace(/\{\{- end \}\}\n$/, '')
    .replaceAll('{{ include "kruise.daemonNamespace" . }}', plainNamespace);
  if (text.includes('{{')) throw new Error(`${policyTemplate} has an action that the plain manifests do not know`);
  return text;
}

export const manifestGenerator: Generator = {
  name: 'plain manifests',
  folders: [folder],
  files: () => [
    file('namespaces', namespaces()),
    file('accounts', accounts()),
    file('webhook-service', webhookObjects()),
    file('manager', [manager()]),
    file('daemon', [daemon()]),
    { path: `${folder}/daemon-policy.yaml`, content: withHashOrigin(policyTemplate, nodePolicy()) },
  ],
};
