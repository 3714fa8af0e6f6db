/**
 * An upgrade of a release of the original chart to this one, on a real API server: nothing is recreated, nothing is lost. The original is what
 * is recorded of it: its CRDs, roles and webhooks, and the objects with fixed names and selectors.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, recordedCrds, recordedInstallation, silent, startControlPlane, type ControlPlane } from '@kruise/testing';
import { chartFolder, helm } from './render.ts';

type Json = Readonly<Record<string, unknown>>;

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

interface RoleFact {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | null;
  readonly rules?: readonly Json[];
  readonly labels?: Json;
  readonly roleRef?: Json;
  readonly subjects?: readonly Json[];
}

const rbac = 'rbac.authorization.k8s.io';
function roleObject({ kind, name, namespace, rules, labels, roleRef, subjects }: RoleFact): Json {
  const metadata = { name, ...(namespace === null ? {} : { namespace }), ...(labels === undefined ? {} : { labels }) };
  const content = roleRef === undefined ? { rules } : { roleRef: { apiGroup: rbac, ...roleRef }, subjects };
  return { apiVersion: `${rbac}/v1`, kind, metadata, ...content };
}

const system = 'kruise-system';
const cloneSetsPath = '/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets';
const workload = (kind: string, name: string, label: string): Json => {
  const labels = { 'control-plane': label };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: system, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'openkruise/kruise-manager:v1.8.0' }] } },
    },
  };
};

function originalObjects(): readonly Json[] {
  const { objects, bindings } = (recordedInstallation('rbac') as { chart: { objects: readonly RoleFact[]; bindings: readonly RoleFact[] } })
    .chart;
  const ofRelease = ({ name }: RoleFact): boolean => !name.startsWith('kruise-helm-hook');
  const crds = [...recordedCrds().values()].map((fact) => crd(fact as CrdFact));
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
    workload('Deployment', 'kruise-controller-manager', 'controller-manager'),
    workload('DaemonSet', 'kruise-daemon', 'daemon'),
    ...objects.filter(ofRelease).map(roleObject),
    ...bindings.filter(ofRelease).map(roleObject),
    ...crds,
  ];
}

describe("an upgrade of the original's release", () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-original-'));
  let plane: ControlPlane;
  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    mkdirSync(join(dir, 'templates'));
    writeFileSync(join(dir, 'Chart.yaml'), 'apiVersion: v1\nname: kruise\nversion: 1.8.0\n');
    // JSON is YAML, and braces of schemas are no actions: the text is taken from a file that is not a template.
    writeFileSync(
      join(dir, 'objects.yaml'),
      originalObjects()
        .map((object) => JSON.stringify(object))
        .join('\n---\n'),
    );
    writeFileSync(join(dir, 'templates/all.yaml'), '{{ .Files.Get "objects.yaml" }}');
    plane = await startControlPlane();
    await helm(['install', 'kruise', dir], plane.kubeconfigPath);
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(100))
      if (await plane.api.request(cloneSetsPath).catch(() => undefined)) return;
    throw new Error('CloneSets are not served');
  });
  afterAll(async () => {
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const get = async (path: string): Promise<{ readonly metadata: { readonly uid: string; readonly generation?: number } } & Json> =>
    (await plane.api.request(path)) as never;
  const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const kept = [
    `/api/v1/namespaces/${system}`,
    `/api/v1/namespaces/${system}/services/kruise-webhook-service`,
    `/api/v1/namespaces/${system}/secrets/kruise-webhook-certs`,
    `/apis/apps/v1/namespaces/${system}/deployments/kruise-controller-manager`,
    `/apis/apps/v1/namespaces/${system}/daemonsets/kruise-daemon`,
    `${crdsPath}/clonesets.apps.kruise.io`,
    `${crdsPath}/podunavailablebudgets.policy.kruise.io`,
    `/apis/${rbac}/v1/clusterrolebindings/kruise-manager-rolebinding`,
    `${cloneSetsPath}/web`,
  ];

  it('changes every object where it is, and leaves the workloads as they are', async () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
    await plane.api.request(cloneSetsPath, {
      method: 'POST',
      body: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'web' }, spec },
    });
    const before = await Promise.all(kept.map(get));
    await helm(['upgrade', 'kruise', chartFolder, '--reset-values', '--set', 'installation.podSecurity=none'], plane.kubeconfigPath);
    const after = await Promise.all(kept.map(get));
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.at(-1)).toEqual(before.at(-1));
    expect(after[2]).toMatchObject({ data: { 'ca-cert.pem': 'YQ==' } });
    expect((after[1]?.['spec'] as Json)['clusterIP']).toBe((before[1]?.['spec'] as Json)['clusterIP']);
  });

  it('can be rolled back', async () => {
    const before = await get(`${cloneSetsPath}/web`);
    await helm(['rollback', 'kruise', '1'], plane.kubeconfigPath);
    expect(await get(`${cloneSetsPath}/web`)).toEqual(before);
  });
});
