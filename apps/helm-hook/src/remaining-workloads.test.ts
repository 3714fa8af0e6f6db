import { describe, expect, it } from '@jest/globals';
import { FakeApi } from '@kruise/kube/testing';
import type { KubeObject } from '@kruise/objects';
import { remainingWorkloads } from './remaining-workloads.ts';

const group = 'apps.kruise.io';
const path = (version: string): string => `/apis/${group}/${version}`;
const served = (...names: readonly string[]): object => ({ resources: names.flatMap((name) => [{ name }, { name: `${name}/status` }]) });

function cluster(answers: Readonly<Record<string, object>>): FakeApi {
  const api = new FakeApi();
  for (const [version, answer] of Object.entries(answers)) api.rawAnswers.set(path(version), answer);
  return api;
}

async function having(api: FakeApi, version: string, kind: string, plural: string): Promise<void> {
  const object: KubeObject = { apiVersion: `${group}/${version}`, kind, metadata: { namespace: 'default', name: 'a' } };
  await api.create({ group, version, kind, plural, namespaced: true }, object);
}

const never = new AbortController().signal;
const everything = ['clonesets', 'statefulsets', 'daemonsets', 'sidecarsets', 'uniteddeployments', 'broadcastjobs'];

describe('what remains in the cluster', () => {
  it('is nothing when there are no objects', async () => {
    expect(await remainingWorkloads(cluster({ v1beta1: served(...everything), v1alpha1: served(...everything) }), never)).toEqual({
      blocking: [],
      noted: [],
    });
  });

  it('is nothing, and no failure, without any CRD', async () => {
    expect(await remainingWorkloads(cluster({}), never)).toEqual({ blocking: [], noted: [] });
  });

  it('names every kind that stops the uninstall, and those that do not apart', async () => {
    const api = cluster({ v1beta1: served(...everything) });
    await having(api, 'v1beta1', 'DaemonSet', 'daemonsets');
    await having(api, 'v1beta1', 'StatefulSet', 'statefulsets');
    await having(api, 'v1beta1', 'CloneSet', 'clonesets');
    await having(api, 'v1beta1', 'BroadcastJob', 'broadcastjobs');
    expect(await remainingWorkloads(api, never)).toEqual({
      blocking: ['clonesets', 'advanced daemonsets', 'advanced statefulsets'],
      noted: ['broadcastjobs'],
    });
  });

  it('is found in the version that the cluster serves', async () => {
    const api = cluster({ v1alpha1: served('clonesets') });
    await having(api, 'v1alpha1', 'CloneSet', 'clonesets');
    expect((await remainingWorkloads(api, never)).blocking).toEqual(['clonesets']);
  });

  it('is requested with the metadata of one object at a time', async () => {
    const api = cluster({ v1beta1: served('clonesets') });
    await having(api, 'v1beta1', 'CloneSet', 'clonesets');
    const before = api.calls.length;
    await remainingWorkloads(api, never);
    expect(api.calls.slice(before).flatMap(({ verb, part }) => (verb === 'list' ? [part] : []))).toEqual(['Metadata']);
  });

  it('is unknown when the cluster does not answer', async () => {
    const api = cluster({ v1beta1: served('clonesets') });
    api.faults = { before: ({ verb }) => (verb === 'list' ? Promise.reject(new Error('no answer')) : undefined) };
    await expect(remainingWorkloads(api, never)).rejects.toThrow('no answer');
  });
});
