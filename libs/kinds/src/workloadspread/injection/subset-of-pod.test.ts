import { describe, expect, it } from '@jest/globals';
import type { Node, Pod } from '@kruise/objects';
import { groupPods, scoreOf, Trials } from './subset-of-pod.ts';
import { aNode, aSpread, aSpreadPod, aSubset, inZone, later, type Subset } from '../testing.ts';

const nodes: Readonly<Record<string, Node>> = {
  a1: aNode('a1', { 'example.com/zone': 'a' }),
  b1: aNode('b1', { 'example.com/zone': 'b' }),
  tainted: aNode('tainted', { 'example.com/zone': 'a' }, [{ key: 'gpu', effect: 'PreferNoSchedule' }]),
};
const inA = aSubset('a', 2, { requiredNodeSelector: inZone('a') });
const inB = aSubset('b', undefined, { requiredNodeSelector: inZone('b') });

const grouped = (
  subsets: readonly Subset[],
  pods: readonly Pod[],
  options: { limits?: readonly number[]; nowMs?: number; promised?: readonly number[] } = {},
) => {
  const limits = options.limits ?? subsets.map(({ maxReplicas }) => (typeof maxReplicas === 'number' ? maxReplicas : -1));
  const spread = aSpread(subsets);
  const all = groupPods({
    spread,
    pods,
    limits,
    nodeOf: (name) => nodes[name],
    now: later(options.nowMs ?? 3_600_000),
    promised: options.promised ?? [],
  });
  const names = (list: readonly Pod[]): readonly string[] => list.map(({ metadata }) => metadata.name);
  return {
    subsets: all.subsets.map(names),
    outside: names(all.outside),
    adopted: all.adopted.map(({ pod, subset }) => `${pod.metadata.name} ${subset.name}`),
    leftAlone: names(all.leftAlone),
    requeueAfter: all.requeueAfter,
  };
};

