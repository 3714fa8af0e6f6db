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
import { isFailure, unlessDeleted, type Client } from '@kruise/kube';
import { configMaps, customResourceDefinitions, isPodReady, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { succeeds } from '@kruise/testing';
import { gameCrd, gameSets, gameWhiteList } from '../../../apps/manager/src/int-tests/fixtures/game-sets.testing.ts';
import type { StatefulSetFixture } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { listedScenarios } from '../../../apps/manager/src/int-tests/fixtures/spread-scenarios.testing.ts';
import type { SpreadFixture } from '../../../apps/manager/src/int-tests/fixtures/spread-fixture.testing.ts';
import { closeFixture, images, openSpreads, openStatefulSets } from '../../support/fixture.ts';

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
  let fixture: StatefulSetFixture;
  beforeAll(async () => {
    fixture = await openStatefulSets('white-list');
  });
  afterAll(() => closeFixture(fixture));
  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const recorded = async (): Promise<Readonly<Record<string, PodState>>> =>
    (await unlessDeleted(fixture.client.get(persistentPodStates, key('game'))))?.status?.podStates ?? {};

  it('is served as soon as it is listed, without a restart (13)', async () => {
    await serveGameSets(fixture);
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
      spec: { containers: [{ name: 'main', image: images.first }] },
    });
    await fixture.eventually(async () => isPodReady(await fixture.pod('game-0')), 'the Pod is ready');
    await list(fixture.client, gameWhiteList);
    try {
      await fixture.eventually(async () => (await recorded())['game-0'] !== undefined, 'the Pod is remembered');
      const { nodeName = '' } = (await fixture.pod('game-0')).spec;
      expect((await recorded())['game-0']).toEqual({
        nodeName,
        nodeTopologyLabels: { [host]: nodeName },
        annotations: { ip: '10.0.0.1' },
      });
    } finally {
      await list(fixture.client, { [persistentPodStateWhiteListKey]: null });
    }
  });
});

describe('a kind on the white list of WorkloadSpreads', () => {
  let fixture: SpreadFixture;
  beforeAll(async () => {
    fixture = await openSpreads('spread-listed', 'example.com/spread-listed-zone');
    await serveGameSets(fixture);
  });
  afterAll(async () => {
    await list(fixture.client, { [workloadSpreadWhiteListKey]: null });
    await closeFixture(fixture);
  });

  listedScenarios({ fixture: () => fixture, list: (data) => list(fixture.client, data) });
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

async function serveGameSets(fixture: Served): Promise<void> {
  await mayRead(fixture.client, gameSets);
  await unlessExists(fixture.client.create(customResourceDefinitions, gameCrd));
  const isServed = () => succeeds(fixture.client.list(gameSets));
  await fixture.eventually(isServed, 'GameSets are served');
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
