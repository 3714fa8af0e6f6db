/** What a pass does about claims. @see spec/statefulset.md 5.7, 5.10 */
import { describe, expect, it } from '@jest/globals';
import {
  all,
  data,
  doing,
  held,
  parallel,
  planned,
  rolling,
  unready,
  type Planned,
  type Row,
  type Situation,
} from './situation.testing.ts';
import { aClaimTemplate } from '@kruise/kinds/statefulset/testing';

const check = ({ given, then }: Row): void => expect(planned(given)).toEqual(then);

describe('growing claims', () => {
  const fast = { metadata: { name: 'fast' }, allowVolumeExpansion: true };
  const set = {
    replicas: 2,
    claims: [aClaimTemplate('data', '2Gi')],
    spec: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
  } satisfies Situation['set'];
  const growing = { set, classes: [fast], pods: all(2), gates: { StatefulSetAutoResizePVCGate: true } } satisfies Situation;
  const why = (claim: string): string => `ResizePending: claim ${claim} is being resized: it requests 2Gi and has 1Gi`;
  it.each<Row>([
    {
      name: 'one Pod after the other',
      given: { ...growing, claims: { 0: {}, 1: {} } },
      then: doing('ResizeClaim data-web-1 to 2Gi'),
    },
    {
      name: 'waits for the storage, and says so',
      given: { ...growing, claims: { 0: {}, 1: { asks: '2Gi', has: '1Gi' } } },
      then: { does: [], blocked: why('data-web-1') },
    },
    {
      name: 'continues when it is given',
      given: { ...growing, claims: { 0: {}, 1: { asks: '2Gi' } } },
      then: doing('ResizeClaim data-web-0 to 2Gi'),
    },
    { name: 'ends when all have it', given: { ...growing, claims: { 0: { asks: '2Gi' }, 1: { asks: '3Gi' } } }, then: doing() },
    {
      name: 'several Pods at once within the budget',
      given: { ...growing, set: { ...set, ...parallel, ...rolling({ maxUnavailable: 2 }) }, claims: { 0: {}, 1: {} } },
      then: doing('ResizeClaim data-web-1 to 2Gi', 'ResizeClaim data-web-0 to 2Gi'),
    },
    {
      name: 'only of Pods beyond the partition',
      given: { ...growing, set: { ...set, ...rolling({ partition: 1 }) }, claims: { 0: {}, 1: { asks: '2Gi' } } },
      then: doing(),
    },
    {
      name: 'not while the update is paused',
      given: { ...growing, set: { ...set, ...rolling({ paused: true }) }, claims: { 0: {}, 1: {} } },
      then: doing(),
    },
    {
      name: 'not of claims that go',
      given: { ...growing, claims: { 0: { going: true }, 1: { going: true } } },
      then: doing(),
    },
    {
      name: 'no claim that is of another class',
      given: { ...growing, set: { ...set, claims: [aClaimTemplate('data', '2Gi', 'slow')] }, claims: { 0: {}, 1: {} } },
      then: { does: [], fails: { update: { message: 'claim data-web-1 differs from its template in more than its size' } } },
    },
    {
      name: 'beside a claim that is of another class, with Parallel, which is reported',
      given: { ...growing, set: { ...set, ...parallel, ...rolling({ maxUnavailable: 2 }) }, claims: { 0: {}, 1: { of: 'slow' } } },
      then: {
        does: ['ResizeClaim data-web-0 to 2Gi'],
        fails: { update: { message: 'claim data-web-1 differs from its template in more than its size' } },
      },
    },
    {
      name: 'none below a claim that is of another class, when ordered',
      given: { ...growing, claims: { 0: {}, 1: { of: 'slow' } } },
      then: { does: [], fails: { update: { message: 'claim data-web-1 differs from its template in more than its size' } } },
    },
    {
      name: 'and the Pod is updated with them only when they are there',
      given: {
        ...growing,
        revisions: 2,
        current: 1,
        pods: all(2, { of: 1 }),
        claims: { 0: {}, 1: { asks: '2Gi' } },
      },
      then: doing('UpdatePodInPlace web-1'),
    },
    { name: 'needs its gate', given: { ...growing, gates: {}, claims: { 0: {}, 1: {} } }, then: doing() },
    {
      name: 'needs the strategy',
      given: { ...growing, set: { ...set, spec: { volumeClaimUpdateStrategy: { type: 'OnDelete' } } }, claims: { 0: {}, 1: {} } },
      then: doing(),
    },
    {
      name: 'needs a class that allows it',
      given: { ...growing, classes: [{ ...fast, allowVolumeExpansion: false }], claims: { 0: {}, 1: {} } },
      then: { does: [], fails: { update: { message: 'StorageClass fast of claim data-web-1 does not allow expansion' } } },
    },
    {
      name: 'needs a class that exists',
      given: { ...growing, classes: [], claims: { 0: {}, 1: {} } },
      then: { does: [], fails: { update: { message: 'claim data-web-1 is of StorageClass "fast", which does not exist' } } },
    },
    {
      name: 'recreates the Pod once only the file system is left',
      given: {
        ...growing,
        set: { ...set, replicas: 1, ...rolling({ podUpdatePolicy: 'ReCreate' }) },
        revisions: 2,
        current: 1,
        pods: { 0: { of: 1 } },
        claims: { 0: { asks: '2Gi', has: '1Gi', conditions: ['FileSystemResizePending'] } },
      },
      then: { does: ['DeletePod web-0'], blocked: why('data-web-0') },
    },
  ])('$name', check);
});

