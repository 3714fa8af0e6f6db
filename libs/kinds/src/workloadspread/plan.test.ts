import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { annotations, workloadSpreadAnnotations, type WorkloadSpread } from '@kruise/api';
import { deepEqual, memberAt, type Pod } from '@kruise/objects';
import { plan, type Snapshot } from './plan.ts';
import { aNode, aSpread, aSpreadPod, aSubset, inZone, later, timeOf, unschedulable } from './testing.ts';
import { versionedKinds } from './versions.ts';

const versioned = versionedKinds('deployment,replicaset');
const nodes = [aNode('a1', { 'example.com/zone': 'a' }), aNode('b1', { 'example.com/zone': 'b' })];
const seen = (spread: WorkloadSpread, pods: readonly Pod[], over: Partial<Snapshot> = {}): Snapshot => ({
  spread,
  pods,
  total: pods.length,
  workloadVersion: 'versionIgnored',
  nodeOf: (name) => nodes.find(({ metadata }) => metadata.name === name),
  ...over,
});
const at = (ms = 3_600_000) => ({ now: later(ms), versioned });
const inA = aSubset('a', 3, {
  requiredNodeSelector: inZone('a'),
  patch: { metadata: { labels: { place: 'a' } }, spec: { hostname: 'x' } },
});
const inB = aSubset('b', undefined, { requiredNodeSelector: inZone('b') });

