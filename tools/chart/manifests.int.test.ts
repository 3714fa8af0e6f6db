import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds, crdName } from '@kruise/api';
import { ensureBinaries, silent, startControlPlane, type ControlPlane } from '@kruise/testing';

const folder = join(dirname(dirname(import.meta.dirname)), 'deploy/manifests');

interface Workload {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [{ readonly image: string }] } } };
}

describe('the plain manifests on an API server', () => {
  let plane: ControlPlane;
  let kubectl: string;
  beforeAll(async () => {
    kubectl = (await ensureBinaries(['kubectl'], silent)).kubectl;
    plane = await startControlPlane();
    await apply();
  });
  afterAll(() => plane.stop());

  async function apply(): Promise<string> {
    const args = ['--kubeconfig', plane.kubeconfigPath, 'apply', '--server-side', '-k', folder];
    return (await promisify(execFile)(kubectl, args)).stdout;
  }

  const get = <T>(path: string): Promise<T> => plane.api.request(path) as Promise<T>;

  it('install every CRD', async () => {
    const { items } = await get<{ items: readonly { metadata: { name: string } }[] }>(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    );
    expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(allKinds.map(crdName).sort());
  });

  it('bind the token of an agent to its node', async () => {
    const at = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic';
    expect(await get(`${at}ies/kruise-daemon-node`)).toMatchObject({
      spec: {
        matchConditions: [{ expression: expect.stringContaining('"system:serviceaccount:kruise-system:kruise-daemon"') as unknown }],
      },
    });
    expect(await get(`${at}ybindings/kruise-daemon-node`)).toMatchObject({
      spec: { policyName: 'kruise-daemon-node', validationActions: ['Deny'] },
    });
  });

  it('run manager and daemon from one image that has a version', async () => {
    const workloads = ['deployments/kruise-controller-manager', 'daemonsets/kruise-daemon'].map((name) =>
      get<Workload>(`/apis/apps/v1/namespaces/kruise-system/${name}`),
    );
    const images = (await Promise.all(workloads)).map(({ spec }) => spec.template.spec.containers[0].image);
    expect(new Set(images).size).toBe(1);
    expect(images[0]).toMatch(/:v\d+\.\d+\.\d+$/);
  });

  /** By path and name; a generation counts the changes of what was requested. */
  async function generations(): Promise<Readonly<Record<string, number | undefined>>> {
    const paths = [
      '/apis/apps/v1/namespaces/kruise-system/deployments',
      '/apis/apps/v1/namespaces/kruise-system/daemonsets',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    ];
    const lists = await Promise.all(
      paths.map((path) => get<{ items: readonly { metadata: { name: string; generation?: number } }[] }>(path)),
    );
    const all = lists.flatMap(({ items }, at) => items.map(({ metadata }) => [`${paths[at]}/${metadata.name}`, metadata.generation]));
    return Object.fromEntries(all) as Readonly<Record<string, number | undefined>>;
  }

  it('can be applied again without a change of what the user requested', async () => {
    const before = await generations();
    expect(Object.keys(before)).toHaveLength(2 + allKinds.length + 2);
    const lines = (await apply()).trim().split('\n');
    expect(lines.length).toBeGreaterThan(Object.keys(before).length);
    expect(lines.filter((line) => !line.endsWith('serverside-applied'))).toEqual([]);
    expect(await generations()).toEqual(before);
  });

  it('have a manager that Pod Security "restricted" admits', async () => {
    await plane.api.request('/api/v1/namespaces', {
      method: 'POST',
      body: {
        metadata: { name: 'strict', labels: { 'control-plane': 'no-webhooks', 'pod-security.kubernetes.io/enforce': 'restricted' } },
      },
    });
    const { spec } = await get<Workload>('/apis/apps/v1/namespaces/kruise-system/deployments/kruise-controller-manager');
    const { serviceAccountName: _, ...podSpec } = spec.template.spec as unknown as Record<string, unknown>;
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'manager' }, spec: podSpec };
    await expect(plane.api.request('/api/v1/namespaces/strict/pods?dryRun=All', { method: 'POST', body: pod })).resolves.toBeDefined();
  });
});
