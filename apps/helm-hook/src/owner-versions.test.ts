import { describe, expect, it } from '@jest/globals';
import { allKinds, cloneSets, crdName, resourceDistributions, unitedDeployments } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import {
  controllerRevisions,
  customResourceDefinitions,
  pods,
  secrets,
  type KubeObject,
  type OwnerReference,
  type ResourceType,
} from '@kruise/objects';
import { rewriteOwnerVersions, type Referenced } from './owner-versions.ts';

type Version = 'v1alpha1' | 'v1beta1';

const reference = (kind: string, version: string, group = 'apps.kruise.io'): OwnerReference => ({
  apiVersion: `${group}/${version}`,
  kind,
  name: 'owner',
  uid: `uid-of-${kind}`,
  controller: true,
  blockOwnerDeletion: true,
});

async function install(api: FakeApi, owner: ResourceType, storage: Version): Promise<void> {
  const kind = allKinds.find(({ plural }) => plural === owner.plural);
  if (kind === undefined) throw new Error(`no kind ${owner.plural}`);
  const versions = kind.versions.map(({ name }) => ({ name, storage: name === storage }));
  await api.create(customResourceDefinitions, { metadata: { name: crdName(kind) }, spec: { versions } } as unknown as KubeObject);
  await api.create(owner, { metadata: { name: 'owner', ...(owner.namespaced ? { namespace: 'ns' } : {}) } });
}

const dependent = (name: string, ...ownerReferences: readonly OwnerReference[]): KubeObject => ({
  metadata: { name, namespace: 'ns', ownerReferences },
});

const rewrite = (api: FakeApi, clock = new FakeClock()): Promise<readonly Referenced[]> =>
  rewriteOwnerVersions({ client: api, clock, signal: new AbortController().signal });

const ownersOf = async (api: FakeApi, type: ResourceType, name: string): Promise<readonly OwnerReference[] | undefined> =>
  (await api.get(type, { namespace: 'ns', name })).metadata.ownerReferences;

