/** Complete runs of a StatefulSet on an in-memory API server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { statefulSets } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { pods, storageClasses, type Pod } from '@kruise/objects';
import type { ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import { StatefulSetCluster, deletePod, failed } from './cluster.testing.ts';

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

const begin = (shape: SetShape, options: ClusterOptions = {}): StatefulSetCluster => {
  opened = new AsyncDisposableStack();
  return opened.use(new StatefulSetCluster(shape, options));
};

const names = (world: StatefulSetCluster): readonly string[] => world.pods.map(({ metadata }) => metadata.name);

/** A Pod with the condition Ready. */
const withReady = (pod: Pod, isReady: 'True' | 'False'): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    conditions: (pod.status?.conditions ?? []).map((condition) =>
      condition.type === 'Ready' ? { ...condition, status: isReady } : condition,
    ),
  },
});

it('keeps a Pod that has become ready while the watch of Pods is late', async () => {
  const world = begin({ replicas: 2, parallel: true });
  await world.settle();
  world.stuck.add('web-0').add('web-1');
  world.changePod('web-1', (pod) => withReady(pod, 'False'));
  await world.manager.settle();
  world.api.holdWatches(pods);
  world.changePod('web-1', (pod) => withReady(pod, 'True'));
  world.changePod('web-0', (pod) => withReady(pod, 'False'));
  world.changeImage('app:2');
  await world.ticks(3);
  expect(world.shown).toEqual(['web-0 app:1 unready', 'web-1 app:1']);
  expect(world.manager.events.filter(({ reason }) => reason === 'FailedDelete')).toEqual([]);
  world.api.releaseWatches();
  world.stuck.clear();
  await world.settle();
  expect(world.shown).toEqual(['web-0 app:2', 'web-1 app:2']);
});

describe('creating Pods', () => {
  it('creates Pods one by one, each when the one before is ready', async () => {
    const world = begin({ replicas: 3 });
    await world.manager.settle();
    expect(world.shown).toEqual(['web-0 app:1 unready']);
    await world.settle();
    expect(world.shown).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:1']);
    expect(world.set.status).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3, currentReplicas: 3, availableReplicas: 3 });
  });

  it('happens all at once with Parallel', async () => {
    const world = begin({ replicas: 5, parallel: true });
    await world.manager.settle();
    expect(names(world)).toEqual(['web-0', 'web-1', 'web-2', 'web-3', 'web-4']);
  });

  it('skips an ordinal whose name another owner uses, with Parallel, and reports it', async () => {
    const world = begin({ replicas: 4, parallel: true });
    world.api.seed(pods, {
      metadata: { name: 'web-0', namespace: 'default' },
      spec: { containers: [{ name: 'other', image: 'other:1' }] },
    });
    await world.manager.settle();
    expect(names(world)).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
    expect(world.manager.events.filter(({ reason }) => reason === 'FailedCreate')).toEqual([]);
    expect(world.conditions).toContainEqual(expect.stringMatching(/^FailedCreatePod : StatefulPodControl failed to create Pod error: /));
  });

  it('waits for Pods of a former StatefulSet of its name without asking for names that they hold, with Parallel', async () => {
    const world = begin({ replicas: 6, parallel: true });
    await world.settle();
    const refused: string[] = [];
    world.api.onWrite((write) => {
      if (write.refused !== undefined) refused.push(`${write.call.verb} ${write.call.key.name}`);
    });
    await world.api.delete(statefulSets, { namespace: 'default', name: 'web' });
    for (const name of names(world)) {
      world.stuck.add(name);
      await deletePod(world, name);
    }
    world.api.seed(statefulSets, asNew(aStatefulSet({ replicas: 6, parallel: true })));
    await world.ticks(3);
    const held = names(world).join(', ');
    expect(world.conditions).toEqual([
      `Blocked WaitingForNames: Pods that are being deleted hold the names that are to be used again: ${held}`,
    ]);
    world.onTick = () => void world.stuck.delete([...world.stuck][0] ?? '');
    await world.settle();
    expect(world.shown).toEqual([0, 1, 2, 3, 4, 5].map((ordinal) => `web-${ordinal} app:1`));
    expect(refused).toEqual([]);
    expect(world.conditions).toEqual([]);
  });

  it('makes the claims of each Pod, once', async () => {
    const world = begin({ replicas: 2, claims: [aClaimTemplate('data')] });
    await world.settle();
    expect(world.claims.map(({ metadata }) => metadata.name)).toEqual(['data-web-0', 'data-web-1']);
    expect(world.set.status?.volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 2, compatibleReadyReplicas: 2 }]);
  });

  it('replaces a Pod that has failed', async () => {
    const world = begin({ replicas: 2 });
    await world.settle();
    world.changePod('web-0', failed);
    await world.settle();
    expect(world.shown).toEqual(['web-0 app:1', 'web-1 app:1']);
  });
});