describe('the subset of a Pod', () => {
  it('is the one that its annotation names', () => {
    const pods = [aSpreadPod({ name: 'x', subset: 'b' }), aSpreadPod({ name: 'y', subset: 'a', phase: 'Succeeded' })];
    expect(grouped([inA, inB], pods)).toMatchObject({ subsets: [['y'], ['x']], outside: [], adopted: [] });
  });

  it('is none when the spec does not know it any more', () => {
    expect(grouped([inA], [aSpreadPod({ name: 'x', subset: 'gone', node: 'a1' })])).toMatchObject({
      subsets: [[]],
      outside: ['x'],
      adopted: [],
    });
  });

  it.each<{ name: string; pod: Pod; then: object }>([
    { name: 'that of its node', pod: aSpreadPod({ name: 'x', node: 'b1' }), then: { subsets: [[], ['x']], adopted: ['x b'] } },
    {
      name: 'that of its node, for one of another WorkloadSpread',
      pod: aSpreadPod({ name: 'x', node: 'b1', subset: 'a', of: 'other' }),
      then: { subsets: [[], ['x']], adopted: ['x b'] },
    },
    { name: 'none without a node', pod: aSpreadPod({ name: 'x', node: '' }), then: { subsets: [[], []], outside: ['x'] } },
    { name: 'none on a node that is not known', pod: aSpreadPod({ name: 'x', node: 'gone' }), then: { outside: ['x'] } },
    { name: 'none on a node whose taint no subset tolerates', pod: aSpreadPod({ name: 'x', node: 'tainted' }), then: { outside: ['x'] } },
    {
      name: 'left open when it has ended',
      pod: aSpreadPod({ name: 'x', node: 'a1', phase: 'Failed' }),
      then: { subsets: [[], []], outside: [] },
    },
  ])('without a word is $name', ({ pod, then }) => {
    expect(grouped([inA, inB], [pod])).toMatchObject(then);
  });

  it('is by name, whatever order Pods come in', () => {
    const pods = ['c', 'a', 'd', 'b'].map((name) => aSpreadPod({ name, node: 'a1' }));
    const open = [aSubset('a', 2), aSubset('b')];
    const then = {
      subsets: [
        ['a', 'b'],
        ['c', 'd'],
      ],
      adopted: ['a a', 'b a', 'c b', 'd b'],
    };
    expect(grouped(open, pods)).toMatchObject(then);
    expect(grouped(open, pods.toReversed())).toMatchObject(then);
  });

  it('is by name, those that are taken in among the others', () => {
    const pods = [
      aSpreadPod({ name: 'b', subset: 'a' }),
      aSpreadPod({ name: 'a', node: 'a1' }),
      aSpreadPod({ name: 'z', subset: 'gone' }),
      aSpreadPod({ name: 'y', node: 'gone' }),
    ];
    expect(grouped([inA], pods)).toMatchObject({ subsets: [['a', 'b']], outside: ['y', 'z'] });
  });

  it('is the first of equals, in which Pods that have ended take no place', () => {
    const pods = [aSpreadPod({ name: 'done', subset: 'a', phase: 'Succeeded' }), aSpreadPod({ name: 'x', node: 'a1' })];
    expect(grouped([aSubset('a', 1), aSubset('b')], pods)).toMatchObject({ adopted: ['x a'] });
  });

  it('takes in more than there is room for when no other fits (6)', () => {
    const pods = ['a', 'b', 'c'].map((name) => aSpreadPod({ name, node: 'a1' }));
    expect(grouped([inA, inB], pods).subsets).toEqual([['a', 'b', 'c'], []]);
  });

  const late = (name: string) => aSpreadPod({ name, node: 'a1', createdAt: later(5000) });

  it('is not looked for in the first seconds of a Pod that came after the WorkloadSpread', () => {
    expect(grouped([inA], [late('x')], { nowMs: 14_999 })).toEqual({
      subsets: [[]],
      outside: [],
      adopted: [],
      leftAlone: ['x'],
      requeueAfter: 10_000,
    });
    expect(grouped([inA], [late('x')], { nowMs: 15_000 })).toMatchObject({ adopted: ['x a'], leftAlone: [] });
    expect(grouped([inA], [aSpreadPod({ name: 'x', node: 'a1', createdAt: later(-1000) })], { nowMs: 1 })).toMatchObject({
      adopted: ['x a'],
    });
  });

  it('of a Pod that came in the very second of the WorkloadSpread is as if it had been there before, unless another of that second is marked (4, 6)', () => {
    const same = (name: string, subset?: string) =>
      aSpreadPod({ name, node: 'a1', createdAt: later(1000), ...(subset === undefined ? {} : { subset }) });
    expect(grouped([inA], [same('x'), same('y'), same('z')])).toMatchObject({ adopted: ['x a', 'y a', 'z a'], leftAlone: [] });
    expect(grouped([inA], [same('w', 'a'), same('x', 'a'), same('y')])).toMatchObject({ adopted: [], leftAlone: ['y'], outside: [] });
  });

  it('of a Pod of that second, or of one before, is as before though Pods of other seconds are marked', () => {
    const at = (name: string, ms: number, subset?: string) =>
      aSpreadPod({ name, node: 'a1', createdAt: later(ms), ...(subset === undefined ? {} : { subset }) });
    const full = aSubset('a', 1, { requiredNodeSelector: inZone('a') });
    expect(grouped([full], [at('w', 9000, 'a'), at('x', 1000)])).toMatchObject({ adopted: ['x a'], leftAlone: [] });
    expect(grouped([full], [at('w', 1000, 'a'), at('x', 0)])).toMatchObject({ adopted: ['x a'], leftAlone: [] });
    expect(grouped([full], [at('w', 1000, 'a'), at('x', 2000)])).toMatchObject({ adopted: [], leftAlone: ['x'] });
  });

  it('of a Pod, or by a WorkloadSpread, without a time of creation is as if it had been there before', () => {
    const { creationTimestamp: _time, ...metadata } = aSpread([inA]).metadata;
    const { creationTimestamp: _other, ...ofPod } = aSpreadPod({ name: 'x', node: 'a1' }).metadata;
    const pods = [aSpreadPod({ name: 'y', node: 'a1', createdAt: later(5000) }), { ...aSpreadPod({ node: 'a1' }), metadata: ofPod }];
    const of = (spread: ReturnType<typeof aSpread>) =>
      groupPods({ spread, pods, limits: [0], nodeOf: (name) => nodes[name], now: later(6000), promised: [] });
    expect(of({ ...aSpread([inA]), metadata }).adopted.map(({ pod }) => pod.metadata.name)).toEqual(['x', 'y']);
    expect(of(aSpread([inA])).adopted.map(({ pod }) => pod.metadata.name)).toEqual(['x']);
  });

  it('of a Pod that came after the WorkloadSpread is one that has room, and none when that was promised', () => {
    const pods = ['x', 'y', 'z'].map(late);
    const then = { adopted: ['x a', 'y a'], leftAlone: ['z'], outside: [], requeueAfter: undefined };
    expect(grouped([inA, inB], pods)).toMatchObject(then);
    expect(grouped([inA, inB], pods, { promised: [1, 0] })).toMatchObject({ adopted: ['x a'], leftAlone: ['y', 'z'] });
    expect(grouped([aSubset('a', 2), aSubset('b')], pods)).toMatchObject({ adopted: ['x a', 'y a', 'z b'], leftAlone: [] });
  });
});

