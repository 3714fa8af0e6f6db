/** What has to hold for every rollout, whatever its limits and whatever the user changes on the way. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SidecarSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { plan } from './plan.ts';
import { maxUnavailableOf, partitionOf, viewOf } from './sidecar-set-view.ts';
import { Simulation } from './simulation.testing.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, at, emptyImage } from './testing.ts';

/** More with FC_RUNS=100000 (nightly). */
const numRuns = Number(process.env['FC_RUNS'] ?? 60);

interface Step {
  readonly image: number;
  readonly afterRounds: number;
  readonly partition: number | string;
}

interface Rollout {
  readonly pods: number;
  readonly hot: boolean;
  readonly maxUnavailable: number | string;
  readonly partition: number | string;
  readonly notReady: number;
  readonly steps: readonly Step[];
  readonly brokenImage: number | undefined;
  /** Containers are not ready at once when they start. */
  readonly slow: boolean;
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const rollout: fc.Arbitrary<Rollout> = fc.record({
  pods: fc.integer({ min: 1, max: 7 }),
  hot: fc.boolean(),
  maxUnavailable: amount,
  partition: amount,
  notReady: fc.integer({ min: 0, max: 2 }),
  steps: fc.array(fc.record({ image: fc.integer({ min: 1, max: 4 }), afterRounds: fc.integer({ min: 0, max: 10 }), partition: amount }), {
    maxLength: 4,
  }),
  brokenImage: fc.option(fc.integer({ min: 2, max: 4 }), { nil: undefined }),
  slow: fc.boolean(),
});

const imageOf = (image: number): string => `side:${image}`;
const containersOf = (hot: boolean, image: number): SidecarSet['spec']['containers'] => [
  hot ? aHotSidecar('side', imageOf(image)) : aSidecar('side', imageOf(image)),
];

function worldOf({ pods, hot, maxUnavailable, partition, notReady, brokenImage, slow }: Rollout): Simulation {
  const sidecarSet = aSidecarSet({ containers: containersOf(hot, 1) ?? [], strategy: { maxUnavailable, partition } });
  const members = Array.from({ length: pods }, (_, i) => anInjectedPod(sidecarSet, { name: `pod-${i}`, ready: i >= notReady }));
  return new Simulation(sidecarSet, members, { slow, broken: new Set(brokenImage === undefined ? [] : [imageOf(brokenImage)]) });
}

/** Names of the Pods that serve and run what was written to them. */
const soundIn = (world: Simulation): readonly string[] =>
  world.members.filter(({ consistent, ready }) => consistent && ready).map(({ pod }) => pod.metadata.name);

/** A pass that takes a Pod down leaves no more than allowed down, whatever for; and Pods that are kept back stay. */
function checkedPass(world: Simulation): void {
  const before = { sound: soundIn(world), outdated: world.members.filter(({ updated }) => !updated).length };
  const next = world.pass();
  const view = viewOf(world.sidecarSet);
  const total = world.pods.length;
  const sound = new Set(soundIn(world));
  const isCosted = before.sound.some((name) => !sound.has(name));
  if (isCosted) expect(total - sound.size).toBeLessThanOrEqual(maxUnavailableOf(view, total));
  const updates = next.changes.filter(({ kind }) => kind === 'UpdatePod').length;
  if (updates > 0) expect(before.outdated - updates).toBeGreaterThanOrEqual(partitionOf(view, total));
}

function play(world: Simulation, { hot, steps }: Rollout, rounds: (world: Simulation) => void): void {
  for (const { image, afterRounds, partition } of steps) {
    for (let i = 0; i < afterRounds; i++) rounds(world);
    const strategy = { ...world.sidecarSet.spec.updateStrategy, partition };
    world.change({ containers: containersOf(hot, image) ?? [], updateStrategy: strategy });
  }
}

const round = (world: Simulation): void => {
  checkedPass(world);
  world.tick();
};

describe('every rollout', () => {
  it('stays within maxUnavailable and never crosses the partition', () => {
    fc.assert(
      fc.property(rollout, (given) => {
        const world = worldOf(given);
        world.tick(); // From here on a Pod is down for no other reason than an update.
        play(world, given, round);
        for (let i = 0; i < 20; i++) round(world);
      }),
      { numRuns },
    );
  });

  it('ends, with every Pod at the present version once nothing is kept back, and then plans nothing', () => {
    fc.assert(
      fc.property(rollout, (given) => {
        const world = worldOf(given);
        play(world, given, round);
        world.change({
          containers: containersOf(given.hot, 9) ?? [],
          updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
        });
        world.settle();
        expect(world.members.every(({ updated, consistent, ready }) => updated && consistent && ready)).toBe(true);
        const images = world.pods.map(({ spec }) => spec.containers.map(({ image }) => image).toSorted());
        const wanted = given.hot ? ['app:1', emptyImage, imageOf(9)] : ['app:1', imageOf(9)];
        expect(images).toEqual(world.pods.map(() => wanted));
        expect(world.plan()).toMatchObject({ revisions: [], conditions: [], changes: [] });
        const { matchedPods, updatedPods, readyPods, updatedReadyPods } = world.plan().status;
        expect([matchedPods, updatedPods, readyPods, updatedReadyPods]).toEqual([given.pods, given.pods, given.pods, given.pods]);
      }),
      { numRuns },
    );
  });

  it('does nothing to a Pod twice for one version', () => {
    fc.assert(
      fc.property(rollout, (given) => {
        const world = worldOf(given);
        world.pass();
        world.change({
          containers: containersOf(given.hot, 9) ?? [],
          updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
        });
        world.settle();
        const touched = world.done.filter((line) => !line.startsWith('CreateRevision'));
        expect(new Set(touched).size).toBe(touched.length);
        expect(touched).toHaveLength(given.hot ? 2 * given.pods : given.pods);
      }),
      { numRuns },
    );
  });

  it('is planned the same in whatever order the Pods are seen', () => {
    fc.assert(
      fc.property(rollout, fc.nat(), (given, seed) => {
        const world = worldOf(given);
        play(world, given, round);
        const seen = world.snapshot;
        const sorted = plan(seen, at());
        const turned = plan({ ...seen, pods: seen.pods.map((_, i) => seen.pods[(i + seed) % seen.pods.length] as Pod) }, at());
        expect(turned.status).toEqual(sorted.status);
        expect(turned.changes).toHaveLength(sorted.changes.length);
      }),
      { numRuns },
    );
  });
});

describe('objects that passed nobody', () => {
  it('are planned for without a throw', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const members = [
      'containers',
      'initContainers',
      'selector',
      'namespaceSelector',
      'updateStrategy',
      'injectionStrategy',
      'patchPodMetadata',
    ];
    const spec = fc.dictionary(fc.constantFrom(...members, 'revisionHistoryLimit', 'customVersion', 'volumes'), json);
    fc.assert(
      fc.property(spec, json, json, (odd, annotation, status) => {
        const sound = aSidecarSet();
        const sidecarSet = { ...sound, spec: { ...sound.spec, ...odd }, status } as unknown as SidecarSet;
        const pod = anInjectedPod(sound, { annotations: { 'kruise.io/sidecarset-inplace-update-state': JSON.stringify(annotation) } });
        const world = new Simulation(sidecarSet, [pod]);
        expect(() => world.plan()).not.toThrow();
      }),
      { numRuns: numRuns * 3 },
    );
  });
});