describe('who owns claims', () => {
  const policy = (whenScaled: string, whenDeleted: string): Situation['set'] =>
    ({
      ...data,
      replicas: 1,
      spec: { persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } },
    }) as Situation['set'];
  const given = { pods: { 0: {} }, claims: { 0: {} } } satisfies Situation;
  const foreign = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'theirs' }];
  it.each<Row>([
    { name: 'none, when all is retained', given: { ...given, set: policy('Retain', 'Retain') ?? {} }, then: doing() },
    {
      name: 'the StatefulSet, when they go with it',
      given: { ...given, set: policy('Retain', 'Delete') ?? {} },
      then: doing('SetClaimOwners data-web-0 to StatefulSet web'),
    },
    {
      name: 'none any more, once all is retained',
      given: {
        ...given,
        set: policy('Retain', 'Retain') ?? {},
        claims: { 0: { owners: [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'set-uid' }] } },
      },
      then: doing('SetClaimOwners data-web-0 to nobody'),
    },
    { name: 'not the Pod in its slot', given: { ...given, set: policy('Delete', 'Retain') ?? {} }, then: doing() },
    {
      name: 'owners of others stay',
      given: { ...given, set: policy('Retain', 'Delete') ?? {}, claims: { 0: { owners: foreign } } },
      then: doing('SetClaimOwners data-web-0 to ConfigMap theirs, StatefulSet web'),
    },
    {
      name: 'is not looked after without the gate',
      given: { ...given, set: policy('Retain', 'Delete') ?? {}, gates: { StatefulSetAutoDeletePVC: false } },
      then: doing(),
    },
    {
      name: 'is not looked after for a claim that is going',
      given: { ...given, set: policy('Retain', 'Delete') ?? {}, claims: { 0: { going: true } } },
      then: doing(),
    },
  ])('$name', check);
});

