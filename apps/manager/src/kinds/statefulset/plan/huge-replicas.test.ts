/** A pass creates one burst of Pods and looks at few slots without one, however many there are. @see spec/statefulset.md 5.2, 5.4 */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSet } from '@kruise/api';
import { workloadLimits } from '@kruise/objects';
import { arrange, walkSlots, plan } from '@kruise/kinds/statefulset';
import { momentOf, planned, type Situation } from './situation.testing.ts';
import { aClaimTemplate } from '@kruise/kinds/statefulset/testing';

const burst = workloadLimits.actionsOfPass.value;
const replicas = 1_000_000;

const createdIn = (given: Situation): readonly string[] => {
  const { seen, context } = momentOf(given);
  return plan(seen, context).slots.flatMap((action) => (action.kind === 'CreatePod' ? [action.pod.metadata.name] : []));
};

const names = (first: number, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `web-${first + index}`);
const parallel = (spec: Partial<StatefulSet['spec']> = {}): NonNullable<Situation['set']> => ({
  spec: { replicas, podManagementPolicy: 'Parallel', ...spec },
});

describe('a StatefulSet with a million replicas', () => {
  it('creates one Pod in a pass where they are ordered', () => {
    expect(createdIn({ set: { spec: { replicas } } })).toEqual(['web-0']);
  });

  it('creates the lowest ordinals of one burst in a pass with policy Parallel', () => {
    expect(createdIn({ set: parallel(), pods: { 1: {} } })).toEqual(['web-0', ...names(2, burst - 1)]);
  });

  it('skips reserved ranges of any size', () => {
    expect(createdIn({ set: parallel({ reserveOrdinals: ['1-1000000000', 1000000002] }) })).toEqual([
      'web-0',
      'web-1000000001',
      ...names(1000000003, burst - 2),
    ]);
  });

  it('creates the claims of one burst of Pods in a pass', () => {
    const { seen, context } = momentOf({ set: parallel({ volumeClaimTemplates: [aClaimTemplate('data'), aClaimTemplate('logs')] }) });
    const claims = plan(seen, context).slots.flatMap((action) => (action.kind === 'CreatePod' ? action.claims : []));
    expect(claims).toHaveLength(2 * burst);
  });

  it('does not count Pods whose names are taken among the burst', () => {
    const { seen, context } = momentOf({ set: parallel() });
    const [stranger] = momentOf({ pods: { 0: {} } }).seen.pods;
    const taken = new Set(names(0, burst));
    const podNamed = { get: (name: string) => (taken.has(name) ? stranger : undefined) };
    const created = plan({ ...seen, podNamed }, context).slots.flatMap((action) => ('pod' in action ? [action.pod.metadata.name] : []));
    expect(created).toEqual(names(burst, burst));
  });

  it('tries Pods that were refused behind the others, within the burst', () => {
    const refused = ['web-0'];
    const set = (count: number): NonNullable<Situation['set']> => parallel({ replicas: count });
    expect(createdIn({ set: set(burst), refused }).at(-1)).toBe('web-0');
    expect(createdIn({ set: set(burst + 1), refused })).toEqual(names(1, burst));
  });

  it('still repairs the Pods behind the burst', () => {
    const does = planned({ set: parallel(), pods: { 900_000: { labels: { 'statefulset.kubernetes.io/pod-name': 'other' } } } }).does;
    expect([does.length, does.at(-1)]).toEqual([burst + 1, 'RepairPod web-900000']);
  });

  it('chooses the Pods to update by their ranks', () => {
    const updated = (partition: number): readonly string[] => {
      const pods = { 0: { of: 1 }, 999_000: { of: 1 }, 999_999: { of: 1 } };
      const rollingUpdate = { partition, maxUnavailable: '100%', podUpdatePolicy: 'ReCreate' as const };
      const set = parallel({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
      const { seen, context } = momentOf({ set, pods, revisions: 2, current: 1 });
      return plan(seen, context).update.flatMap((action) => ('pod' in action ? [action.pod.metadata.name] : []));
    };
    expect([0, 1, 999_001, 1_000_000].map(updated)).toEqual([
      ['web-999999', 'web-999000', 'web-0'],
      ['web-999999', 'web-999000'],
      ['web-999999'],
      [],
    ]);
  });

  it('examines no more slots than requested', () => {
    const { seen, context } = momentOf({ set: parallel(), pods: { 7: {}, 999_999: {} } });
    let looked = 0;
    const walked = [...walkSlots(arrange(seen.set, seen.pods, context), () => ++looked > 10)].map(({ ordinal, rank }) => [ordinal, rank]);
    expect([looked, walked.length, walked.slice(-3)]).toEqual([
      11,
      12,
      [
        [9, 9],
        [10, 10],
        [999_999, 999_999],
      ],
    ]);
  });

  it('counts missing Pods by arithmetic', () => {
    const { seen, context } = momentOf({ set: parallel(), pods: { 7: {}, 1_000_003: {} } });
    const { filled, missing, condemned } = arrange(seen.set, seen.pods, context);
    expect([filled.length, missing, condemned.length]).toEqual([1, replicas - 1, 1]);
  });
});

describe('a StatefulSet scaled in from a million', () => {
  it('keeps Pods that stand in for those that are missing', () => {
    const pods = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [500_000 + index, {}]));
    const { does } = planned({ set: { spec: { replicas: 3, podManagementPolicy: 'Parallel' } }, pods });
    expect(does.filter((action) => action.startsWith('DeletePod'))).toHaveLength(597);
  });
});