describe('owner references before a return', () => {
  it('name the owner in v1alpha1, and are otherwise as before', async () => {
    const api = new FakeApi();
    await install(api, cloneSets, 'v1alpha1');
    const foreign = reference('Backup', 'v1', 'example.com');
    await api.create(pods, dependent('web-1', foreign, reference('CloneSet', 'v1beta1')) as never);
    await api.create(controllerRevisions, dependent('web-r', reference('CloneSet', 'v1beta1')) as never);
    const done = await rewrite(api);
    expect(done.filter(({ objects }) => objects > 0)).toEqual([
      { name: 'pods', objects: 1, failures: [] },
      { name: 'controllerrevisions.apps', objects: 1, failures: [] },
    ]);
    expect(await ownersOf(api, pods, 'web-1')).toEqual([foreign, reference('CloneSet', 'v1alpha1')]);
    expect(await ownersOf(api, controllerRevisions, 'web-r')).toEqual([reference('CloneSet', 'v1alpha1')]);
  });

  it('are not written where they name v1alpha1, another kind or no owner; and not the second time', async () => {
    const api = new FakeApi();
    await install(api, cloneSets, 'v1alpha1');
    await api.create(pods, dependent('old', reference('CloneSet', 'v1alpha1')) as never);
    await api.create(pods, dependent('other', reference('StatefulSet', 'v1beta1')) as never);
    await api.create(pods, dependent('alone') as never);
    await api.create(pods, dependent('new', reference('CloneSet', 'v1beta1')) as never);
    expect((await rewrite(api)).find(({ name }) => name === 'pods')).toMatchObject({ objects: 1 });
    expect((await rewrite(api)).find(({ name }) => name === 'pods')).toMatchObject({ objects: 0 });
    expect(api.calls.filter(({ verb }) => verb === 'patch').map(({ key }) => key.name)).toEqual(['new']);
  });

  it.each<{ name: string; prepare: (api: FakeApi) => Promise<unknown> }>([
    { name: 'is stored in v1beta1', prepare: (api) => install(api, cloneSets, 'v1beta1') },
    { name: 'has no CRD', prepare: async () => undefined },
    {
      name: 'has no object',
      prepare: async (api) => {
        await install(api, cloneSets, 'v1alpha1');
        await api.delete(cloneSets, { namespace: 'ns', name: 'owner' });
      },
    },
  ])('are not looked for where the kind $name', async ({ prepare }) => {
    const api = new FakeApi();
    await prepare(api);
    await api.create(pods, dependent('web-1', reference('CloneSet', 'v1beta1')) as never);
    expect(await rewrite(api)).toEqual([]);
    expect(api.calls.filter(({ verb, type }) => verb === 'list' && type?.plural === 'pods')).toEqual([]);
  });

  it('of children and of copies are rewritten as well, and Secrets are listed only for ResourceDistributions', async () => {
    const api = new FakeApi();
    await install(api, unitedDeployments, 'v1alpha1');
    await api.create(cloneSets, dependent('child', reference('UnitedDeployment', 'v1beta1')) as never);
    await api.create(secrets, dependent('copy', reference('ResourceDistribution', 'v1beta1')));
    expect((await rewrite(api)).map(({ name }) => name)).not.toContain('secrets');
    await install(api, resourceDistributions, 'v1alpha1');
    await rewrite(api);
    expect(await ownersOf(api, cloneSets, 'child')).toEqual([reference('UnitedDeployment', 'v1alpha1')]);
    expect(await ownersOf(api, secrets, 'copy')).toEqual([reference('ResourceDistribution', 'v1alpha1')]);
  });

  it('are read without the content of Secrets and of all other objects', async () => {
    const api = new FakeApi();
    for (const owner of [cloneSets, unitedDeployments, resourceDistributions]) await install(api, owner, 'v1alpha1');
    await rewrite(api);
    const lists = api.calls.filter(({ verb }) => verb === 'list');
    expect(lists.map(({ type }) => type?.plural)).toEqual(expect.arrayContaining(['secrets', 'pods', 'resourcedistributions']));
    expect(new Set(lists.map(({ part }) => part))).toEqual(new Set(['Metadata']));
  });

  it.each([
    { type: secrets, then: 'is left out' },
    { type: pods, then: 'ends the job' },
  ])('of $type.plural that may not be listed: it $then', async ({ type, then }) => {
    const api = new FakeApi();
    for (const owner of [cloneSets, resourceDistributions]) await install(api, owner, 'v1alpha1');
    api.faults = {
      before: (call) => {
        if (call.verb === 'list' && call.type?.plural === type.plural) throw new ApiError('forbidden', { kind: 'Forbidden' });
      },
    };
    const names = await rewrite(api).then(
      (done) => done.map(({ name }) => name),
      () => [],
    );
    expect(names.length > 0).toBe(then === 'is left out');
    expect(names).not.toContain(type.plural);
  });

  it('that cannot be written are named, and the others are written', async () => {
    const api = new FakeApi();
    await install(api, cloneSets, 'v1alpha1');
    for (const name of ['bad', 'good']) await api.create(pods, dependent(name, reference('CloneSet', 'v1beta1')) as never);
    api.faults = {
      before: ({ verb, key }) => {
        if (verb === 'patch' && key.name === 'bad') throw new ApiError('a policy refuses it', { kind: 'Forbidden' });
      },
    };
    const done = await rewrite(api);
    expect(done.find(({ name }) => name === 'pods')).toEqual({
      name: 'pods',
      objects: 1,
      failures: ['pods ns/bad: a policy refuses it'],
    });
  });

  it('that have changed their places since are refused instead of mixed up', async () => {
    const api = new FakeApi();
    await install(api, cloneSets, 'v1alpha1');
    const first = reference('Backup', 'v1', 'example.com');
    await api.create(pods, dependent('web-1', first, reference('CloneSet', 'v1beta1')) as never);
    api.faults = {
      before: async ({ verb }) => {
        if (verb !== 'patch') return;
        api.faults = {};
        const metadata = { ownerReferences: [reference('CloneSet', 'v1beta1'), first] };
        await api.patch(pods, { namespace: 'ns', name: 'web-1' }, { metadata }, { type: 'merge' });
      },
    };
    expect((await rewrite(api)).find(({ name }) => name === 'pods')?.failures).toHaveLength(1);
    expect(await ownersOf(api, pods, 'web-1')).toEqual([reference('CloneSet', 'v1beta1'), first]);
    await rewrite(api);
    expect(await ownersOf(api, pods, 'web-1')).toEqual([reference('CloneSet', 'v1alpha1'), first]);
  });
});