describe('a Pod that owns its claim', () => {
  const ofPod = (ordinal: number) => [{ apiVersion: 'v1', kind: 'Pod', name: `web-${ordinal}`, uid: `uid-web-${ordinal}` }];
  const scaled = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } } as const;
  const silent = { ...held.lifecycle.preDelete, markPodNotReady: true };
  const two = { revisions: 2, current: 1 } as const;
  const owning = { 0: {}, 1: { owners: ofPod(1) } } as const;
  const freed = 'SetClaimOwners data-web-1 to nobody';
  const recreated = rolling({ podUpdatePolicy: 'ReCreate' });
  const given = (set: NonNullable<Situation['set']>, pods: NonNullable<Situation['pods']>, more: Partial<Situation> = {}): Situation => ({
    set: { ...data, replicas: 2, ...set, spec: { ...scaled, ...set.spec } },
    claims: owning,
    pods: { 0: {}, ...pods },
    ...more,
  });
  const does = (...actions: readonly string[]): Planned => expect.objectContaining({ does: actions }) as unknown as Planned;

  it.each<Row>([
    {
      name: 'is not deleted in its slot when its preDelete hook lets go, before the claim is free',
      given: given({ spec: { lifecycle: { preDelete: silent } } }, { 1: { state: 'PreparingDelete' } }),
      then: does(freed),
    },
    {
      name: 'is not replaced by the update in its slot before the claim is free',
      given: given({ ...recreated }, { 0: { of: 1 }, 1: { of: 1 } }, two),
      then: does(freed),
    },
    {
      name: 'that waited for its preDelete hook is not replaced before the claim is free',
      given: given({ ...recreated, spec: { lifecycle: held.lifecycle } }, { 0: { of: 1 }, 1: { of: 1, state: 'PreparingDelete' } }, two),
      then: does(freed),
    },
    {
      name: 'is not deleted for its mark before the claim is free',
      given: given({ ...parallel }, { 1: { marked: true } }),
      then: does(freed),
    },
    { name: 'is not deleted because it failed before the claim is free', given: given({}, { 1: { phase: 'Failed' } }), then: does(freed) },
    {
      name: 'that is being deleted loses the claim, with Parallel',
      given: given({ ...parallel }, { 1: { terminating: true } }),
      then: does(freed),
    },
    { name: 'that is being deleted loses the claim, with OrderedReady', given: given({}, { 1: { terminating: true } }), then: does(freed) },
    {
      name: 'behind one that is not ready loses the claim, with OrderedReady',
      given: given({}, { 0: unready, 1: {} }),
      then: does(freed),
    },
    {
      name: 'that is not available loses the claim, with a limit on scaling',
      given: given({ ...parallel, spec: { scaleStrategy: { maxUnavailable: 1 } } }, { 1: unready }),
      then: does(freed),
    },
    {
      name: 'that is Pending loses the claim in one write',
      given: given({ ...parallel }, { 1: { phase: 'Pending', ready: false } }),
      then: does(freed),
    },
    {
      name: 'without a slot is not deleted while its claim is to stay',
      given: given(
        { ...parallel, replicas: 1, spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Retain' } } },
        { 1: {} },
      ),
      then: does(freed),
    },
    {
      name: 'is deleted if the manager does not set owners of claims',
      given: given({}, { 1: { phase: 'Failed' } }, { gates: { StatefulSetAutoDeletePVC: false } }),
      then: does('DeletePod web-1'),
    },
    {
      name: 'is deleted when the claim is being deleted anyway',
      given: given({}, { 1: { phase: 'Failed' } }, { claims: { 0: {}, 1: { owners: ofPod(1), going: true } } }),
      then: does('DeletePod web-1'),
    },
    {
      name: 'is deleted in its slot once the claim is free',
      given: given({}, { 1: { phase: 'Failed' } }, { claims: { 0: {}, 1: {} } }),
      then: does('DeletePod web-1'),
    },
    {
      name: 'is deleted without a slot, and others that do not own theirs yet are not',
      given: given({ ...parallel, replicas: 1 }, { 1: {}, 2: {} }, { claims: { ...owning, 2: {} } }),
      then: does('SetClaimOwners data-web-2 to Pod web-2', 'DeletePod web-1'),
    },
  ])('$name', check);

  it('removes the owner of its claim when the StatefulSet no longer deletes claims, although it is not available', () => {
    const ofSet = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'set-uid' }];
    const retained = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Retain' } } as const;
    const set = { ...data, ...parallel, replicas: 2, spec: { ...retained, scaleStrategy: { maxUnavailable: 1 } } };
    const { does: done } = planned({ set, pods: { 0: {}, 1: unready }, claims: { 0: {}, 1: { owners: ofSet } } });
    expect(done).toEqual([freed]);
  });
});
