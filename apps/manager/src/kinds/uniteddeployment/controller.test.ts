import { describe, expect, it } from '@jest/globals';
import { UnitedDeploymentCluster } from './cluster.testing.ts';

describe('a UnitedDeployment', () => {
  it.each(['CloneSet', 'Deployment', 'StatefulSet', 'AdvancedStatefulSet'] as const)(
    'makes a %s for each subset, scales, updates and rests',
    async (kind) => {
      await using world = new UnitedDeploymentCluster({ kind });
      await world.settle();
      expect(world.shown).toEqual([`a 1 ${kind}`, `b 2 ${kind}`]);
      expect(world.subsets).toEqual(['a 1', 'b 2']);
      expect(world.conditions).toEqual([
        'UnitedDeploymentUpdated True UnitedDeploymentRevisionUpdated',
        'SubsetProvisioned True',
        'SubsetUpdated True',
      ]);
      expect(world.events).toEqual([`SuccessfulUpdateSubset: Create 2 Subset (${kind})`]);
      world.changeImage('app:2', kind);
      await world.settle();
      expect(world.status.currentRevision).toBe(world.status.updatedRevision);
      expect(world.status.updatedReadyReplicas).toBe(3);
      expect(world.revisions).toHaveLength(2);
      expect(await world.quietHour()).toEqual([]);
    },
  );
});