describe('a pass', () => {
  it('takes in Pods that were there before, with the metadata of the subset and their cost in one write (6)', () => {
    const pods = ['1', '2', '3', '4'].map((name) => aSpreadPod({ name, node: 'a1', createdAt: later(-1000) }));
    const { marks, status } = plan(seen(aSpread([inA, inB]), pods), at());
    expect(marks.map(({ pod, because }) => [pod.metadata.name, because])).toEqual([
      ['1', 'it fits subset a where it is, its deletion cost is -100'],
      ...['2', '3', '4'].map((name) => [name, 'it fits subset a where it is, its deletion cost is 200']),
    ]);
    expect(marks[0]?.patch).toEqual({
      metadata: {
        uid: `uid-${marks[0]?.pod.metadata.name}`,
        labels: { place: 'a' },
        annotations: {
          [workloadSpreadAnnotations.matched]: '{"name":"spread","subset":"a"}',
          [annotations.podDeletionCost]: expect.any(String),
        },
      },
    });
    expect(status.subsetStatuses).toEqual([
      { name: 'a', replicas: 4, missingReplicas: 0 },
      { name: 'b', replicas: 0, missingReplicas: -1 },
    ]);
  });

  it('counts, and keeps the generation that is observed, while marks are left', () => {
    const spread = aSpread([inA, inB], {}, { observedGeneration: 0, subsetStatuses: [] });
    const snapshot = seen(spread, [aSpreadPod({ name: '1', node: 'a1' }), aSpreadPod({ name: '2', node: 'a1' })]);
    const { marks, status } = plan(snapshot, at());
    expect([marks.length, status.observedGeneration]).toEqual([2, 1]);
    const left = { ...at(), areMarksLeft: true };
    expect(plan(snapshot, left)).toMatchObject({ marks, status: { ...status, observedGeneration: 0 } });
    expect(plan(seen(aSpread([inA]), [aSpreadPod({ name: '1', node: 'a1' })]), left).status.observedGeneration).toBe(0);
  });

  it.each(['true', 'TRUE'])('takes them in without that metadata where it is not wanted: %p', (value) => {
    const spread = aSpread([inA], {}, undefined, { annotations: { [workloadSpreadAnnotations.ignorePatchExistingPods]: value } });
    const { marks } = plan(seen(spread, [aSpreadPod({ name: '1', node: 'a1' })]), at());
    expect(memberAt(marks[0]?.patch, 'metadata', 'labels')).toBeUndefined();
  });

  it('writes to no Pod that is as it should be', () => {
    const pods = [aSpreadPod({ name: '1', subset: 'a', cost: 200 }), aSpreadPod({ name: '2', subset: 'b', cost: 100 })];
    expect(plan(seen(aSpread([inA, inB]), pods), at()).marks).toEqual([]);
  });

  it('overwrites a cost from another client', () => {
    const { marks } = plan(seen(aSpread([inA, inB]), [aSpreadPod({ name: '1', subset: 'a', cost: 7 })]), at());
    expect(marks.map(({ because }) => because)).toEqual(['its deletion cost is 200']);
  });

  it('gives Pods of a Job no cost, also those that are taken in', () => {
    const spread = aSpread([inA, inB], { targetRef: { apiVersion: 'batch/v1', kind: 'Job', name: 'web' } });
    const { marks } = plan(seen(spread, [aSpreadPod({ name: '1', subset: 'a' }), aSpreadPod({ name: '2', node: 'b1' })]), at());
    expect(marks.map(({ pod, because }) => [pod.metadata.name, because])).toEqual([['2', 'it fits subset b where it is']]);
    expect(marks[0]?.patch).toEqual({
      metadata: { uid: 'uid-2', annotations: { [workloadSpreadAnnotations.matched]: '{"name":"spread","subset":"b"}' } },
    });
  });

  it.each<[string, Pod]>([
    ['has ended', aSpreadPod({ name: '1', subset: 'a', phase: 'Succeeded' })],
    ['is in no subset', aSpreadPod({ name: '1', subset: 'former' })],
    ['found none', aSpreadPod({ name: '1', node: 'a1', createdAt: later(3_599_000) })],
  ])('keeps a version of which one Pod is left that %s', (_name, pod) => {
    const { status } = plan(seen(aSpread([aSubset('a', 0)]), [pod]), at());
    expect(status.versionedSubsetStatuses).toEqual({ versionIgnored: [{ name: 'a', replicas: 0, missingReplicas: 0 }] });
  });

  it('keeps no version of which only a Pod is left that has ended and was in no subset', () => {
    const { status } = plan(seen(aSpread([aSubset('a', 0)]), [aSpreadPod({ name: '1', phase: 'Succeeded' })]), at());
    expect(status.versionedSubsetStatuses).toBeUndefined();
  });

  it('takes no Pod that came late into a place that was promised to another', () => {
    const late = aSpreadPod({ name: '1', node: 'a1', createdAt: later(5000) });
    const promised = (subset: string) => ({
      versionedSubsetStatuses: {
        versionIgnored: ['a', 'b'].map((name) => ({
          name,
          replicas: 0,
          missingReplicas: 0,
          ...(name === subset ? { creatingPods: { x: timeOf(3_599_000) } } : {}),
        })),
      },
    });
    const taken = (subset: string) => plan(seen(aSpread([aSubset('a', 1), aSubset('b', 1)], {}, promised(subset)), [late]), at());
    expect([taken('a'), taken('b'), taken('none')].map(({ marks }) => marks.map(({ because }) => because.slice(0, 16)))).toEqual([
      ['it fits subset b'],
      ['it fits subset a'],
      ['it fits subset a'],
    ]);
  });

  it('follows counters by the names of subsets in any order, and restarts with new ones', () => {
    const states = [
      { name: 'b', replicas: 0, missingReplicas: 1, creatingPods: { y: timeOf(3_599_000) } },
      { name: 'a', replicas: 0, missingReplicas: 1, creatingPods: { x: timeOf(3_599_000) } },
    ];
    const { status } = plan(
      seen(aSpread([aSubset('a', 2), aSubset('c', 1), aSubset('b', 2)], {}, { versionedSubsetStatuses: { versionIgnored: states } }), []),
      at(),
    );
    expect(status.versionedSubsetStatuses?.['versionIgnored']).toEqual([
      { name: 'a', replicas: 0, missingReplicas: 1, creatingPods: { x: timeOf(3_599_000) } },
      { name: 'c', replicas: 0, missingReplicas: 1 },
      { name: 'b', replicas: 0, missingReplicas: 1, creatingPods: { y: timeOf(3_599_000) } },
    ]);
  });

  it('counts the version of new Pods and those with the most Pods, when there are more than the bound', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs', controller: true };
    const of = (name: string, hash: string) => aSpreadPod({ name, owner, subset: 'a', labels: { 'pod-template-hash': hash } });
    const spread = aSpread([aSubset('a')], { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } });
    const versions = Array.from({ length: 150 }, (_, index) => `v${String(index).padStart(3, '0')}`);
    const pods = [...versions.map((hash) => of(hash, hash)), of('twin', 'v149')];
    const { status } = plan(seen(spread, pods, { workloadVersion: 'v148' }), at());
    expect(Object.keys(status.versionedSubsetStatuses ?? {})).toEqual([...versions.slice(0, 98), 'v148', 'v149']);
  });

  it('counts versions apart, and the former one lets go of the first subset first (5)', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs', controller: true };
    const of = (name: string, hash: string, subset: string) => aSpreadPod({ name, owner, subset, labels: { 'pod-template-hash': hash } });
    const spread = aSpread(
      [aSubset('a', 3), aSubset('b')],
      { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      {
        versionedSubsetStatuses: {
          gone: [{ name: 'a', replicas: 1, missingReplicas: 2 }],
          promised: [{ name: 'a', replicas: 0, missingReplicas: 2, creatingPods: { x: timeOf(3_600_000) } }],
        },
      },
    );
    const { status, marks } = plan(
      seen(spread, [of('1', 'old', 'a'), of('2', 'new', 'a'), of('3', 'new', 'b')], { workloadVersion: 'new' }),
      at(),
    );
    expect(status.versionedSubsetStatuses).toEqual({
      new: [
        { name: 'a', replicas: 1, missingReplicas: 2 },
        { name: 'b', replicas: 1, missingReplicas: -1 },
      ],
      old: [
        { name: 'a', replicas: 1, missingReplicas: 2 },
        { name: 'b', replicas: 0, missingReplicas: -1 },
      ],
      promised: [
        { name: 'a', replicas: 0, missingReplicas: 2, creatingPods: { x: timeOf(3_600_000) } },
        { name: 'b', replicas: 0, missingReplicas: -1 },
      ],
    });
    expect(marks.map(({ pod, because }) => `${pod.metadata.name}: ${because}`).toSorted()).toEqual([
      '1: its deletion cost is 100',
      '2: its deletion cost is 200',
      '3: its deletion cost is 100',
    ]);
  });

  it('moves Pods without a node, after the status, and requeues when a subset is retried (9)', () => {
    const pods = [
      unschedulable(aSpreadPod({ name: '1', subset: 'a', node: '', cost: 200 })),
      unschedulable(aSpreadPod({ name: '2', subset: 'b', node: '', cost: 100 })),
    ];
    const spread = aSpread([inA, inB], { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } });
    const next = plan(seen(spread, pods), at(8001));
    expect(next.reschedule.map(({ pod, because }) => [pod.metadata.name, because])).toEqual([
      ['1', 'no node of subset a took it within 8 s'],
    ]);
    expect(next.status.subsetStatuses?.map(({ conditions }) => conditions?.[0]?.status)).toEqual(['False', 'True']);
    expect(next.requeueAfter).toBe(299_999);
  });

  it('reports once that a subset is retried, and Pods that are in none', () => {
    const condition = {
      type: 'Schedulable',
      status: 'False',
      reason: 'PodUnschedulable',
      message: '',
      lastTransitionTime: timeOf(0),
    } as const;
    const states = [{ name: 'a', replicas: 0, missingReplicas: 3, conditions: [condition] }];
    const spread = aSpread(
      [inA, inB],
      { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } },
      { subsetStatuses: states, versionedSubsetStatuses: { versionIgnored: states } },
    );
    const lost = aSpreadPod({ name: '1', node: 'nowhere' });
    expect(plan(seen(spread, [lost, aSpreadPod({ name: '2', subset: 'former' })]), at(400_000)).notes).toEqual([
      { kind: 'RecoverSchedulable', subset: 'a' },
      { kind: 'NoSubsetHasRoom', pods: 1 },
    ]);
  });

  it('leaves new Pods alone, and requeues only where they did not get what was there', () => {
    const pods = [
      aSpreadPod({ name: '1', subset: 'a', cost: 100, createdAt: later(1000) }),
      aSpreadPod({ name: '2', node: 'a1', createdAt: later(1000) }),
    ];
    const full = plan(seen(aSpread([aSubset('a', 1)]), pods), at(2000));
    expect([full.marks, full.notes, full.requeueAfter]).toEqual([[], [{ kind: 'NoSubsetHasRoom', pods: 1 }], undefined]);
    expect(plan(seen(aSpread([aSubset('a', 2)]), pods), at(2000))).toMatchObject({ marks: [], requeueAfter: 10_000 });
    expect(plan(seen(aSpread([aSubset('a', 1), aSubset('b', 1)]), pods), at(2000)).requeueAfter).toBe(10_000);
  });

  it('reports zero for a deleted workload, and forgets its versions', () => {
    const spread = aSpread(
      [inA, inB],
      {},
      { versionedSubsetStatuses: { versionIgnored: [{ name: 'a', replicas: 3, missingReplicas: 0 }] } },
    );
    expect(plan(seen(spread, []), at()).status).toEqual({
      observedGeneration: 1,
      subsetStatuses: [
        { name: 'a', replicas: 0, missingReplicas: 3 },
        { name: 'b', replicas: 0, missingReplicas: -1 },
      ],
    });
  });

  it('rounds percentages up, of the wanted number of Pods', () => {
    const spread = aSpread([aSubset('a', '30%'), aSubset('b', '70%')]);
    expect(plan(seen(spread, [], { total: 11 }), at()).status.subsetStatuses?.map(({ missingReplicas }) => missingReplicas)).toEqual([
      4, 8,
    ]);
  });
});

