import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CloneSet, Gates } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { isAvailable, isOf } from './pod-facts.ts';
import { Simulation } from './simulation.testing.ts';
import { maxSurgeOf, maxUnavailableOf, partitionOf, replicasOf } from './strategy.ts';
import { aCloneSet } from './testing.ts';

/** More with FC_RUNS=100000 (nightly). */
const numRuns = Number(process.env['FC_RUNS'] ?? 200);

type Policy = 'ReCreate' | 'InPlaceIfPossible';

interface Rollout {
  readonly replicas: number;
  readonly policy: Policy;
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly partition: number | string;
  readonly changes: readonly { readonly image: number; readonly replicas: number; readonly afterPasses: number }[];
  readonly gates: Partial<Gates>;
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const change = fc.record({
  image: fc.integer({ min: 1, max: 3 }),
  replicas: fc.integer({ min: 0, max: 8 }),
  afterPasses: fc.integer({ min: 0, max: 12 }),
});
const rollout: fc.Arbitrary<Rollout> = fc.record({
  replicas: fc.integer({ min: 0, max: 8 }),
  policy: fc.constantFrom<Policy>('ReCreate', 'InPlaceIfPossible'),
  maxUnavailable: amount,
  maxSurge: amount,
  partition: amount,
  changes: fc.array(change, { maxLength: 4 }),
  gates: fc.record({ CloneSetPartitionRollback: fc.boolean(), CloneSetShortHash: fc.boolean(), PreparingUpdateAsUpdate: fc.boolean() }),
});

/** A rollout that admission would accept: it must be able to move. */
const canMove = (set: CloneSet): boolean => replicasOf(set) === 0 || maxUnavailableOf(set) > 0 || maxSurgeOf(set) > 0;

const template = (image: number): CloneSet['spec']['template'] => ({
  metadata: { labels: { app: 'sample' } },
  spec: { containers: [{ name: 'main', image: `app:${image}` }] },
});
const worldOf = ({ replicas, policy, maxUnavailable, maxSurge, partition, gates }: Rollout): Simulation =>
  new Simulation(aCloneSet({ replicas, rollingUpdate: { podUpdatePolicy: policy, maxUnavailable, maxSurge, partition } }), { gates });

const availableIn = (world: Simulation): readonly Pod[] => world.active.filter((pod) => isAvailable(world.cloneSet, pod, world.context));

/** No more Pods are brought to the update revision than the partition leaves, and none in a pass that scales. */
function checkUpdates(world: Simulation): void {
  const { cloneSet: set, context } = world;
  const { scale, update, status } = world.plan();
  const old = world.active.filter((pod) => !isOf(context, pod, status.updateRevision ?? ''));
  const begun = update.flatMap((action) =>
    (action.kind === 'UpdatePodInPlace' || action.kind === 'RecreatePod') && old.includes(action.pod) ? [action.pod] : [],
  );
  if (scale.length === 0) expect(begun.length).toBeLessThanOrEqual(Math.max(old.length - partitionOf(set), 0));
}

/** Runs one pass and checks what it did against what was there. */
function checkedPass(world: Simulation): void {
  checkUpdates(world);
  const before = { available: availableIn(world).length, total: world.active.length };
  const set = world.cloneSet;
  const next = world.pass();
  const after = { available: availableIn(world).length, total: world.active.length };
  const floor = replicasOf(set) - maxUnavailableOf(set);
  const lost = before.available - after.available;
  if (lost > 0) expect(after.available).toBeGreaterThanOrEqual(Math.min(floor, before.available));
  if (after.total > before.total) expect(after.total).toBeLessThanOrEqual(replicasOf(set) + maxSurgeOf(set));
  const targets = [...next.scale, ...next.update].flatMap((action) =>
    'pod' in action && action.kind !== 'RefreshPod' && action.kind !== 'SetLifecycle' && action.kind !== 'LabelPod'
      ? [action.pod.metadata.name]
      : [],
  );
  if (next.scale.length === 0) expect(new Set(targets).size).toBe(targets.length);
}

function run(world: Simulation, given: Rollout): void {
  for (const { image, replicas, afterPasses } of given.changes) {
    for (let pass = 0; pass < afterPasses; pass++) {
      checkedPass(world);
      world.tick();
    }
    world.change({ replicas, template: template(image) });
  }
}

const property = (check: (world: Simulation, given: Rollout) => void): void => {
  fc.assert(
    fc.property(rollout, (given) => {
      const world = worldOf(given);
      const everMoves = [given.replicas, ...given.changes.map(({ replicas }) => replicas)].every((replicas) =>
        canMove({ ...world.cloneSet, spec: { ...world.cloneSet.spec, replicas } }),
      );
      fc.pre(everMoves);
      check(world, given);
    }),
    { numRuns },
  );
};

describe('the planner', () => {
  it('never takes more Pods out of service than maxUnavailable, never makes more than maxSurge, and acts once on a Pod', () => {
    property((world, given) => {
      run(world, given);
      for (let pass = 0; pass < 60; pass++) {
        checkedPass(world);
        world.tick();
      }
    });
  });

  it('converges: replicas Pods, no fewer updated than the partition asks for, and then an empty plan', () => {
    property((world, given) => {
      run(world, given);
      world.settle();
      const { cloneSet, active } = world;
      const updated = active.filter((pod) => isOf(world.context, pod, cloneSet.status?.updateRevision ?? ''));
      expect(active).toHaveLength(replicasOf(cloneSet));
      expect(updated.length).toBeGreaterThanOrEqual(replicasOf(cloneSet) - partitionOf(cloneSet));
      expect(world.plan()).toMatchObject({ revisions: [], groundwork: [], scale: [], update: [], housekeeping: [] });
    });
  });

  it('gives the same plan for the same snapshot', () => {
    property((world, given) => {
      run(world, given);
      expect(world.plan()).toEqual(world.plan());
    });
  });
});
