import { describe, expect, it } from '@jest/globals';
import { agentLimits } from '@kruise/objects';
import { messageBytes, planShares, shownRefusals } from './plan-shares.ts';

const ofPod = agentLimits.probesOfPod.value;
const ofNode = agentLimits.probesOfNode.value;
/** Returns as many probes for each of as many Pods of a namespace. */
const probes = (namespace: string, podCount: number, each: number) =>
  Array.from({ length: podCount * each }, (_, i) => ({ namespace, uid: `${namespace}-${Math.floor(i / each)}`, number: i % each }));

describe('the probes that are run', () => {
  it('are all of a node within its bounds', () => {
    const wanted = [...probes('a', 250, 4), ...probes('b', 1, 24)];
    expect(planShares(wanted)).toEqual({ run: wanted, refused: [], unshown: [] });
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

  it('of one namespace do not affect those of others, however many it has', () => {
    const many = probes('many', 100, ofPod);
    const few = probes('few', 10, 2);
    const { run, refused, unshown } = planShares([...many, ...few]);
    expect(run.filter(({ namespace }) => namespace === 'few')).toEqual(few);
    expect(run).toEqual([...many.slice(0, ofNode - few.length), ...few]);
    expect(new Set([...refused, ...unshown].map(({ why }) => why))).toEqual(
      new Set(['not run: the node has more than 1024 probes, this namespace more than its share']),
    );
  });

  it('refused for their Pod use nothing of the share of their namespace', () => {
    const wanted = [...probes('a', 1, 2000), ...probes('b', 60, 20)];
    const { run } = planShares(wanted);
    expect(run.filter(({ namespace }) => namespace === 'b')).toHaveLength(ofNode - ofPod);
  });
});

describe('the refusals that the status shows', () => {
  const shownOf = (namespace: string, { refused }: ReturnType<typeof planShares>) => refused.filter(({ of }) => of.namespace === namespace);

  it('are those of all namespaces below the maximum', () => {
    const { refused, unshown } = planShares([...probes('a', 1, ofPod + 200), ...probes('b', 1, ofPod + 56)]);
    expect([refused.length, unshown.length]).toEqual([256, 0]);
  });

  it('of one namespace do not displace those of others, however many it has, wherever they are in the list', () => {
    const shares = planShares([...probes('many', 1, ofPod + 2000), ...probes('few', 1, ofPod + 6)]);
    expect([shownOf('many', shares).length, shownOf('few', shares).length, shares.unshown.length]).toEqual([250, 6, 1750]);
  });

  it('are the first ones of a namespace, so that those that are shown stay when more are added', () => {
    const { refused, unshown } = planShares(probes('a', 1, ofPod + 300));
    expect([refused[0]?.of.number, refused.at(-1)?.of.number, unshown[0]?.of.number]).toEqual([32, 287, 288]);
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
])('with %d probes a message has at most %d bytes', (probes, bytes) => {
  expect(messageBytes(probes)).toBe(bytes);
});

it('the results of a full node fit into its status', () => {
  const state = 300;
  expect(ofNode * (messageBytes(ofNode) + state) + shownRefusals * state).toBeLessThan(768 * 1024);
});
