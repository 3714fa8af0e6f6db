/**
 * A chart that installs what is recorded of a release of the original chart: its CRDs, roles, bindings, and the objects with fixed names and
 * selectors. Released charts of the 1.8 and 1.9 lines serve seven kinds in v1alpha1 alone.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedCrds, recordedInstallation } from '@kruise/testing';

export type Json = Readonly<Record<string, unknown>>;

interface CrdFact {
  readonly name: string;
  readonly group: string;
  readonly names: Json;
  readonly scope: string;
  readonly versions: readonly Json[];
  readonly conversion: { readonly strategy: string; readonly serviceName?: string; readonly serviceNamespace?: string };
}

const crd = ({ name, group, names, scope, versions, conversion }: CrdFact): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: {
    group,
    names,
    scope,
    versions,
    conversion:
      conversion.strategy === 'None'
        ? { strategy: 'None' }
        : {
            strategy: 'Webhook',
            webhook: {
              conversionReviewVersions: ['v1', 'v1beta1'],
              clientConfig: {
                service: { name: conversion.serviceName, namespace: conversion.serviceNamespace, path: '/convert', port: 443 },
              },
            },
          },
  },
});

const alphaOnly: ReadonlySet<string> = new Set([
  'clonesets.apps.kruise.io',
  'containerrecreaterequests.apps.kruise.io',
  'persistentpodstates.apps.kruise.io',
  'podunavailablebudgets.policy.kruise.io',
  'resourcedistributions.apps.kruise.io',
  'uniteddeployments.apps.kruise.io',
  'workloadspreads.apps.kruise.io',
]);

/** The CRD as the released charts have it. */
function released(fact: CrdFact): CrdFact {
  if (!alphaOnly.has(fact.name)) return fact;
  const versions = fact.versions.filter(({ name }) => name === 'v1alpha1').map((version) => ({ ...version, storage: true }));
  return { ...fact, versions, conversion: { strategy: 'None' } };
}

interface RoleFact {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly rules?: readonly Json[];
  readonly labels?: Json;
  readonly roleRef?: Json;
  readonly subjects?: readonly Json[];
}

export const rbac = 'rbac.authorization.k8s.io';
function roleObject({ kind, name, namespace, rules, labels, roleRef, subjects }: RoleFact): Json {
  const metadata = { name, ...(namespace === null ? {} : { namespace }), ...(labels === undefined ? {} : { labels }) };
  const content = roleRef === undefined ? { rules } : { roleRef: { apiGroup: rbac, ...roleRef }, subjects };
  return { apiVersion: `${rbac}/v1`, kind, metadata, ...content };
}

export const system = 'kruise-system';
const workload = (kind: string, name: string, version: string): Json => {
  const label = kind === 'Deployment' ? 'controller-manager' : 'daemon';
  const labels = { 'control-plane': label };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: system, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: `openkruise/kruise-manager:v${version}` }] } },
    },
  };
};

function originalObjects(version: string): readonly Json[] {
  const { objects, bindings } = (recordedInstallation('rbac') as { chart: { objects: readonly RoleFact[]; bindings: readonly RoleFact[] } })
    .chart;
  const ofRelease = ({ name }: RoleFact): boolean => !name.startsWith('kruise-helm-hook');
  const crds = [...recordedCrds().values()].map((fact) => crd(released(fact as CrdFact)));
  const plain = (kind: string, name: string, more: Json = {}): Json => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: system },
    ...more,
  });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: system, labels: { 'control-plane': 'openkruise' } } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kruise-daemon-config' } },
    plain('ServiceAccount', 'kruise-manager'),
    plain('ServiceAccount', 'kruise-daemon'),
    plain('Secret', 'kruise-webhook-certs', { type: 'Opaque', data: { 'ca-cert.pem': 'YQ==' } }),
    plain('Service', 'kruise-webhook-service', {
      spec: { ports: [{ port: 443, targetPort: 9876 }], selector: { 'control-plane': 'controller-manager' } },
    }),
    workload('Deployment', 'kruise-controller-manager', version),
    workload('DaemonSet', 'kruise-daemon', version),
    ...objects.filter(ofRelease).map(roleObject),
    ...bindings.filter(ofRelease).map(roleObject),
    ...crds,
  ];
}

/** Values of these charts that users may have in their files; both lines have the same ones but `aksIntegration`. */
export const originalValues: Json = {
  crds: { managed: true },
  installation: { namespace: system, createNamespace: true, roleListGroups: ['*'] },
  featureGates: 'ImagePullJobGate=true',
  externalCerts: { annotations: {} },
  enableKubeCacheMutationDetector: false,
  imagePullSecrets: [],
  manager: {
    log: { level: '4' },
    replicas: 2,
    webhook: { port: 9876 },
    metrics: { port: 8080 },
    healthProbe: { port: 8000 },
    pprofAddr: 'localhost:8090',
    resyncPeriod: '0',
    loggingFormat: '',
    hostNetwork: false,
    nodeAffinity: {},
    nodeSelector: {},
    tolerations: [],
  },
  webhookConfiguration: { timeoutSeconds: 30, aksIntegration: false },
  daemon: {
    log: { level: '4' },
    port: 10_221,
    enablePprof: true,
    pprofAddr: 'localhost:10222',
    socketLocation: '/var/run',
    socketFile: '',
    nodeSelector: {},
    extraEnvs: [],
    credentialProvider: {
      enable: false,
      configmap: 'credential-provider-config',
      hostPath: 'credential-provider-plugin',
      awsCredentialsDir: '',
    },
  },
  serviceAccount: { annotations: {} },
};

/** Writes the chart of a release into a folder of `dir`. @returns the folder */
export function writeOriginalChart(dir: string, version: string): string {
  const folder = join(dir, version);
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), `apiVersion: v1\nname: kruise\nversion: ${version}\n`);
  // JSON is YAML, and braces of schemas are no actions: the text is taken from a file that is not a template.
  const objects = originalObjects(version).map((object) => JSON.stringify(object));
  writeFileSync(join(folder, 'objects.yaml'), objects.join('\n---\n'));
  writeFileSync(join(folder, 'templates/all.yaml'), '{{ .Files.Get "objects.yaml" }}');
  return folder;
}
