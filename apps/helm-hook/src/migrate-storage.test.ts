import { describe, expect, it } from '@jest/globals';
import { allKinds, crdName, resourceTypeOf, type KindDeclaration } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi, FakeClock, type FakeCall } from '@kruise/kube/testing';
import { customResourceDefinitions, type KubeObject } from '@kruise/objects';
import { migrateStorage, type Migrated } from './migrate-storage.ts';

const kindOf = (wanted: string): KindDeclaration => allKinds.find(({ kind }) => kind === wanted) as KindDeclaration;
const cloneSet = kindOf('CloneSet');
const sidecarSet = kindOf('SidecarSet');

async function install(api: FakeApi, kind: KindDeclaration, storedVersions: readonly string[]): Promise<void> {
  const versions = kind.versions.map(({ name, storage }) => ({ name, storage }));
  await api.create(customResourceDefinitions, { metadata: { name: crdName(kind) }, spec: { versions } } as unknown as KubeObject);
  const made = await api.get(customResourceDefinitions, { namespace: '', name: crdName(kind) });
  await api.updateStatus(customResourceDefinitions, { ...made, status: { storedVersions, conditions: [] } } as unknown as KubeObject);
}

async function having(api: FakeApi, kind: KindDeclaration, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await api.create(resourceTypeOf(kind, 'v1beta1'), { metadata: { name, ...(kind.namespaced ? { namespace: 'ns' } : {}) } });
}

const statusOf = async (api: FakeApi, kind: KindDeclaration): Promise<unknown> =>
  ((await api.get(customResourceDefinitions, { namespace: '', name: crdName(kind) })) as { status?: unknown }).status;

const patches = (api: FakeApi): readonly FakeCall[] => api.calls.filter(({ verb }) => verb === 'patch');

function migrate(api: FakeApi, clock = new FakeClock()): Promise<readonly Migrated[]> {
  return migrateStorage({ client: api, clock, signal: new AbortController().signal });
}

