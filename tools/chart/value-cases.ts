/** For each value of the chart, one that differs from the default, and the other values with which it has an effect. */
import type { Values } from './render.ts';

export interface ValueCase {
  readonly value: unknown;
  readonly given?: Values;
}

const toleration = [{ key: 'pool', operator: 'Exists' }];
const zoneTerm = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [zoneTerm] } };
const environment = [{ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' }];
const resources = { limits: { memory: '3Gi' } };
const policy = { 'networkPolicy.enabled': true };
const budget = { 'manager.podDisruptionBudget.enabled': true };
const provider = { 'daemon.credentialProvider.enable': true };
const windows = { 'daemon.windowsImage.repository': 'example/agent-win', 'daemon.windowsImage.tag': 'v3' };
const scraped = { 'monitoring.serviceMonitor.enabled': true, 'monitoring.podMonitor.enabled': true };

export const valueCases: Readonly<Record<string, ValueCase>> = {
  preset: { value: 'small' },
  nameOverride: { value: 'other' },
  fullnameOverride: { value: 'other' },
  'global.imageRegistry': { value: 'registry.example:5000', given: { 'tests.enabled': true, ...windows } },
  'crds.managed': { value: false, given: { 'crds.managed': true } },
  'crds.keep': { value: false, given: { 'crds.managed': true } },
  'crds.storageVersion': { value: 'v1alpha1', given: { 'crds.managed': true } },
  'crds.migrateStorage.enabled': { value: true },
  'installation.namespace': { value: 'other' },
  'installation.createNamespace': { value: false },
  'installation.roleListGroups': {
    value: ['apps'],
    given: { featureGates: 'ResourcesDeletionProtection=true,DeletionProtectionForCRDCascadingGate=true' },
  },
  'installation.scaledKinds': { value: ['rollouts.argoproj.io'] },
  'installation.secretsAccess': { value: 'off' },
  'installation.configRolloutSecrets': {
    value: 'cluster',
    given: { featureGates: 'ConfigRollout=true', 'installation.secretsAccess': 'off' },
  },
  'installation.podSecurity': { value: 'baseline' },
  featureGates: { value: 'PodWebhook=false' },
  'externalCerts.annotations': {
    value: { 'cert-manager.io/inject-ca-from': 'kruise-system/kruise-webhook-certs' },
    given: { 'crds.managed': true },
  },
  enableKubeCacheMutationDetector: { value: true },
  imagePullSecrets: { value: [{ name: 'registry' }] },
  'manager.replicas': { value: 3 },
  'manager.image.repository': { value: 'example/manager' },
  'manager.image.tag': { value: 'latest' },
  'manager.image.pullPolicy': { value: 'Never' },
  'manager.log.level': { value: '5' },
  'manager.loggingFormat': { value: 'json' },
  'manager.webhook.port': { value: 9443 },
  'manager.webhook.clientCAConfigMap': { value: 'api-server-clients' },
  'manager.metrics.port': { value: 8081 },
  'manager.metrics.service.enabled': { value: true },
  'manager.healthProbe.port': { value: 8001 },
  'manager.livenessProbe.enabled': { value: true },
  'manager.pprofAddr': { value: 'localhost:9090' },
  'manager.scratchSizeLimit': { value: '1Gi' },
  'manager.resyncPeriod': { value: '10h' },
  'manager.resources': { value: resources },
  'manager.hostNetwork': { value: true },
  'manager.multiAZ': { value: 'equivalent' },
  'manager.nodeAffinity': { value: nodeAffinity },
  'manager.affinity': { value: { nodeAffinity } },
  'manager.nodeSelector': { value: { pool: 'system' } },
  'manager.tolerations': { value: toleration },
  'manager.topologySpreadConstraints': {
    value: [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }],
  },
  'manager.priorityClassName': { value: 'system-cluster-critical' },
  'manager.podDisruptionBudget.enabled': { value: true },
  'manager.podDisruptionBudget.minAvailable': { value: '50%', given: budget },
  'manager.podDisruptionBudget.maxUnavailable': { value: 2, given: budget },
  'manager.extraArgs': { value: ['--cloneset-workers=10', '--vmodule=webhook=5'] },
  'manager.extraEnvs': { value: environment },
  'webhookConfiguration.timeoutSeconds': { value: 10 },
  'webhookConfiguration.aksIntegration': { value: true },
  'daemon.namespace': { value: 'kruise-daemon' },
  'daemon.image.repository': { value: 'example/agent' },
  'daemon.image.tag': { value: 'v2' },
  'daemon.windowsImage.repository': { value: 'example/agent-win' },
  'daemon.windowsImage.tag': { value: 'v4', given: windows },
  'daemon.log.level': { value: '5' },
  'daemon.port': { value: 10_331 },
  'daemon.enablePprof': { value: false },
  'daemon.pprofAddr': { value: 'localhost:9091' },
  'daemon.scratchSizeLimit': { value: '1Gi' },
  'daemon.socketLocation': { value: '/run/k3s' },
  'daemon.socketFile': { value: 'containerd/containerd.sock' },
  'daemon.nodeSelector': { value: { pool: 'x' }, given: windows },
  'daemon.affinity': { value: { nodeAffinity } },
  'daemon.tolerations': { value: toleration },
  'daemon.priorityClassName': { value: 'system-node-critical' },
  'daemon.resources': { value: resources },
  'daemon.extraArgs': { value: ['--max-workers-for-pull-image=2'] },
  'daemon.extraEnvs': { value: environment },
  'daemon.credentialProvider.enable': { value: true },
  'daemon.credentialProvider.configmap': { value: 'providers', given: provider },
  'daemon.credentialProvider.hostPath': { value: '/opt/plugins', given: provider },
  'daemon.credentialProvider.awsCredentialsDir': { value: '/root/.aws', given: provider },
  'daemon.restrictToNode': { value: false },
  'daemon.configNamespace': { value: 'agents' },
  'daemon.createConfigNamespace': { value: false },
  'serviceAccount.annotations': { value: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/kruise' } },
  'helmHooks.enabled': { value: false },
  'helmHooks.image.repository': { value: 'example/hook' },
  'helmHooks.image.tag': { value: 'v2' },
  'helmHooks.nodeSelector': { value: { pool: 'system' } },
  'helmHooks.tolerations': { value: toleration },
  'helmHooks.affinity': { value: { nodeAffinity } },
  'helmHooks.imagePullSecrets': { value: [{ name: 'registry' }] },
  'tests.enabled': { value: true },
  'tests.timeout': { value: '30s', given: { 'tests.enabled': true } },
  'monitoring.labels': { value: { release: 'prometheus' }, given: { ...scraped, 'monitoring.prometheusRule.enabled': true } },
  'monitoring.interval': { value: '60s', given: scraped },
  'monitoring.serviceMonitor.enabled': { value: true },
  'monitoring.podMonitor.enabled': { value: true },
  'monitoring.prometheusRule.runbookUrl': {
    value: 'https://runbooks.example/kruise',
    given: { 'monitoring.prometheusRule.enabled': true },
  },
  'monitoring.prometheusRule.enabled': { value: true },
  'monitoring.grafanaDashboards.enabled': { value: true },
  'monitoring.grafanaDashboards.labels': { value: { folder: 'kruise' }, given: { 'monitoring.grafanaDashboards.enabled': true } },
  'networkPolicy.enabled': { value: true },
  'networkPolicy.metricsFrom': { value: [{ podSelector: { matchLabels: { app: 'prometheus' } } }], given: policy },
  'networkPolicy.apiServerPorts': { value: [443], given: policy },
  'networkPolicy.apiServerCIDRs': { value: ['10.0.0.0/28'], given: policy },
};
