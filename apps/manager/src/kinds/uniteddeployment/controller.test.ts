import { describe, expect, it } from '@jest/globals';
import { UnitedDeploymentCluster } from './cluster.testing.ts';

describe('a UnitedDeployment', () => {
  it.each(['CloneSet', 'Deployment', 'StatefulSet', 'AdvancedStatefulSet'] as const)(
    'makes a %s for each subset, scales, updates and rests',
    async (kind) => {
      await using cluster = new UnitedDeploymentCluster({ kind });
      await cluster.settle();
      expect(cluster.shown).toEqual([`a 1 ${kind}`, `b 2 ${kind}`]);
      expect(cluster.subsets).toEqual(['a 1', 'b 2']);
      expect(cluster.conditions).toEqual([
        'UnitedDeploymentUpdated True UnitedDeploymentRevisionUpdated',
        'SubsetProvisioned True',
        'SubsetUpdated True',
      ]);
      expect(cluster.events).toEqual([`SuccessfulUpdateSubset: Create 2 Subset (${kind})`]);
      cluster.changeImage('app:2', kind);
      await cluster.settle();
      expect(cluster.status.currentRevision).toBe(cluster.status.updatedRevision);
      expect(cluster.status.updatedReadyReplicas).toBe(3);
      expect(cluster.revisions).toHaveLength(2);
      expect(await cluster.quietHour()).toEqual([]);
    },
  );
});
