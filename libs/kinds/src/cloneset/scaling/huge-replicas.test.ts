/** A pass creates one burst of Pods, however many are missing. @see spec/cloneset.md 5.6 */
import { describe, expect, it } from '@jest/globals';
import { cloneSetLabels, labels, type CloneSet } from '@kruise/api';
import { workloadLimits, type ControllerRevision } from '@kruise/objects';
import { plan } from '../plan.ts';
import { momentOf, type Situation } from '../situation.testing.ts';

const burst = workloadLimits.actionsOfPass.value;
const claimTemplates: NonNullable<CloneSet['spec']['volumeClaimTemplates']> = [
  { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } },
];

interface Created {
  readonly ids: readonly string[];
  readonly revisions: readonly ControllerRevision[];
  readonly hashes: readonly string[];
  readonly claims: number;
}

function createdIn(given: Situation): Created {
  const { seen, context, revisions } = momentOf(given);
  const created = plan(seen, context).scale.flatMap((action) => (action.kind === 'CreatePod' ? [action] : []));
  return {
    ids: created.map(({ pod }) => pod.metadata.labels?.[cloneSetLabels.instanceId] ?? ''),
    hashes: created.map(({ pod }) => pod.metadata.labels?.[labels.controllerRevisionHash] ?? ''),
    claims: created.reduce((sum, { claims }) => sum + claims.length, 0),
    revisions,
  };
}

describe('a CloneSet with a million replicas', () => {
  it('creates one burst of Pods in a pass', () => {
    expect(new Set(createdIn({ set: { replicas: 1_000_000 } }).ids).size).toBe(burst);
  });

  it('creates the claims of one burst of Pods in a pass', () => {
    const { ids, claims } = createdIn({ set: { replicas: 1_000_000, spec: { volumeClaimTemplates: claimTemplates } } });
    expect([ids.length, claims]).toEqual([burst, burst]);
  });

  it('is not reported as limited by scaleStrategy.maxUnavailable', () => {
    const { seen, context } = momentOf({ set: { replicas: 1_000_000 } });
    const { notes, blockedBy } = plan(seen, context);
    expect([notes, blockedBy]).toEqual([[], undefined]);
  });

  it('creates Pods of the update revision first, then those that the partition keeps', () => {
    const given = (partition: number): Situation => ({
      set: { replicas: 1_000_000, rollingUpdate: { partition } },
      revisions: 2,
      current: 1,
    });
    const countOld = (partition: number): number => {
      const { hashes, revisions } = createdIn(given(partition));
      return hashes.filter((hash) => hash === revisions[0]?.metadata.name).length;
    };
    expect([500_000, 999_900, 1_000_000].map(countOld)).toEqual([0, burst - 100, burst]);
  });
});

describe('a CloneSet that reuses claims', () => {
  const reusing = { spec: { volumeClaimTemplates: claimTemplates, scaleStrategy: { enablePVCReuse: true } } };
  const idsOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `i${String(index).padStart(4, '0')}`);

  it('waits for the names of terminating Pods and creates the others in the same pass', () => {
    const ids = idsOf(burst + 100);
    const { ids: created } = createdIn({
      set: { replicas: burst + 300, ...reusing },
      pods: Object.fromEntries(ids.map((id) => [id, { terminating: true }])),
      claims: ids.map((id) => `data-${id}`),
    });
    expect(created).toHaveLength(200);
  });

  it('uses free claims first, one burst of them in a pass', () => {
    const ids = idsOf(burst + 100);
    const { ids: created } = createdIn({ set: { replicas: 1_000_000, ...reusing }, claims: ids.map((id) => `data-${id}`) });
    expect(created).toEqual(ids.slice(0, burst));
  });
});
