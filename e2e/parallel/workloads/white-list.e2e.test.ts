/**
 * A kind of workload that only white lists name. They are in a ConfigMap that other tests use at the same time: each sets its own keys.
 * @see docs/spec/persistentpodstate.md 9 and docs/spec/workloadspread.md 9
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  configuration,
  persistentPodStateAnnotations as names,
  persistentPodStates,
  persistentPodStateWhiteListKey,
  workloadSpreadWhiteListKey,
  type PodState,
} from '@kruise/api';
import { isFailure, unlessGone, type Client } from '@kruise/kube';
import { configMaps, customResourceDefinitions, isPodReady, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { gameCrd, gameSets, gameWhiteList } from '../../../apps/manager/src/int-tests/fixtures/game-sets.testing.ts';
import type { StatefulSetWorld } from '../../../apps/manager/src/int-tests/fixtures/statefulset-world.testing.ts';
import { listedScenarios } from '../../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadWorld } from '../../../apps/manager/src/int-tests/fixtures/spread-world.testing.ts';
import { closeWorld, images, openSpreads, openStatefulSets } from '../../support/world.ts';

const host = 'kubernetes.io/hostname';
const asking = { [names.autoGenerate]: 'true', [names.requiredTopology]: host };
const rbac = 'rbac.authorization.k8s.io';
const clusterRoles: ResourceType = { group: rbac, version: 'v1', kind: 'ClusterRole', plural: 'clusterroles', namespaced: false };
const clusterRoleBindings: ResourceType = { ...clusterRoles, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' };

/** For what an earlier try may have left. */
const unlessExists = (made: Promise<unknown>): Promise<unknown> =>
  made.catch((error: unknown) => {
    if (!isFailure(error, 'AlreadyExists')) throw error;
  });

describe('a kind on the white list', () => {
  let world: StatefulSetWorld;
  beforeAll(async () => {
    world = await openStatefulSets('white-list');
  });
  afterAll(() => closeWorld(world));
  const key = (name: string) => ({ namespace: world.namespace, name });
  const recorded = async (): Promise<Readonly<Record<string, PodState>>> =>
    (await unlessGone(world.client.get(persistentPodStates, key('game'))))?.status?.podStates ?? {};

  it('is served as soon as it is listed, without a restart (13)', async () => {
    await serveGameSets(world);
    const annotations = { ...asking, [names.podAnnotations]: 'ip' };
    const game = await world.client.create(gameSets, {
      apiVersion: 'game.example.com/v1',
      kind: 'GameSet',
      metadata: { ...key('game'), annotations },
      spec: { replicas: 1 },
    } as KubeObject);
    const owner = { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'game', uid: game.metadata.uid ?? '', controller: true };
    await world.client.create(pods, {
      metadata: { ...key('game-0'), annotations: { ip: '10.0.0.1' }, ownerReferences: [owner] },
      spec: { containers: [{ name: 'main', image: images.first }] },
    });
    await world.eventually(async () => isPodReady(await world.pod('game-0')), 'the Pod is ready');
    await list(world.client, gameWhiteList);
    try {
      await world.eventually(async () => (await recorded())['game-0'] !== undefined, 'the Pod is remembered');
      const { nodeName = '' } = (await world.pod('game-0')).spec;
      expect((await recorded())['game-0']).toEqual({
        nodeName,
        nodeTopologyLabels: { [host]: nodeName },
        annotations: { ip: '10.0.0.1' },
      });
    } finally {
      await list(world.client, { [persistentPodStateWhiteListKey]: null });
    }
  });
});

describe('a kind on the white list of WorkloadSpreads', () => {
  let world: SpreadWorld;
  beforeAll(async () => {
    world = await openSpreads('spread-listed', 'example.com/spread-listed-zone');
    await serveGameSets(world);
  });
  afterAll(async () => {
    await list(world.client, { [workloadSpreadWhiteListKey]: null });
    await closeWorld(world);
  });

  listedScenarios({ world: () => world, list: (data) => list(world.client, data) });
});

const settings = { namespace: 'kruise-system', name: configuration.name };

/** Sets these white lists, and deletes those that are null. */
async function list(client: Client, data: Readonly<Record<string, string | null>>): Promise<void> {
  await unlessExists(client.create(configMaps, { metadata: settings }));
  await client.patch(configMaps, settings, { data }, { type: 'merge' });
}

interface Served {
  readonly client: Client;
  eventually(holds: () => Promise<boolean>, what: string): Promise<void>;
}

async function serveGameSets(world: Served): Promise<void> {
  await mayRead(world.client, gameSets);
  await unlessExists(world.client.create(customResourceDefinitions, gameCrd));
  const isServed = () =>
    world.client.list(gameSets).then(
      () => true,
      () => false,
    );
  await world.eventually(isServed, 'GameSets are served');
}

/** What the pages about these kinds ask of who lists a kind: the right to read it. */
async function mayRead(client: Client, { group, plural }: ResourceType): Promise<void> {
  const metadata = { namespace: '', name: `reads-${plural}` };
  const rules = [{ apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch'] }];
  await unlessExists(client.create<KubeObject>(clusterRoles, { metadata, rules } as KubeObject));
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name };
  const subjects = [{ kind: 'ServiceAccount', namespace: 'kruise-system', name: 'kruise-manager' }];
  await unlessExists(client.create<KubeObject>(clusterRoleBindings, { metadata, roleRef, subjects } as KubeObject));
}