describe('a Pod that the API server refuses', () => {
  it('is reported in an event and a condition, which ends with the next accepted one', async () => {
    let isRefused = true;
    const quota = new ApiError('exceeded quota', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    const before = ({ verb, type }: FakeCall): void => {
      if (isRefused && verb === 'create' && type === pods) throw quota;
    };
    const world = begin({ replicas: 1 }, { before });
    await world.manager.settle();
    expect(world.manager.events).toContainEqual({
      about: 'web',
      type: 'Warning',
      reason: 'FailedCreate',
      message: `create Pod web-0 in StatefulSet web failed error: ${quota.message}`,
    });
    expect(world.conditions).toContainEqual(`FailedCreatePod : StatefulPodControl failed to create Pod error: ${quota.message}`);
    isRefused = false;
    await world.settle();
    expect(world.shown).toEqual(['web-0 app:1']);
    expect(world.conditions).toEqual([]);
  });
});

describe('an object that went past admission', () => {
  it('is reported once, creates nothing, and is served after its correction', async () => {
    const world = begin({ spec: { reserveOrdinals: '1-2' as unknown as string[] } });
    await world.manager.settle();
    await world.quietHour();
    const why = 'spec.reserveOrdinals: Invalid value: must be a list of ordinals and ranges';
    expect(names(world)).toEqual([]);
    expect(world.conditions).toEqual([
      `FailedCreatePod : StatefulPodControl failed to create Pod error: ${why}`,
      `Blocked InvalidSpec: ${why}`,
    ]);
    expect(world.manager.events).toEqual([{ about: 'web', type: 'Warning', reason: 'InvalidSpec', message: why }]);
    world.change({ reserveOrdinals: ['1-2'], replicas: 2 });
    await world.settle();
    expect(names(world)).toEqual(['web-0', 'web-3']);
    expect(world.conditions).toEqual([]);
  });
});

describe('updating Pods', () => {
  it('updates in place from the highest ordinal down', async () => {
    const world = begin({ replicas: 3 });
    await world.settle();
    const uids = world.pods.map(({ metadata }) => metadata.uid);
    world.changeImage('app:2');
    await world.manager.settle();
    expect(world.shown).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:2 Updating unready']);
    await world.settle();
    expect(world.shown).toEqual(['web-0 app:2', 'web-1 app:2', 'web-2 app:2']);
    expect(world.pods.map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(world.set.status?.currentRevision).toBe(world.set.status?.updateRevision);
  });

  it('of the other Pods comes soon, with Parallel, though it is refused for many', async () => {
    const others = ['web-0', 'web-1'];
    let isRefused = false;
    const before = ({ verb, type, key, from }: FakeCall): void => {
      if (isRefused && verb === 'patch' && type === pods && from === 'manager' && !others.includes(key.name))
        throw new ApiError('no', { kind: 'Forbidden' });
    };
    const world = begin({ replicas: 30, parallel: true, rollingUpdate: { maxUnavailable: '100%' } }, { before });
    await world.settle();
    isRefused = true;
    world.changeImage('app:2');
    await world.ticks(3);
    const updated = world.pods.filter(({ spec }) => spec.containers[0]?.image === 'app:2').map(({ metadata }) => metadata.name);
    expect(updated).toEqual(others);
  });

  it('recreates Pods one by one with ReCreate', async () => {
    const world = begin({ replicas: 3, rollingUpdate: { podUpdatePolicy: 'ReCreate' } });
    await world.settle();
    world.changeImage('app:2');
    await world.settle();
    expect(world.shown).toEqual(['web-0 app:2', 'web-1 app:2', 'web-2 app:2']);
  });

  it('keeps as many Pods at the old revision as the partition says, and recreates them at it', async () => {
    const world = begin({ replicas: 5, rollingUpdate: { partition: 3 } });
    await world.settle();
    world.changeImage('app:2');
    await world.settle();
    const half = ['web-0 app:1', 'web-1 app:1', 'web-2 app:1', 'web-3 app:2', 'web-4 app:2'];
    expect(world.shown).toEqual(half);
    await deletePod(world, 'web-1');
    await deletePod(world, 'web-4');
    await world.settle();
    expect(world.shown).toEqual(half);
  });
});

describe('a Pod that cannot be updated in place', () => {
  it('stays as it is with InPlaceOnly, and is reported', async () => {
    const world = begin({ replicas: 2, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } });
    await world.settle();
    const uids = world.pods.map(({ metadata }) => metadata.uid);
    const { template } = world.set.spec;
    const spec = { ...template.spec, containers: template.spec?.containers ?? [], serviceAccountName: 'other' };
    world.change({ template: { ...template, spec } });
    await world.settle();
    expect(world.pods.map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(world.conditions).toContainEqual(
      expect.stringMatching(/^FailedUpdatePod : StatefulPodControl failed to update Pod error: Pod web-1 cannot be updated in place: /),
    );
  });
});

describe('a Pod whose ordinal is not used any more', () => {
  it('is forgotten with what the API server has refused about it: no later update is tried first', async () => {
    let patches = 0;
    const before = ({ verb, type, key, body, subresource, from }: FakeCall): void => {
      if (verb === 'create' && type === pods && (body as Pod).metadata.name === 'web-2') throw new ApiError('no', { kind: 'Forbidden' });
      if (verb === 'patch' && type === pods && key.name !== '' && subresource === '' && from === 'manager') patches++;
    };
    const world = begin({ replicas: 2, parallel: true }, { before });
    await world.settle();
    const patchesOf = async (image: string): Promise<number> => {
      const then = patches;
      world.changeImage(image);
      await world.settle();
      expect(world.shown).toEqual([`web-0 ${image}`, `web-1 ${image}`]);
      return patches - then;
    };
    const first = await patchesOf('app:2');
    world.change({ replicas: 3 });
    await world.ticks(3);
    world.change({ replicas: 2 });
    await world.settle();
    expect(await patchesOf('app:3')).toBe(first);
  });

  it('stays, with Parallel, while the API server refuses the one that takes its place', async () => {
    let isRefused = false;
    const before = ({ verb, type }: FakeCall): void => {
      if (isRefused && verb === 'create' && type === pods)
        throw new ApiError('no', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    };
    const world = begin({ replicas: 3, parallel: true }, { before });
    await world.settle();
    isRefused = true;
    world.change({ reserveOrdinals: ['0-2'] });
    await world.ticks(30);
    expect(world.shown).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:1']);
    isRefused = false;
    await world.settle(300, 60);
    expect(world.shown).toEqual(['web-3 app:1', 'web-4 app:1', 'web-5 app:1']);
  });
});

describe('scaling in', () => {
  it('deletes Pods one by one from the highest ordinal down', async () => {
    const world = begin({ replicas: 4 });
    await world.settle();
    world.change({ replicas: 1 });
    await world.manager.settle();
    expect(world.shown.filter((text) => text.endsWith('going'))).toEqual(['web-3 app:1 going']);
    await world.settle();
    expect(names(world)).toEqual(['web-0']);
  });

  it('grows claims with their template, and marks them as those that it has resized', async () => {
    const world = begin(
      { replicas: 1, claims: [aClaimTemplate('data')], spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } } },
      { gates: { StatefulSetAutoResizePVCGate: true } },
    );
    world.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: true });
    await world.settle();
    const [before] = world.pods;
    world.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
    await world.settle();
    expect(world.claims).toMatchObject([
      {
        metadata: { name: 'data-web-0', annotations: { 'apps.kruise.io/owned-by-asts': 'web' } },
        spec: { resources: { requests: { storage: '2Gi' } } },
      },
    ]);
    expect(world.manager.events).toContainEqual(expect.objectContaining({ reason: 'SuccessfulResize', type: 'Normal' }));
    expect(world.pods[0]?.metadata.uid).toBe(before?.metadata.uid);
    expect(world.set.status?.volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 1, compatibleReadyReplicas: 1 }]);
  });

  it('says once that a claim cannot grow, however often it tries', async () => {
    const world = begin(
      { replicas: 2, claims: [aClaimTemplate('data')], spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } } },
      { gates: { StatefulSetAutoResizePVCGate: true } },
    );
    world.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: false });
    await world.settle();
    world.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
    await world.settle();
    await world.quietHour();
    const why = 'StorageClass fast of claim data-web-1 does not allow expansion';
    expect(world.manager.events.filter(({ reason }) => reason === 'FailedUpdatePVC')).toEqual([
      {
        about: 'web',
        type: 'Warning',
        reason: 'FailedUpdatePVC',
        message: `update Claim data-web-1 in StatefulSet web failed error: ${why}`,
      },
    ]);
    expect(world.conditions).toContainEqual(expect.stringMatching(`^FailedUpdatePod : .*${why}$`));
  });

  it('leaves out reserved ordinals', async () => {
    const world = begin({ replicas: 4, parallel: true, spec: { reserveOrdinals: [1, '3-4'] } });
    await world.settle();
    expect(names(world)).toEqual(['web-0', 'web-2', 'web-5', 'web-6']);
  });
});

describe('more Pods than one burst, with Parallel', () => {
  it('all come up, and all go when the StatefulSet is scaled in', async () => {
    const world = begin({ replicas: 600, parallel: true });
    await world.manager.settle();
    expect(world.pods).toHaveLength(600);
    world.api.seed(statefulSets, { ...world.set, spec: { ...world.set.spec, replicas: 0 } });
    await world.manager.settle();
    expect(world.pods).toEqual([]);
  });
});
