import { describe, expect, it } from '@jest/globals';
import { agentLimits } from '@kruise/objects';
import { fairShares, messageBytes, planShares, shownRefusals } from './plan-shares.ts';

const ofPod = agentLimits.probesOfPod.value;
const ofNode = agentLimits.probesOfNode.value;
/** As many probes for each of as many Pods of a namespace. */
const probes = (namespace: string, podCount: number, each: number) =>
  Array.from({ length: podCount * each }, (_, i) => ({ namespace, uid: `${namespace}-${Math.floor(i / each)}`, number: i % each }));

describe('fairShares', () => {
  it.each<{ name: string; demands: Readonly<Record<string, number>>; total: number; shares: Readonly<Record<string, number>> }>([
    { name: 'give all that is asked for while there is enough', demands: { a: 5, b: 3 }, total: 8, shares: { a: 5, b: 3 } },
    { name: 'give one namespace the whole node', demands: { a: 50 }, total: 8, shares: { a: 8 } },
    { name: 'are equal for those that ask for more', demands: { a: 50, b: 60 }, total: 8, shares: { a: 4, b: 4 } },
    { name: 'give what one does not need to the others', demands: { a: 50, b: 1, c: 60 }, total: 9, shares: { a: 4, b: 1, c: 4 } },
    { name: 'are none when there are more namespaces than places', demands: { a: 2, b: 2, c: 2 }, total: 2, shares: { a: 0, b: 1, c: 1 } },
    { name: 'are none for nobody', demands: {}, total: 2, shares: {} },
  ])('$name', ({ demands, total, shares }) => {
    expect(Object.fromEntries(fairShares(new Map(Object.entries(demands)), total))).toEqual(shares);
  });
});

describe('the probes that are run', () => {
  it('are all of a node within its bounds', () => {
    const wanted = [...probes('a', 250, 4), ...probes('b', 1, 24)];
    expect(planShares(wanted)).toEqual({ run: wanted, refused: [] });
  });

  it('are the first ones of a Pod', () => {
    const wanted = [...probes('a', 1, ofPod + 2), ...probes('b', 1, 1)];
    const { run, refused } = planShares(wanted);
    expect(run).toEqual(wanted.filter(({ number }) => number < ofPod));
    expect(refused.map(({ of, why }) => [of.number, why])).toEqual([
      [ofPod, 'not run: the Pod has more than 32 probes'],
      [ofPod + 1, 'not run: the Pod has more than 32 probes'],
    ]);
  });

  it('of one namespace leave those of others alone, however many it has', () => {
    const many = probes('many', 100, ofPod);
    const few = probes('few', 10, 2);
    const { run, refused } = planShares([...many, ...few]);
    expect(run.filter(({ namespace }) => namespace === 'few')).toEqual(few);
    expect(run).toEqual([...many.slice(0, ofNode - few.length), ...few]);
    expect(new Set(refused.map(({ why }) => why))).toEqual(
      new Set(['not run: the node has more than 1024 probes, this namespace more than its share']),
    );
  });

  it('refused for their Pod take nothing of the share of their namespace', () => {
    const wanted = [...probes('a', 1, 2000), ...probes('b', 60, 20)];
    const { run } = planShares(wanted);
    expect(run.filter(({ namespace }) => namespace === 'b')).toHaveLength(ofNode - ofPod);
  });
});

it.each([
  [0, 1024],
  [1, 1024],
  [256, 1024],
  [257, 512],
  [512, 512],
  [513, 256],
  [ofNode, 256],
])('with %d probes a message has %d bytes at most', (probes, bytes) => {
  expect(messageBytes(probes)).toBe(bytes);
});

it('the results of a full node fit into its status', () => {
  const state = 300;
  expect(ofNode * (messageBytes(ofNode) + state) + shownRefusals * state).toBeLessThan(768 * 1024);
});