describe('how well a Pod fits', () => {
  const pod = aSpreadPod({ name: 'x', labels: { place: 'a' } });
  const requiring = (...terms: readonly object[]): Pod => ({
    ...pod,
    spec: { ...pod.spec, affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } },
  });
  const [a1, tainted] = [nodes['a1'] as Node, nodes['tainted'] as Node];
  const prefers = {
    preferredNodeSelector: [
      { weight: 30, preference: inZone('a') },
      { weight: 7, preference: inZone('b') },
    ],
  };

  it.each<{ name: string; subset: Partial<Subset>; pod?: Pod; node?: Node; hasRoom?: boolean; then: number | undefined }>([
    { name: 'room counts 1, no patch 10', subset: {}, then: 11 },
    { name: 'no room counts nothing', subset: {}, hasRoom: false, then: 10 },
    { name: 'preferences that hold count a hundred times their weight', subset: prefers, then: 3011 },
    {
      name: 'a patch that changes nothing counts 10',
      subset: { patch: { metadata: { labels: { place: 'a' }, annotations: { x: 'y' } } } },
      then: 11,
    },
    { name: 'a patch that changes something counts nothing', subset: { patch: { metadata: { labels: { place: 'b' } } } }, then: 1 },
    { name: 'a patch that does not merge fits nothing', subset: { patch: { spec: { containers: [{ image: 'x' }] } } }, then: undefined },
    { name: 'a requirement that the node fulfils is no more than that', subset: { requiredNodeSelector: inZone('a') }, then: 11 },
    { name: 'a requirement that it does not fulfil rules it out', subset: { requiredNodeSelector: inZone('b') }, then: undefined },
    { name: 'a taint rules it out', subset: {}, node: tainted, then: undefined },
    {
      name: 'a taint that the subset tolerates does not',
      subset: { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
      node: tainted,
      then: 11,
    },
    { name: 'a requirement of nothing matches nothing', subset: { requiredNodeSelector: {} }, then: undefined },
    {
      name: 'nor does it where the Pod has an affinity to no node in particular',
      subset: { requiredNodeSelector: {} },
      pod: { ...pod, spec: { ...pod.spec, affinity: {} } },
      then: undefined,
    },
    {
      name: 'nor where it only prefers nodes',
      subset: { requiredNodeSelector: {} },
      pod: { ...pod, spec: { ...pod.spec, affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } } } },
      then: undefined,
    },
    {
      name: 'null is nothing required, preferred, tolerated or patched',
      subset: { requiredNodeSelector: null, preferredNodeSelector: null, patch: null } as never,
      then: 11,
    },
    { name: 'a node may have no spec', subset: {}, node: { metadata: { name: 'bare' } }, then: 11 },
    {
      name: 'a requirement that cannot be read rules it out',
      subset: { requiredNodeSelector: { matchExpressions: [{ key: 'example.com/zone', operator: 'Gt', values: ['x'] }] } },
      then: undefined,
    },
    {
      name: 'a taint of any effect rules it out',
      subset: {},
      node: aNode('n', {}, [{ key: 'x', effect: 'NoExecute' }]),
      then: undefined,
    },
    {
      name: 'a requirement of nothing leaves what the Pod requires',
      subset: { requiredNodeSelector: {} },
      pod: requiring(inZone('b'), inZone('a')),
      then: 11,
    },
    {
      name: 'the subset alone counts, also where the Pod requires another node',
      subset: { requiredNodeSelector: inZone('a') },
      pod: requiring(inZone('b')),
      then: 11,
    },
    {
      name: 'a node may be required by its name',
      subset: { requiredNodeSelector: { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a1'] }] } },
      then: 11,
    },
  ])('$name', ({ subset, pod: other = pod, node = a1, hasRoom = true, then }) => {
    expect(scoreOf(aSubset('s', 1, subset), other, node, { hasRoom })).toBe(then);
  });
});

