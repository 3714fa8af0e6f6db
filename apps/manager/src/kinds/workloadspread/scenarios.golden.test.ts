/**
 * Golden scenarios of WorkloadSpreads: the controller and the Pod webhook run on an in-memory API server with workloads, a scheduler and kubelets that
 * work in steps, and the test compares plans, writes and events with a text file in testdata/. To rewrite the files after an intended change:
 * `UPDATE_GOLDEN=1 npm run jest -- workloadspread/scenarios.golden`, then review the diff.
 */
import { describe, expect, it } from '@jest/globals';
import type { WorkloadSpread } from '@kruise/api';
import { quietHour } from '@kruise/kube/testing';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { goldenOf, type GoldenScenario } from '../../module/golden-scenarios.testing.ts';
import { Fleet } from './runs/fleet.testing.ts';
import { aSubset, inZone, type Subset } from '@kruise/kinds/workloadspread/testing';

interface Scenario extends GoldenScenario<Fleet> {
  readonly subsets: readonly Subset[];
  readonly over?: Partial<WorkloadSpread['spec']>;
  /** Pods of each subset, and the numbers in the end. */
  readonly end: { readonly placed: Readonly<Record<string, number>>; readonly counted: readonly string[] };
}

const inA = (max?: number | string): Subset => aSubset('a', max, { requiredNodeSelector: inZone('a') });
const inB = (max?: number | string): Subset => aSubset('b', max, { requiredNodeSelector: inZone('b') });
const adaptive = { scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } } as const;

