/** UnitedDeployments with a real API server, the workloads and scheduler of Kubernetes, a manager process and simulated kubelets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { unitedDeployments, unitedDeploymentLabels, unitedDeploymentsV1Alpha1, type UnitedDeployment } from '@kruise/api';
import { nodes } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { isObserved } from '../../int-tests/fixtures/workload-fixture.testing.ts';
import { childKindNames, onNodesWith, statusOf, UnitedFixture, unitedOf } from '../../int-tests/fixtures/united-fixture.testing.ts';

const zone = 'example.com/zone';
const subsets = ['a', 'b', 'c'].map((name) => ({ name, ...onNodesWith(zone, name) }));

describe('UnitedDeployments', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: UnitedFixture;

  const setZone = (node: string, value: string | null): Promise<unknown> =>
    fixture.client.patch(nodes, { namespace: '', name: node }, { metadata: { labels: { [zone]: value } } }, { type: 'merge' });

  beforeAll(async () => {
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags: ['--enable-leader-election=false'] });
    fixture = await UnitedFixture.create(plane.kubeconfigPath, 'united');
    const { items } = await fixture.client.list(nodes);
    for (const [at, { metadata }] of items.entries()) await setZone(metadata.name, ['a', 'b', 'c'][at % 3] ?? null);
    await manager.start();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    fixture.client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it.each(childKindNames)('of %ss are created, scaled, updated with a partition, and rest', async (kind) => {
    const name = kind.toLowerCase();
    await fixture.apply({ name, kind, replicas: 4, image: 'app:1', subsets: subsets.slice(0, 2) });
    await fixture.untilRolledOut(name);
    expect(await fixture.spread(name, kind)).toBe('a 2, b 2');
    await fixture.patch(name, { spec: { replicas: 5 } });
    await fixture.untilSpread(name, 'a 2, b 3', kind);
    await fixture.untilRolledOut(name);
    const partitions = { updateStrategy: { manualUpdate: { partitions: { a: 1 } } } };
    await fixture.patch(name, { spec: partitions });
    await fixture.setTemplate(name, { kind, image: 'app:2' });
    const oldPods = kind === 'Deployment' ? 0 : 1;
    await fixture.until(
      name,
      (seen) => isObserved(seen) && seen.status?.updatedReadyReplicas === 5 - oldPods && seen.status.replicas === 5,
    );
    // A Deployment says how many Pods it has a moment after it has made, or deleted, one.
    const old = async (): Promise<number> => (await fixture.podsOf(name)).filter((pod) => pod.spec.containers[0]?.image === 'app:1').length;
    await fixture.eventually(async () => (await old()) === oldPods, `${oldPods} Pods of ${name} stay old`);
    await fixture.patch(name, { spec: { updateStrategy: { manualUpdate: { partitions: null } } } });
    const done = await fixture.untilRolledOut(name);
    expect(done.status?.conditions?.map(({ type, status }) => `${type} ${status}`).toSorted()).toEqual([
      'SubsetProvisioned True',
      'SubsetUpdated True',
      'UnitedDeploymentUpdated True',
    ]);
    const isQuiet = async (): Promise<boolean> => {
      const before = (await fixture.get(name)).metadata.resourceVersion;
      await sleep(3_000);
      return (await fixture.get(name)).metadata.resourceVersion === before;
    };
    await fixture.eventually(isQuiet, `${name} rests`);
  });

  it('a child is left alone when the manager is replaced, and when its manifest is applied again', async () => {
    const versions = async (): Promise<unknown> => [
      (await fixture.children('cloneset')).map(({ metadata }) => metadata.resourceVersion),
      (await fixture.get('cloneset')).metadata.generation,
    ];
    const before = await versions();
    await manager.signal('SIGKILL');
    await manager.start();
    const shape = { name: 'cloneset', replicas: 5, image: 'app:2', subsets: subsets.slice(0, 2) };
    await fixture.client.patch(unitedDeployments, { namespace: 'united', name: 'cloneset' }, unitedOf('united', shape), { type: 'merge' });
    const marked = await fixture.apply({ ...shape, name: 'later' });
    expect(marked.metadata.name).toBe('later');
    await fixture.untilRolledOut('later');
    expect(await versions()).toEqual(before);
  });

  it('Pods that find no node go elsewhere, and come back with a node (9)', async () => {
    const nowhere = { name: 'b', maxReplicas: 2, ...onNodesWith(zone, 'nowhere') };
    const shape = {
      name: 'adaptive',
      replicas: 4,
      image: 'app:1',
      subsets: [{ ...subsets[0], name: 'a', maxReplicas: 1 }, nowhere, { ...subsets[2], name: 'c' }],
    };
    await fixture.apply({ ...shape, adaptive: { rescheduleCriticalSeconds: 2, unschedulableDuration: 2 } });
    await fixture.untilSpread('adaptive', 'a 1, b 0, c 3');
    const { status } = await fixture.until('adaptive', (seen) => statusOf(seen).includes('b 0 True'));
    expect(status?.subsetStatuses?.find(({ name }) => name === 'b')?.conditions?.[0]?.reason).toBe('recover');
  });

  it('substitutes run until reserved Pods do (11, 12)', async () => {
    const [a, , c] = subsets;
    const nowhere = { name: 'b', ...onNodesWith(zone, 'later') };
    const adaptive = { rescheduleCriticalSeconds: 2, unschedulableDuration: 2, reserveUnschedulablePods: true };
    await fixture.apply({
      name: 'reserved',
      kind: 'Deployment',
      replicas: 2,
      image: 'app:1',
      subsets: [nowhere, { ...c, name: 'c' }],
      adaptive,
    });
    expect(a?.name).toBe('a');
    const seen = await fixture.until(
      'reserved',
      ({ status }) => status?.reservedPods === 2 && status.replicas === 2 && status.readyReplicas === 2,
    );
    expect(await fixture.spread('reserved', 'Deployment')).toBe('b 2, c 2');
    expect(seen.status?.labelSelector).toBe(`app=reserved,${unitedDeploymentLabels.reservedPod}=false`);
    const [first] = (await fixture.client.list(nodes)).items;
    await setZone(first?.metadata.name ?? '', 'later');
    await fixture.until('reserved', (one) => statusOf(one) === 'b 2 True, c 0 True' && one.status?.replicas === 2);
    await setZone(first?.metadata.name ?? '', 'a');
  });

  it('v1alpha1 shows the numbers by subset, and takes a CloneSet template of its own form (18)', async () => {
    const object = unitedOf('united', { name: 'old', replicas: 2, image: 'app:1', subsets: subsets.slice(0, 2) });
    const { cloneSetTemplate } = object.spec.template ?? {};
    const flat = { type: 'InPlaceIfPossible', maxUnavailable: '50%' };
    const template = { cloneSetTemplate: { ...cloneSetTemplate, spec: { ...cloneSetTemplate?.spec, updateStrategy: flat } } };
    await fixture.client.create(unitedDeploymentsV1Alpha1, { ...object, spec: { ...object.spec, template } } as never);
    const { spec } = await fixture.untilRolledOut('old');
    expect(spec.template?.cloneSetTemplate?.spec.updateStrategy).toMatchObject({
      type: 'RollingUpdate',
      rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '50%' },
    });
    const alpha = await fixture.client.get(unitedDeploymentsV1Alpha1, { namespace: 'united', name: 'old' });
    expect(alpha.status).toMatchObject({ subsetReplicas: { a: 1, b: 1 }, updateStatus: { currentPartitions: { a: 0, b: 0 } } });
  });

  it('shares that do not fit the number of an autoscaler are reported, and fixed by the next number', async () => {
    await fixture.apply({ name: 'scaled', replicas: 3, image: 'app:1', subsets: [{ name: 'a', replicas: 2 }, { name: 'b' }] });
    await fixture.untilRolledOut('scaled');
    const scale = (replicas: number): Promise<unknown> =>
      fixture.client.updateScale(
        unitedDeployments,
        { namespace: 'united', name: 'scaled' },
        { metadata: { name: 'scaled', namespace: 'united' }, spec: { replicas } },
      );
    await scale(1);
    const failed = (one: UnitedDeployment): boolean =>
      one.status?.conditions?.some(({ type, status }) => type === 'SubsetProvisioned' && status === 'False') === true;
    await fixture.until('scaled', failed);
    expect(await fixture.spread('scaled')).toBe('a 2, b 1');
    await scale(4);
    await fixture.untilRolledOut('scaled');
    expect(failed(await fixture.get('scaled'))).toBe(false);
    expect((await fixture.client.getScale(unitedDeployments, { namespace: 'united', name: 'scaled' })).status).toMatchObject({
      replicas: 4,
      selector: 'app=scaled',
    });
  });
});