describe('migration of storage', () => {
  it('writes every object of a CRD with an older stored version, without a change, and gives that version up', async () => {
    const api = new FakeApi();
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    await having(api, cloneSet, 'a', 'b');
    expect(await migrate(api)).toEqual([{ name: 'clonesets.apps.kruise.io', objects: 2, failures: [] }]);
    expect(patches(api).map(({ key, body, type }) => [key.name, body, type?.version])).toEqual([
      ['a', {}, 'v1beta1'],
      ['b', {}, 'v1beta1'],
    ]);
    expect(await statusOf(api, cloneSet)).toEqual({ storedVersions: ['v1beta1'], conditions: [] });
  });

  it('does nothing where only the storage version is stored, nor without the CRD, nor the second time', async () => {
    const api = new FakeApi();
    await install(api, cloneSet, ['v1beta1']);
    await having(api, cloneSet, 'a');
    await install(api, sidecarSet, ['v1alpha1', 'v1beta1']);
    expect(await migrate(api)).toHaveLength(1);
    expect(await migrate(api)).toEqual([]);
    expect(patches(api)).toEqual([]);
  });

  it('continues after an object that is refused, names it, and keeps the version of that CRD', async () => {
    const api = new FakeApi();
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    await install(api, sidecarSet, ['v1alpha1', 'v1beta1']);
    await having(api, cloneSet, 'bad', 'good');
    api.faults = {
      before: ({ verb, key }) => {
        if (verb === 'patch' && key.name === 'bad') throw new ApiError('spec.x: Required value', { kind: 'Invalid', causes: [] });
      },
    };
    expect(await migrate(api)).toEqual([
      { name: 'clonesets.apps.kruise.io', objects: 1, failures: ['clonesets ns/bad: spec.x: Required value'] },
      { name: 'sidecarsets.apps.kruise.io', objects: 0, failures: [] },
    ]);
    expect(await statusOf(api, cloneSet)).toMatchObject({ storedVersions: ['v1alpha1', 'v1beta1'] });
    expect(await statusOf(api, sidecarSet)).toMatchObject({ storedVersions: ['v1beta1'] });
  });

  it('waits for webhooks that do not answer yet', async () => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    await having(api, cloneSet, 'a');
    let tries = 0;
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'patch' && ++tries < 3) throw new Error('failed calling webhook: connection refused');
      },
    };
    const done = migrate(api, clock);
    await clock.step(10_000);
    expect(await done).toEqual([{ name: 'clonesets.apps.kruise.io', objects: 1, failures: [] }]);
    expect(tries).toBe(3);
  });

  it('ends with what it met when the time is over', async () => {
    const [api, stop] = [new FakeApi(), new AbortController()];
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    api.faults = {
      before: ({ verb }) => {
        if (verb !== 'list') return;
        stop.abort();
        throw new Error('no answer');
      },
    };
    await expect(migrateStorage({ client: api, clock: new FakeClock(), signal: stop.signal })).rejects.toThrow();
    expect(await statusOf(api, cloneSet)).toMatchObject({ storedVersions: ['v1alpha1', 'v1beta1'] });
  });

  it('writes the objects of every page of a list, and reads only their metadata', async () => {
    const api = new FakeApi();
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    await having(api, cloneSet, ...Array.from({ length: 101 }, (_, at) => `set-${at}`));
    expect(await migrate(api)).toEqual([{ name: 'clonesets.apps.kruise.io', objects: 101, failures: [] }]);
    expect(new Set(patches(api).map(({ key }) => key.name)).size).toBe(101);
    const lists = api.calls.filter(({ verb }) => verb === 'list');
    expect(lists.map(({ part }) => part)).toEqual(['Metadata', 'Metadata']);
  });

  it('gives an object up after two minutes, and names the last failure', async () => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    await having(api, cloneSet, 'a');
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'patch') throw new Error('failed calling webhook');
      },
    };
    const done = migrate(api, clock);
    await clock.step(119_000);
    await clock.step(2_000);
    expect(await done).toEqual([{ name: 'clonesets.apps.kruise.io', objects: 0, failures: ['clonesets ns/a: failed calling webhook'] }]);
    expect(patches(api)).toHaveLength(60);
    expect(await statusOf(api, cloneSet)).toMatchObject({ storedVersions: ['v1alpha1', 'v1beta1'] });
  });

  it.each<{ kind: 'Invalid' | 'Forbidden' | 'BadRequest' | 'Conflict'; tries: number }>([
    { kind: 'Invalid', tries: 1 },
    { kind: 'Forbidden', tries: 1 },
    { kind: 'BadRequest', tries: 1 },
    { kind: 'Conflict', tries: 60 },
  ])('tries a write that ends with $kind $tries times', async ({ kind, tries }) => {
    const [api, clock] = [new FakeApi(), new FakeClock()];
    await install(api, cloneSet, ['v1alpha1', 'v1beta1']);
    await having(api, cloneSet, 'a');
    api.faults = {
      before: ({ verb }) => {
        if (verb === 'patch') throw new ApiError('refused', kind === 'Invalid' ? { kind, causes: [] } : { kind });
      },
    };
    const done = migrate(api, clock);
    await clock.step(121_000);
    expect((await done)[0]?.failures).toEqual(['clonesets ns/a: refused']);
    expect(patches(api)).toHaveLength(tries);
  });

  it('names an object of the cluster without a namespace, and passes over one that is deleted in the meantime', async () => {
    const api = new FakeApi();
    await install(api, sidecarSet, ['v1alpha1', 'v1beta1']);
    await having(api, sidecarSet, 'bad', 'gone');
    api.faults = {
      before: ({ verb, key }) => {
        if (verb !== 'patch') return;
        throw key.name === 'gone' ? new ApiError('not found', { kind: 'NotFound' }) : new ApiError('refused', { kind: 'Forbidden' });
      },
    };
    const [migrated] = await migrate(api);
    expect(migrated?.failures).toEqual(['sidecarsets bad: refused']);
  });
});