describe('many Pods times many subsets', () => {
  const aPatch = (value: string) => ({ patch: { metadata: { labels: { zone: value } } } });
  const subsets = [aSubset('a', undefined, aPatch('a')), aSubset('b', undefined, aPatch('b'))];
  const podsOf = (count: number, fill = ''): readonly Pod[] =>
    Array.from({ length: count }, (_, index) => {
      const pod = aSpreadPod({ name: `p${String(index).padStart(5, '0')}`, node: 'a1', labels: { zone: 'b' } });
      return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, fill } } };
    });
  const inB = (pods: readonly Pod[]): number => grouped(subsets, pods).subsets[1]?.length ?? 0;

  it('are judged by their patches up to a number of bytes, and by node and room behind it', () => {
    expect([inB(podsOf(3)), inB(podsOf(4)), inB(podsOf(40, 'x'.repeat(2 << 20)))]).toEqual([3, 4, 7]);
  });

  it('are judged by node and room alone where one Pod is larger than that', () => {
    expect(inB(podsOf(1, 'x'.repeat(33 << 20)))).toBe(0);
  });

  it('are compared with subsets and the terms that those prefer up to a number, and by room behind it', () => {
    const preferred = new Array(10_000).fill({ weight: 1, preference: inZone('a') }) as NonNullable<Subset['preferredNodeSelector']>;
    const preferring = [aSubset('a', undefined), aSubset('b', undefined, { preferredNodeSelector: preferred })];
    const found = grouped(preferring, podsOf(25)).subsets.map((pods) => pods.length);
    expect(found).toEqual([6, 19]);
  });

  it('share what a pass may compare between versions', () => {
    const spread = aSpread([
      aSubset('a', undefined),
      aSubset('b', undefined, { preferredNodeSelector: [{ weight: 1, preference: inZone('a') }] }),
    ]);
    const trials = new Trials();
    while (trials.mayCompare(spread.spec.subsets));
    const { subsets: found } = groupPods({
      spread,
      pods: podsOf(2),
      limits: [-1, -1],
      nodeOf: () => nodes['a1'],
      now: 0 as never,
      promised: [0, 0],
      trials,
    });
    expect(found.map((pods) => pods.length)).toEqual([2, 0]);
  });
});
