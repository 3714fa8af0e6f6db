/** Complete runs of a StatefulSet on an in-memory API server. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { statefulSets } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { FakeCall } from '@kruise/kube/testing';
import { pods, storageClasses, type Pod } from '@kruise/objects';
import type { ClusterOptions } from '../../module/controller-cluster.testing.ts';
import { asNew } from '../../module/controller-process.testing.ts';
import { ownerReferenceTo } from '@kruise/kinds/statefulset';
import { aClaimTemplate, aStatefulSet, type SetShape } from '@kruise/kinds/statefulset/testing';
import { StatefulSetCluster, deletePod, failed } from './cluster.testing.ts';

let opened: AsyncDisposableStack | undefined;
afterEach(() => opened?.disposeAsync());

const begin = (shape: SetShape, options: ClusterOptions = {}): StatefulSetCluster => {
  opened = new AsyncDisposableStack();
  return opened.use(new StatefulSetCluster(shape, options));
};

const names = (cluster: StatefulSetCluster): readonly string[] => cluster.pods.map(({ metadata }) => metadata.name);

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
  const cluster = begin({ replicas: 2, parallel: true });
  await cluster.settle();
  cluster.stuck.add('web-0').add('web-1');
  cluster.changePod('web-1', (pod) => withReady(pod, 'False'));
  await cluster.manager.settle();
  cluster.api.holdWatches(pods);
  cluster.changePod('web-1', (pod) => withReady(pod, 'True'));
  cluster.changePod('web-0', (pod) => withReady(pod, 'False'));
  cluster.changeImage('app:2');
  await cluster.ticks(3);
  expect(cluster.shown).toEqual(['web-0 app:1 unready', 'web-1 app:1']);
  expect(cluster.manager.events.filter(({ reason }) => reason === 'FailedDelete')).toEqual([]);
  cluster.api.releaseWatches();
  cluster.stuck.clear();
  await cluster.settle();
  expect(cluster.shown).toEqual(['web-0 app:2', 'web-1 app:2']);
});

describe('creating Pods', () => {
  it('records no event for a Pod of its own that it did not create', async () => {
    const cluster = begin({ replicas: 0 });
    await cluster.settle();
    cluster.api.holdWatches(pods);
    const metadata = { name: 'web-0', namespace: 'default', labels: { app: 'web' }, ownerReferences: [ownerReferenceTo(cluster.set)] };
    cluster.api.seed(pods, asNew({ metadata, spec: { containers: [{ name: 'main', image: 'app:1' }] } }));
    cluster.change({ replicas: 1 });
    await cluster.manager.settle();
    expect(cluster.api.calls.filter(({ verb, type }) => verb === 'create' && type?.kind === 'Pod')).not.toEqual([]);
    expect(cluster.manager.events.filter(({ reason }) => reason === 'SuccessfulCreate' || reason === 'FailedCreate')).toEqual([]);
  });

  it('creates Pods one by one, each when the one before is ready', async () => {
    const cluster = begin({ replicas: 3 });
    await cluster.manager.settle();
    expect(cluster.shown).toEqual(['web-0 app:1 unready']);
    await cluster.settle();
    expect(cluster.shown).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:1']);
    expect(cluster.set.status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      currentReplicas: 3,
      availableReplicas: 3,
    });
  });

  it('happens all at once with Parallel', async () => {
    const cluster = begin({ replicas: 5, parallel: true });
    await cluster.manager.settle();
    expect(names(cluster)).toEqual(['web-0', 'web-1', 'web-2', 'web-3', 'web-4']);
  });

  it('skips an ordinal whose name another owner uses, with Parallel, and reports it', async () => {
    const cluster = begin({ replicas: 4, parallel: true });
    cluster.api.seed(pods, {
      metadata: { name: 'web-0', namespace: 'default' },
      spec: { containers: [{ name: 'other', image: 'other:1' }] },
    });
    await cluster.manager.settle();
    expect(names(cluster)).toEqual(['web-0', 'web-1', 'web-2', 'web-3']);
    expect(cluster.manager.events.filter(({ reason }) => reason === 'FailedCreate')).toEqual([]);
    expect(cluster.conditions).toContainEqual(expect.stringMatching(/^FailedCreatePod : StatefulPodControl failed to create Pod error: /));
  });

  it('waits for Pods of a former StatefulSet of its name without requesting names that they hold, with Parallel', async () => {
    const cluster = begin({ replicas: 6, parallel: true });
    await cluster.settle();
    const refused: string[] = [];
    cluster.api.onWrite((write) => {
      if (write.refused !== undefined) refused.push(`${write.call.verb} ${write.call.key.name}`);
    });
    await cluster.api.delete(statefulSets, { namespace: 'default', name: 'web' });
    for (const name of names(cluster)) {
      cluster.stuck.add(name);
      await deletePod(cluster, name);
    }
    cluster.api.seed(statefulSets, asNew(aStatefulSet({ replicas: 6, parallel: true })));
    await cluster.ticks(3);
    const held = names(cluster).join(', ');
    expect(cluster.conditions).toEqual([`Blocked WaitingForNames: Pods that are being deleted hold the names that new Pods need: ${held}`]);
    cluster.onTick = () => void cluster.stuck.delete([...cluster.stuck][0] ?? '');
    await cluster.settle();
    expect(cluster.shown).toEqual([0, 1, 2, 3, 4, 5].map((ordinal) => `web-${ordinal} app:1`));
    expect(refused).toEqual([]);
    expect(cluster.conditions).toEqual([]);
  });

  it('makes the claims of each Pod, once', async () => {
    const cluster = begin({ replicas: 2, claims: [aClaimTemplate('data')] });
    await cluster.settle();
    expect(cluster.claims.map(({ metadata }) => metadata.name)).toEqual(['data-web-0', 'data-web-1']);
    expect(cluster.set.status?.volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 2, compatibleReadyReplicas: 2 }]);
  });

  it('replaces a Pod that has failed', async () => {
    const cluster = begin({ replicas: 2 });
    await cluster.settle();
    cluster.changePod('web-0', failed);
    await cluster.settle();
    expect(cluster.shown).toEqual(['web-0 app:1', 'web-1 app:1']);
  });
});

describe('a Pod that the API server refuses', () => {
  it('is reported in an event and a condition, which ends with the next accepted one', async () => {
    let isRefused = true;
    const quota = new ApiError('exceeded quota', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    const before = ({ verb, type }: FakeCall): void => {
      if (isRefused && verb === 'create' && type === pods) throw quota;
    };
    const cluster = begin({ replicas: 1 }, { before });
    await cluster.manager.settle();
    expect(cluster.manager.events).toContainEqual({
      about: 'web',
      type: 'Warning',
      reason: 'FailedCreate',
      message: `create Pod web-0 in StatefulSet web failed error: ${quota.message}`,
    });
    expect(cluster.conditions).toContainEqual(`FailedCreatePod : StatefulPodControl failed to create Pod error: ${quota.message}`);
    isRefused = false;
    await cluster.settle();
    expect(cluster.shown).toEqual(['web-0 app:1']);
    expect(cluster.conditions).toEqual([]);
  });
});

describe('an object that went past admission', () => {
  it('is reported once, creates nothing, and is served after its correction', async () => {
    const cluster = begin({ spec: { reserveOrdinals: '1-2' as unknown as string[] } });
    await cluster.manager.settle();
    await cluster.quietHour();
    const why = 'spec.reserveOrdinals: Invalid value: must be a list of ordinals and ranges';
    expect(names(cluster)).toEqual([]);
    expect(cluster.conditions).toEqual([
      `FailedCreatePod : StatefulPodControl failed to create Pod error: ${why}`,
      `Blocked InvalidSpec: ${why}`,
    ]);
    expect(cluster.manager.events).toEqual([{ about: 'web', type: 'Warning', reason: 'InvalidSpec', message: why }]);
    cluster.change({ reserveOrdinals: ['1-2'], replicas: 2 });
    await cluster.settle();
    expect(names(cluster)).toEqual(['web-0', 'web-3']);
    expect(cluster.conditions).toEqual([]);
  });
});

describe('updating Pods', () => {
  it('updates in place from the highest ordinal down', async () => {
    const cluster = begin({ replicas: 3 });
    await cluster.settle();
    const uids = cluster.pods.map(({ metadata }) => metadata.uid);
    cluster.changeImage('app:2');
    await cluster.manager.settle();
    expect(cluster.shown).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:2 Updating unready']);
    await cluster.settle();
    expect(cluster.shown).toEqual(['web-0 app:2', 'web-1 app:2', 'web-2 app:2']);
    expect(cluster.pods.map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(cluster.set.status?.currentRevision).toBe(cluster.set.status?.updateRevision);
  });

  it('of the other Pods comes soon, with Parallel, though it is refused for many', async () => {
    const others = ['web-0', 'web-1'];
    let isRefused = false;
    const before = ({ verb, type, key, from }: FakeCall): void => {
      if (isRefused && verb === 'patch' && type === pods && from === 'manager' && !others.includes(key.name))
        throw new ApiError('no', { kind: 'Forbidden' });
    };
    const cluster = begin({ replicas: 30, parallel: true, rollingUpdate: { maxUnavailable: '100%' } }, { before });
    await cluster.settle();
    isRefused = true;
    cluster.changeImage('app:2');
    await cluster.ticks(3);
    const updated = cluster.pods.filter(({ spec }) => spec.containers[0]?.image === 'app:2').map(({ metadata }) => metadata.name);
    expect(updated).toEqual(others);
  });

  it('recreates Pods one by one with ReCreate', async () => {
    const cluster = begin({ replicas: 3, rollingUpdate: { podUpdatePolicy: 'ReCreate' } });
    await cluster.settle();
    cluster.changeImage('app:2');
    await cluster.settle();
    expect(cluster.shown).toEqual(['web-0 app:2', 'web-1 app:2', 'web-2 app:2']);
  });

  it('keeps as many Pods at the old revision as the partition says, and recreates them at it', async () => {
    const cluster = begin({ replicas: 5, rollingUpdate: { partition: 3 } });
    await cluster.settle();
    cluster.changeImage('app:2');
    await cluster.settle();
    const half = ['web-0 app:1', 'web-1 app:1', 'web-2 app:1', 'web-3 app:2', 'web-4 app:2'];
    expect(cluster.shown).toEqual(half);
    await deletePod(cluster, 'web-1');
    await deletePod(cluster, 'web-4');
    await cluster.settle();
    expect(cluster.shown).toEqual(half);
  });
});

describe('a Pod that cannot be updated in place', () => {
  it('stays as it is with InPlaceOnly, and is reported', async () => {
    const cluster = begin({ replicas: 2, rollingUpdate: { podUpdatePolicy: 'InPlaceOnly' } });
    await cluster.settle();
    const uids = cluster.pods.map(({ metadata }) => metadata.uid);
    const { template } = cluster.set.spec;
    const spec = { ...template.spec, containers: template.spec?.containers ?? [], serviceAccountName: 'other' };
    cluster.change({ template: { ...template, spec } });
    await cluster.settle();
    expect(cluster.pods.map(({ metadata }) => metadata.uid)).toEqual(uids);
    expect(cluster.conditions).toContainEqual(
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
    const cluster = begin({ replicas: 2, parallel: true }, { before });
    await cluster.settle();
    const patchesOf = async (image: string): Promise<number> => {
      const then = patches;
      cluster.changeImage(image);
      await cluster.settle();
      expect(cluster.shown).toEqual([`web-0 ${image}`, `web-1 ${image}`]);
      return patches - then;
    };
    const first = await patchesOf('app:2');
    cluster.change({ replicas: 3 });
    await cluster.ticks(3);
    cluster.change({ replicas: 2 });
    await cluster.settle();
    expect(await patchesOf('app:3')).toBe(first);
  });

  it('stays, with Parallel, while the API server refuses the one that takes its place', async () => {
    let isRefused = false;
    const before = ({ verb, type }: FakeCall): void => {
      if (isRefused && verb === 'create' && type === pods)
        throw new ApiError('no', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });
    };
    const cluster = begin({ replicas: 3, parallel: true }, { before });
    await cluster.settle();
    isRefused = true;
    cluster.change({ reserveOrdinals: ['0-2'] });
    await cluster.ticks(30);
    expect(cluster.shown).toEqual(['web-0 app:1', 'web-1 app:1', 'web-2 app:1']);
    isRefused = false;
    await cluster.settle(300, 60);
    expect(cluster.shown).toEqual(['web-3 app:1', 'web-4 app:1', 'web-5 app:1']);
  });
});

describe('scaling in', () => {
  it('deletes Pods one by one from the highest ordinal down', async () => {
    const cluster = begin({ replicas: 4 });
    await cluster.settle();
    cluster.change({ replicas: 1 });
    await cluster.manager.settle();
    expect(cluster.shown.filter((text) => text.endsWith('going'))).toEqual(['web-3 app:1 going']);
    await cluster.settle();
    expect(names(cluster)).toEqual(['web-0']);
  });

  it('grows claims with their template, and marks them as those that it has resized', async () => {
    const cluster = begin(
      { replicas: 1, claims: [aClaimTemplate('data')], spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } } },
      { gates: { StatefulSetAutoResizePVCGate: true } },
    );
    cluster.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: true });
    await cluster.settle();
    const [before] = cluster.pods;
    cluster.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
    await cluster.settle();
    expect(cluster.claims).toMatchObject([
      {
        metadata: { name: 'data-web-0', annotations: { 'apps.kruise.io/owned-by-asts': 'web' } },
        spec: { resources: { requests: { storage: '2Gi' } } },
      },
    ]);
    expect(cluster.manager.events).toContainEqual(expect.objectContaining({ reason: 'SuccessfulResize', type: 'Normal' }));
    expect(cluster.pods[0]?.metadata.uid).toBe(before?.metadata.uid);
    expect(cluster.set.status?.volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 1, compatibleReadyReplicas: 1 }]);
  });

  it('says once that a claim cannot grow, however often it tries', async () => {
    const cluster = begin(
      { replicas: 2, claims: [aClaimTemplate('data')], spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } } },
      { gates: { StatefulSetAutoResizePVCGate: true } },
    );
    cluster.api.seed(storageClasses, { metadata: { name: 'fast' }, allowVolumeExpansion: false });
    await cluster.settle();
    cluster.change({ volumeClaimTemplates: [aClaimTemplate('data', '2Gi')] });
    await cluster.settle();
    await cluster.quietHour();
    const why = 'StorageClass fast of claim data-web-1 does not allow expansion';
    expect(cluster.manager.events.filter(({ reason }) => reason === 'FailedUpdatePVC')).toEqual([
      {
        about: 'web',
        type: 'Warning',
        reason: 'FailedUpdatePVC',
        message: `update Claim data-web-1 in StatefulSet web failed error: ${why}`,
      },
    ]);
    expect(cluster.conditions).toContainEqual(expect.stringMatching(`^FailedUpdatePod : .*${why}$`));
  });

  it('skips reserved ordinals', async () => {
    const cluster = begin({ replicas: 4, parallel: true, spec: { reserveOrdinals: [1, '3-4'] } });
    await cluster.settle();
    expect(names(cluster)).toEqual(['web-0', 'web-2', 'web-5', 'web-6']);
  });
});

describe('more Pods than one burst, with Parallel', () => {
  it('all come up, and all go when the StatefulSet is scaled in', async () => {
    const cluster = begin({ replicas: 600, parallel: true });
    await cluster.manager.settle();
    expect(cluster.pods).toHaveLength(600);
    cluster.api.seed(statefulSets, { ...cluster.set, spec: { ...cluster.set.spec, replicas: 0 } });
    await cluster.manager.settle();
    expect(cluster.pods).toEqual([]);
  });
});