describe('over any Pods', () => {
  const subset = fc.constantFrom('a', 'b', 'c', 'gone', undefined);
  const shape = fc.record({
    name: fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 1 }).map(([n]) => `p-${n}`),
    subset,
    node: fc.constantFrom('a1', 'b1', '', 'nowhere'),
    ready: fc.boolean(),
    phase: fc.constantFrom('Running' as const, 'Pending' as const, 'Succeeded' as const),
    terminating: fc.boolean(),
  });
  const podList = fc
    .uniqueArray(shape, { selector: ({ name }) => name, maxLength: 20, size: 'max' })
    .map((shapes) =>
      shapes.map(({ subset: given, ...rest }) => aSpreadPod({ ...rest, ...(given === undefined ? {} : { subset: given }) })),
    );
  const limit = fc.option(fc.nat(4), { nil: undefined });
  const snapshot = fc.record({ pods: podList, limits: fc.tuple(limit, limit, limit) });
  const spreadOf = (limits: readonly (number | undefined)[], status?: WorkloadSpread['status']) =>
    aSpread(
      limits.map((max, index) => aSubset('abc'.charAt(index), max, index === 1 ? { requiredNodeSelector: inZone('b') } : {})),
      {},
      status,
    );
  /** The Pods after all marks. */
  const marked = (pods: readonly Pod[], next: ReturnType<typeof plan>): readonly Pod[] =>
    pods.map((pod) => {
      const mark = next.marks.find((one) => one.pod === pod);
      const added = memberAt(mark?.patch, 'metadata', 'annotations') as Readonly<Record<string, string>> | undefined;
      return added === undefined ? pod : { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...added } } };
    });

  it('a second pass has nothing left to do', () => {
    fc.assert(
      fc.property(snapshot, ({ pods, limits }) => {
        const first = plan(seen(spreadOf(limits), pods), at());
        const second = plan(seen(spreadOf(limits, first.status), marked(pods, first)), at());
        expect(second.marks).toEqual([]);
        expect(second.status).toEqual(first.status);
      }),
    );
  });

  it('the order in which Pods come does not matter', () => {
    fc.assert(
      fc.property(snapshot, ({ pods, limits }) => {
        const [first, second] = [plan(seen(spreadOf(limits), pods), at()), plan(seen(spreadOf(limits), pods.toReversed()), at())];
        const text = ({ marks }: typeof first) => marks.map(({ pod, patch }) => JSON.stringify([pod.metadata.name, patch])).toSorted();
        expect(text(second)).toEqual(text(first));
        expect(second.status).toEqual(first.status);
      }),
    );
  });

  it('every active Pod is counted once or is in no subset, and no subset misses more than its limit', () => {
    fc.assert(
      fc.property(snapshot, ({ pods, limits }) => {
        const { status, marks } = plan(seen(spreadOf(limits), pods), at());
        const states = status.subsetStatuses ?? [];
        const active = pods.filter(
          ({ metadata, status: of }) => metadata.deletionTimestamp === undefined && of?.phase !== 'Succeeded',
        ).length;
        const counted = states.reduce((sum, { replicas }) => sum + replicas, 0);
        expect(counted).toBeLessThanOrEqual(active);
        states.forEach(({ replicas, missingReplicas }, index) => {
          const max = limits[index];
          expect(missingReplicas).toBe(max === undefined ? -1 : Math.max(0, max - replicas));
        });
        expect(new Set(marks.map(({ pod }) => pod.metadata.name)).size).toBe(marks.length);
        expect(deepEqual(states, Object.values(status.versionedSubsetStatuses ?? { x: states })[0])).toBe(true);
      }),
    );
  });
});
