/** The manager as a process on a real API server rolls out changes of ConfigMaps and Secrets that workloads name. @see spec/config-rollout.md */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, type CloneSet } from '@kruise/api';
import { configMaps, secrets } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { cloneSetOf, CloneSetFixture, isRolledOut } from './fixtures/cloneset-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const shape = { name: 'web', replicas: 3, image: 'registry.example/app:1', rollingUpdate: { maxUnavailable: 1 } };

const causeIn = ({ status }: CloneSet): string => status?.conditions?.find(({ type }) => type === 'Blocked')?.message ?? '';

describe('a CloneSet that names ConfigMaps', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-config-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  const configure = (data: Readonly<Record<string, string>>): Promise<unknown> =>
    fixture.client.patch(configMaps, { namespace: fixture.namespace, name: 'app' }, { data }, { type: 'merge' });
  const hashes = async (): Promise<readonly string[]> =>
    (await fixture.pods('web')).map(({ metadata }) => metadata.annotations?.[annotations.configHash] ?? '');
  const uids = async (): Promise<readonly unknown[]> => (await fixture.pods('web')).map(({ metadata }) => metadata.uid);
  const untilUpdatedFrom = async (revision: string | undefined): Promise<CloneSet> =>
    fixture.until('web', (seen) => seen.status?.updateRevision !== revision && isRolledOut(seen));

  beforeAll(async () => {
    plane = await startInstalledPlane();
    const flags = ['--feature-gates=ConfigRollout=true'];
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
    await manager.start();
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'configured');
  });
  afterAll(async () => {
    fixture.client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('waits for the objects, follows their contents in place under its limits, and rests', async () => {
    const { namespace } = fixture;
    const named = cloneSetOf(namespace, shape);
    const metadata = { ...named.metadata, annotations: { [annotations.configRollout]: 'configmap/app, secret/tls' } };
    await fixture.create({ ...named, metadata });
    await fixture.until('web', (seen) => causeIn(seen) === 'ConfigMap app of annotation config-rollout does not exist');
    await fixture.client.create(configMaps, { metadata: { namespace, name: 'app' }, data: { level: 'info' } });
    await fixture.until('web', (seen) => causeIn(seen) === 'Secret tls of annotation config-rollout does not exist');
    expect([await fixture.pods('web'), await fixture.revisions('web')]).toEqual([[], []]);
    await fixture.client.create(secrets, { metadata: { namespace, name: 'tls' }, data: { key: 'AA==' } });
    const first = await fixture.untilRolledOut('web');
    const [hash = '', ...others] = await hashes();
    expect([hash.length, others, causeIn(first)]).toEqual([16, [hash, hash], '']);

    const before = await uids();
    await configure({ level: 'debug' });
    const second = await untilUpdatedFrom(first.status?.updateRevision);
    const updated = await hashes();
    expect([new Set(updated).size, updated.includes(hash), await uids()]).toEqual([1, false, before]);

    await configure({ level: 'info' });
    const third = await untilUpdatedFrom(second.status?.updateRevision);
    expect([third.status?.updateRevision, await hashes()]).toEqual([first.status?.updateRevision, [hash, hash, hash]]);
    expect((await fixture.revisions('web')).length).toBe(2);
    expect(third.metadata.generation).toBe(first.metadata.generation);
  });

  it('keeps to its partition', async () => {
    await fixture.patch('web', { spec: { updateStrategy: { rollingUpdate: { partition: 2 } } } });
    const before = await fixture.untilRolledOut('web');
    const [hash] = await hashes();
    await configure({ level: 'warn' });
    const isAtPartition = ({ status }: CloneSet): boolean =>
      status?.updateRevision !== before.status?.updateRevision && status?.updatedAvailableReplicas === 1;
    await fixture.until('web', isAtPartition);
    expect((await hashes()).filter((one) => one === hash)).toHaveLength(2);
  });

  it('keeps its Pods without the object, and another process does as well', async () => {
    const before = await fixture.pods('web');
    await fixture.client.delete(configMaps, { namespace: fixture.namespace, name: 'app' });
    await fixture.until('web', (seen) => causeIn(seen) === 'ConfigMap app of annotation config-rollout does not exist');
    await manager.signal('SIGKILL');
    await manager.start();
    await fixture.client.create(configMaps, { metadata: { namespace: fixture.namespace, name: 'app' }, data: { level: 'warn' } });
    await fixture.until('web', (seen) => !causeIn(seen).includes('config-rollout'));
    const after = await fixture.pods('web');
    expect(after.map(({ metadata }) => metadata.resourceVersion)).toEqual(before.map(({ metadata }) => metadata.resourceVersion));
  });

  const annotate = (names: string): Promise<unknown> =>
    fixture.patch('web', { metadata: { annotations: { [annotations.configRollout]: names } } });
  const versions = async (): Promise<readonly unknown[]> => (await fixture.pods('web')).map(({ metadata }) => metadata.resourceVersion);

  it('keeps its Pods with names that no object can have, with 10,000 names, and while an object is deleted and created again', async () => {
    const before = await versions();
    const tooMany = Array.from({ length: 10_000 }, (_, index) => `configmap/c${index}`).join();
    for (const [names, cause] of [
      ['configmap/app, configmap/größe mit\u2028Zeilen', '"configmap/größe mit\\u{2028}Zeilen" is not configmap/NAME'],
      [tooMany, 'it names 10000 objects, at most 16 are allowed'],
    ] as const) {
      await annotate(names);
      await fixture.until('web', (seen) => causeIn(seen).includes(cause));
    }
    await annotate('configmap/app, secret/tls');
    const key = { namespace: fixture.namespace, name: 'app' };
    for (let time = 0; time < 20; time++) {
      await fixture.client.delete(configMaps, key);
      await fixture.client.create(configMaps, { metadata: key, data: { level: 'warn' } });
    }
    await fixture.until('web', (seen) => causeIn(seen).startsWith('the partition is reached'));
    expect(await versions()).toEqual(before);
  });

  it('follows a Secret of 1 MiB, and another annotation in the middle of the rollout', async () => {
    const { namespace } = fixture;
    await fixture.patch('web', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    const first = await fixture.untilRolledOut('web');
    const [before] = await hashes();
    const data = { key: Buffer.alloc(1024 * 1024 - 200, 'x').toString('base64') };
    await fixture.client.patch(secrets, { namespace, name: 'tls' }, { data }, { type: 'merge' });
    await fixture.until('web', ({ status }) => status?.updateRevision !== first.status?.updateRevision);
    await annotate('secret/tls');
    const named = await fixture.get('web');
    const last = await untilUpdatedFrom(named.status?.updateRevision);
    const after = await hashes();
    expect([new Set(after).size, after.includes(before ?? ''), causeIn(last)]).toEqual([1, false, '']);
    expect(last.metadata.generation).toBe(first.metadata.generation);
  });
});
