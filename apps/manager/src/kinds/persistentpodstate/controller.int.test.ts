/** PersistentPodStates with a real API server, the StatefulSets and scheduler of Kubernetes, a manager process and simulated kubelets. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  persistentPodStateAnnotations as names,
  persistentPodStates,
  persistentPodStatesV1Alpha1,
  type PersistentPodState,
} from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { configMaps, customResourceDefinitions, isPodReady, nodes, pods, type KubeObject, type Pod } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { gameCrd, gameSets, gameWhiteList } from '../../int-tests/fixtures/game-sets.testing.ts';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { openNamespace, WorkloadFixture } from '../../int-tests/fixtures/workload-fixture.testing.ts';
import { builtInStatefulSets } from '@kruise/workloads';
import { succeeds } from '@kruise/testing';

const zone = 'example.com/zone';
const host = 'kubernetes.io/hostname';
const asking = { [names.autoGenerate]: 'true', [names.requiredTopology]: zone, [names.preferredTopology]: host };
describe('PersistentPodStates', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: WorkloadFixture<KubeObject>;

  beforeAll(async () => {
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir });
    const client = await openNamespace(plane.kubeconfigPath, 'states');
    fixture = new WorkloadFixture<KubeObject>(builtInStatefulSets, client, 'states');
    const { items } = await client.list(nodes);
    for (const { metadata } of items)
      await client.patch(
        nodes,
        { namespace: '', name: metadata.name },
        { metadata: { labels: { [zone]: metadata.name } } },
        { type: 'merge' },
      );
    await manager.start();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    fixture.client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const state = (name: string): Promise<PersistentPodState | undefined> =>
    unlessDeleted(fixture.client.get(persistentPodStates, key(name)));
  const untilStates = (
    name: string,
    holds: (podStates: Readonly<Record<string, { readonly nodeName?: string }>>) => boolean,
  ): Promise<void> => fixture.eventually(async () => holds((await state(name))?.status?.podStates ?? {}), `the record of ${name}`);
  const create = (name: string, replicas: number, annotations: object): Promise<KubeObject> =>
    fixture.client.create(builtInStatefulSets, {
      metadata: { ...key(name), annotations },
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'app:1' }] },
        },
      },
    } as KubeObject);
  const successorOf = async (name: string): Promise<Pod> => {
    const { uid } = (await fixture.pod(name)).metadata;
    await fixture.client.delete(pods, key(name));
    let next: Pod | undefined;
    await fixture.eventually(async () => {
      next = await unlessDeleted(fixture.pod(name));
      return next !== undefined && next.metadata.uid !== uid && isPodReady(next);
    }, `${name} is there again`);
    return next as Pod;
  };

  it('a Pod that is created again is brought back to its node, and a new one is not steered (1, 2, 3, 4)', async () => {
    await create('db', 2, asking);
    await untilStates('db', (podStates) => Object.keys(podStates).length === 2);
    const first = await fixture.pod('db-1');
    expect(first.metadata.annotations?.[names.injected]).toBeUndefined();
    const node = first.spec.nodeName ?? '';
    const { spec, status } = (await state('db')) as PersistentPodState;
    expect(spec.preferredPersistentTopology).toEqual([{ weight: 100, preference: { keys: [host] } }]);
    expect(status?.podStates?.['db-1']).toEqual({ nodeName: node, nodeTopologyLabels: { [zone]: node, [host]: node } });
    const alpha = await fixture.client.get(persistentPodStatesV1Alpha1, key('db'));
    expect(alpha.spec.requiredPersistentTopology).toEqual({ nodeTopologyKeys: [zone] });
    const next = await successorOf('db-1');
    expect([next.metadata.annotations?.[names.injected], next.spec.nodeSelector?.[zone], next.spec.nodeName]).toEqual(['db', node, node]);
    expect(next.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([
      { weight: 100, preference: { matchExpressions: [{ key: host, operator: 'In', values: [node] }] } },
    ]);
  });

  it('scaled-in Pods are forgotten (5), and the PersistentPodState is deleted with its annotation and created again (8)', async () => {
    await fixture.patch('db', { spec: { replicas: 1 } });
    await untilStates('db', (podStates) => Object.keys(podStates).join() === 'db-0');
    await fixture.patch('db', { metadata: { annotations: { [names.autoGenerate]: null } } });
    await fixture.eventually(async () => (await state('db')) === undefined, 'the PersistentPodState is deleted');
    await fixture.patch('db', { metadata: { annotations: asking } });
    await untilStates('db', (podStates) => Object.keys(podStates).join() === 'db-0');
    expect((await state('db'))?.spec.requiredPersistentTopology).toEqual({ keys: [zone] });
  });

  it('a second one for a workload is refused, and so are other kinds and no topology (9)', async () => {
    const of = (targetRef: object, more: object = { requiredPersistentTopology: { keys: [zone] } }): PersistentPodState => ({
      metadata: key('second'),
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'other', ...targetRef }, ...more },
    });
    const refusal = (object: PersistentPodState): Promise<string> =>
      fixture.client.create(persistentPodStates, object, { dryRun: true }).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await refusal(of({}))).toBe('none');
    expect(await refusal(of({ name: 'db', apiVersion: 'apps/v1beta1' }))).toContain('PersistentPodState db');
    expect(await refusal(of({ kind: 'Deployment' }))).toContain('spec.targetRef');
    expect(await refusal(of({}, {}))).toContain('at least one of');
  });

  it('a manual one becomes empty once its workload is deleted, and a generated one is deleted (10)', async () => {
    await create('web', 1, {});
    const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web' };
    await fixture.client.create(persistentPodStates, {
      metadata: key('by-hand'),
      spec: { targetRef, requiredPersistentTopology: { keys: [zone] } },
    });
    await untilStates('by-hand', (podStates) => Object.keys(podStates).join() === 'web-0');
    for (const name of ['web', 'db']) await fixture.client.delete(builtInStatefulSets, key(name), { propagationPolicy: 'Background' });
    await untilStates('by-hand', (podStates) => Object.keys(podStates).length === 0);
    await fixture.eventually(async () => (await state('db')) === undefined, 'the generated one is collected');
    expect((await state('by-hand'))?.status).toEqual({ observedGeneration: 1 });
  });

  it('a kind is served from the moment that the white list names it, without a restart (13)', async () => {
    await fixture.client.create(customResourceDefinitions, gameCrd);
    await fixture.eventually(() => succeeds(fixture.client.list(gameSets)), 'GameSets are served');
    const annotations = { ...asking, [names.podAnnotations]: 'ip' };
    const game = await fixture.client.create(gameSets, {
      apiVersion: 'game.example.com/v1',
      kind: 'GameSet',
      metadata: { ...key('game'), annotations },
      spec: { replicas: 1 },
    } as KubeObject);
    const owner = { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'game', uid: game.metadata.uid ?? '', controller: true };
    await fixture.client.create(pods, {
      metadata: { ...key('game-0'), annotations: { ip: '10.0.0.1' }, ownerReferences: [owner] },
      spec: { containers: [{ name: 'main', image: 'app:1' }] },
    });
    await fixture.eventually(async () => isPodReady(await fixture.pod('game-0')), 'the Pod is ready');
    await fixture.client.create(configMaps, {
      metadata: { namespace: 'kruise-system', name: 'kruise-configuration' },
      data: gameWhiteList,
    });
    await untilStates('game', (podStates) => Object.keys(podStates).join() === 'game-0');
    expect((await state('game'))?.status?.podStates?.['game-0']?.annotations).toEqual({ ip: '10.0.0.1' });
  });
});