const scenarios: readonly Scenario[] = [
  {
    name: 'filled-overflowing-and-back',
    subsets: [
      { ...inA(3), patch: { metadata: { labels: { place: 'a' } } }, tolerations: [{ key: 'spot', operator: 'Exists' }] },
      aSubset('b', undefined, { preferredNodeSelector: [{ weight: 10, preference: inZone('b') }] }),
    ],
    then: async (fleet) => {
      await fleet.scale(3);
      await fleet.scale(5);
      await fleet.scale(3);
    },
    end: { placed: { a: 3 }, counted: ['a 3/0', 'b 0/-1'] },
  },
  {
    name: 'no-subset-has-room',
    subsets: [inA(1), inB(1)],
    then: async (fleet) => {
      await fleet.scale(3);
      await fleet.ticks(12);
      fleet.timeline.note('the user lets two into b');
      fleet.cluster.change({ subsets: [inA(1), inB(2)] });
      await fleet.scale(4);
    },
    end: { placed: { a: 1, b: 2, none: 1 }, counted: ['a 1/0', 'b 2/0'] },
  },
  {
    name: 'pods-that-were-there-are-taken-in',
    subsets: [{ ...inA(2), patch: { metadata: { labels: { place: 'a' } } } }, inB()],
    then: async (fleet) => {
      fleet.wereThere(['one', 'two', 'three'], 'n-a');
      await fleet.scale(3);
      await fleet.scale(4);
      await fleet.scale(3);
    },
    end: { placed: { a: 2, b: 1 }, counted: ['a 2/0', 'b 1/-1'] },
  },
  {
    name: 'lower-limits-and-higher-ones',
    subsets: [inA(4), inB(2)],
    then: async (fleet) => {
      await fleet.scale(6);
      fleet.timeline.note('the user lets 2 into a and 1 into b');
      fleet.cluster.change({ subsets: [inA(2), inB(1)] });
      await fleet.settle();
      await fleet.scale(3);
      fleet.timeline.note('the user lets any number into b, and gives it another name');
      fleet.cluster.change({ subsets: [inA(2), { ...inB(), name: 'c' }] });
      await fleet.settle();
      await fleet.scale(5);
      await fleet.scale(4);
    },
    end: { placed: { a: 2, c: 2 }, counted: ['a 2/0', 'c 2/-1'] },
  },
  {
    name: 'percentages-follow-the-workload',
    subsets: [inA('50%'), inB('50%')],
    then: async (fleet) => {
      await fleet.scale(2);
      await fleet.scale(6);
      await fleet.scale(3);
    },
    end: { placed: { a: 2, b: 1 }, counted: ['a 2/0', 'b 1/1'] },
  },
  {
    name: 'adaptive-no-node-for-a-while',
    subsets: [inA(2), inB()],
    over: adaptive,
    then: async (fleet) => {
      fleet.timeline.note('n-a is closed');
      fleet.cordon('a');
      await fleet.scale(2);
      await fleet.ticks(12);
      await fleet.scale(3);
      fleet.timeline.note('n-a is open again, and tried after five minutes');
      fleet.cordon('a', false);
      await fleet.ticks(300);
      await fleet.scale(4);
    },
    end: { placed: { a: 1, b: 3 }, counted: ['a 1/1', 'b 3/-1'] },
  },
  {
    name: 'adaptive-a-node-is-lost-for-good',
    subsets: [inA(2), inB()],
    over: adaptive,
    then: async (fleet) => {
      await fleet.scale(3);
      await fleet.loseNode('a');
      await fleet.ticks(15);
      fleet.timeline.note('it is tried once more after five minutes');
      await fleet.ticks(300);
      await fleet.scale(4);
      await fleet.ticks(300);
    },
    end: { placed: { b: 4 }, counted: ['a 0/2', 'b 4/-1'] },
  },
  {
    name: 'fixed-waits-for-its-node',
    subsets: [inA(2), inB()],
    then: async (fleet) => {
      await fleet.scale(3);
      await fleet.loseNode('a');
      await fleet.ticks(60);
      fleet.timeline.note('there is a node again');
      fleet.cordon('a', false);
      await fleet.settle();
    },
    end: { placed: { a: 2, b: 1 }, counted: ['a 2/0', 'b 1/-1'] },
  },
  {
    name: 'fixed-becomes-adaptive',
    subsets: [inA(2), inB()],
    then: async (fleet) => {
      fleet.cordon('a');
      await fleet.scale(3);
      await fleet.ticks(10);
      fleet.timeline.note('the user lets Pods move on after 8 s, which two have waited for');
      fleet.cluster.change(adaptive);
      await fleet.settle();
      fleet.timeline.note('the user lets them stay again');
      fleet.cluster.change({ scheduleStrategy: { type: 'Fixed' } });
      await fleet.scale(4);
    },
    end: { placed: { a: 1, b: 3 }, counted: ['a 1/1', 'b 3/-1'] },
  },
  {
    name: 'evicted-and-come-again',
    subsets: [inA(2), inB()],
    then: async (fleet) => {
      await fleet.scale(3);
      fleet.timeline.note('web-1 is evicted, and another comes for it');
      await fleet.cluster.evict('web-1');
      await fleet.cluster.delete('web-1');
      await fleet.settle();
      fleet.timeline.note('web-2 must be evicted, and stays');
      await fleet.cluster.evict('web-2');
      await fleet.ticks(17);
    },
    end: { placed: { a: 2, b: 1 }, counted: ['a 2/0', 'b 1/-1'] },
  },
  {
    name: 'a-pod-that-never-comes',
    subsets: [inA(2), inB()],
    then: async (fleet) => {
      fleet.timeline.note('a Pod is admitted, and no client creates it');
      const { cluster } = fleet;
      await cluster.replicas[0]?.ask('/mutate-pod', { operation: 'CREATE', object: cluster.newPod({ name: 'ghost' }), name: 'ghost' });
      await fleet.scale(2);
      await fleet.ticks(32);
      await fleet.scale(3);
    },
    end: { placed: { a: 2, b: 1 }, counted: ['a 2/0', 'b 1/-1'] },
  },
  {
    name: 'the-manager-stops-and-comes-again',
    subsets: [inA(3), inB()],
    over: adaptive,
    then: async (fleet) => {
      await fleet.scale(2);
      fleet.timeline.note('the manager stops, and the webhook goes on');
      await fleet.stopManager();
      await fleet.scale(4);
      await fleet.scale(3);
      await fleet.ticks(40);
      fleet.timeline.note('a manager comes');
      fleet.begin();
      await fleet.settle();
      await fleet.scale(4);
    },
    end: { placed: { a: 3, b: 1 }, counted: ['a 3/0', 'b 1/-1'] },
  },
  {
    name: 'a-deployment-goes-on-and-back',
    subsets: [inA(2), inB()],
    over: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    then: async (fleet) => {
      await fleet.deploy('one', 3);
      await fleet.deploy('two', 3);
      await fleet.deploy('one', 3);
    },
    end: { placed: { a: 2, b: 1 }, counted: ['a 2/0', 'b 1/-1'] },
  },
];

const states = new RunStates('WorkloadSpread');

describe('one workload over several subsets', () => {
  it.each(scenarios)('$name', async ({ name, subsets, over = {}, then, end }) => {
    await using fleet = new Fleet(subsets, over);
    states.watch(name, fleet.cluster.api);
    await then(fleet);
    const { text } = fleet.timeline;
    expect(text).toBe(goldenOf(import.meta.url, name, text));
    const { placed, counted, api, clock } = fleet.cluster;
    expect({ placed, counted }).toEqual(end);
    expect(await quietHour({ api, clock })).toEqual([]);
  });

  states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));
});
