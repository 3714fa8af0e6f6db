/** What has to hold for every rollout, whatever its limits and whatever the user changes on the way. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { annotations, type SidecarSet } from '@kruise/api';
import { instant, type Pod } from '@kruise/objects';
import { casesOf, epoch, Occurrences } from '@kruise/testing';
import type { Action } from './action.ts';
import { plan, type Plan } from './plan.ts';
import { Simulation } from './simulation.testing.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, aContext, emptyImage } from './testing.ts';

/** More with FC_RUNS=100000 (nightly). */
const numRuns = casesOf(40);

interface Step {
  readonly image: number;
  readonly afterRounds: number;
  readonly partition: number | string;
  /** Another environment too, which no Pod can be given in place. */
  readonly env: boolean;
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
  readonly historyLimit: number;
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const rollout: fc.Arbitrary<Rollout> = fc.record({
  pods: fc.integer({ min: 1, max: 7 }),
  hot: fc.boolean(),
  maxUnavailable: fc.oneof(amount, fc.integer({ min: 1, max: 3 })),
  partition: fc.oneof(amount, fc.constant(0)),
  notReady: fc.integer({ min: 0, max: 2 }),
  steps: fc.array(
    fc.record({
      image: fc.integer({ min: 1, max: 4 }),
      afterRounds: fc.integer({ min: 0, max: 10 }),
      partition: amount,
      env: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
    }),
    { maxLength: 4 },
  ),
  brokenImage: fc.option(fc.integer({ min: 2, max: 4 }), { nil: undefined }),
  slow: fc.boolean(),
  historyLimit: fc.integer({ min: 0, max: 3 }),
});

const imageOf = (image: number): string => `side:${image}`;
function containersOf(hot: boolean, image: number, hasOtherEnv = false): SidecarSet['spec']['containers'] {
  const env = hasOtherEnv ? { env: [{ name: 'A', value: '1' }] } : {};
  return [hot ? aHotSidecar('side', imageOf(image), env) : aSidecar('side', imageOf(image), env)];
}

function fixtureOf({ pods, hot, maxUnavailable, partition, notReady, brokenImage, slow, historyLimit }: Rollout): Simulation {
  const sidecarSet = aSidecarSet({
    containers: containersOf(hot, 1) ?? [],
    strategy: { maxUnavailable, partition },
    spec: { revisionHistoryLimit: historyLimit },
  });
  // Each made at another time, so that no two have the same rank.
  const members = Array.from({ length: pods }, (_, i) =>
    anInjectedPod(sidecarSet, { name: `pod-${i}`, ready: i >= notReady, createdAt: instant(epoch + i * 1000) }),
  );
  return new Simulation(sidecarSet, members, { slow, broken: new Set(brokenImage === undefined ? [] : [imageOf(brokenImage)]) });
}

/** Names of the Pods that serve and run what was written to them. */
const soundIn = (simulation: Simulation): readonly string[] =>
  simulation.members.filter(({ consistent, ready }) => consistent && ready).map(({ pod }) => pod.metadata.name);

/** In Pods of `total`; a percent rounds up (spec/sidecarset.md 5.6). */
const inPods = (given: number | string, total: number): number =>
  typeof given === 'number' ? given : Math.ceil((Number.parseInt(given, 10) * total) / 100);

/** In Pods: a percent other than 100% never keeps back all of several Pods (spec/sidecarset.md 5.6). */
function keptBack(partition: number | string, total: number): number {
  const wanted = Math.min(inPods(partition, total), total);
  return typeof partition === 'string' && partition !== '100%' && total > 1 ? Math.min(wanted, total - 1) : wanted;
}

/** Names of the versions that Pods carry. */
const carriedBy = ({ pods, sidecarSet }: Simulation): readonly string[] =>
  pods.flatMap(({ metadata }) => {
    const records = JSON.parse(metadata.annotations?.[annotations.sidecarSetHash] ?? '{}') as Record<
      string,
      { controllerRevision?: string }
    >;
    return records[sidecarSet.metadata.name]?.controllerRevision ?? [];
  });

/** What the passes of {@link checkedPass} came to. */
const seen = new Occurrences();

/**
 * A pass that takes a Pod down leaves no more than allowed down, whatever for; Pods that are kept back stay, and so does the version that a
 * Pod carries.
 */
function checkedPass(simulation: Simulation): void {
  const before = { sound: soundIn(simulation), outdated: simulation.members.filter(({ updated }) => !updated).length };
  const next = simulation.pass();
  const { maxUnavailable = 1, partition = 0 } = simulation.sidecarSet.spec.updateStrategy ?? {};
  const total = simulation.pods.length;
  const most = inPods(maxUnavailable, total);
  const sound = new Set(soundIn(simulation));
  const isCosted = before.sound.some((name) => !sound.has(name));
  if (isCosted) expect(total - sound.size).toBeLessThanOrEqual(most);
  const updates = next.changes.filter(({ kind }) => kind === 'UpdatePod').length;
  if (updates > 0) expect(before.outdated - updates).toBeGreaterThanOrEqual(keptBack(partition, total));
  expect(simulation.revisions.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...carriedBy(simulation)]));
  seen.note('a pass takes Pods down', isCosted);
  seen.note('a pass takes down all that it may, of more', isCosted && total - sound.size === most && most < total);
  seen.note(
    'updates stop at the partition',
    updates > 0 && before.outdated - updates === keptBack(partition, total) && before.outdated > updates,
  );
  seen.note(
    'a hot upgrade is ended',
    next.changes.some(({ kind }) => kind === 'FlipPod'),
  );
  seen.note('a Pod cannot be updated in place', next.notUpgradable > 0);
  seen.note(
    'an old version is deleted',
    next.housekeeping.some(({ kind }) => kind === 'DeleteRevision'),
  );
}

function play(simulation: Simulation, { hot, steps }: Rollout, rounds: (simulation: Simulation) => void): void {
  for (const { image, afterRounds, partition, env } of steps) {
    for (let i = 0; i < afterRounds; i++) rounds(simulation);
    const strategy = { ...simulation.sidecarSet.spec.updateStrategy, partition };
    simulation.change({ containers: containersOf(hot, image, env) ?? [], updateStrategy: strategy });
  }
}

const round = (simulation: Simulation): void => {
  checkedPass(simulation);
  simulation.tick();
};

describe('every rollout', () => {
  it('stays within maxUnavailable and never crosses the partition', () => {
    fc.assert(
      fc.property(rollout, (given) => {
        const simulation = fixtureOf(given);
        simulation.tick(); // From here on a Pod is down for no other reason than an update.
        play(simulation, given, round);
        for (let i = 0; i < 20; i++) round(simulation);
      }),
      { numRuns },
    );
    seen.expectAtLeast({
      'a pass takes Pods down': numRuns / 10,
      'a pass takes down all that it may, of more': numRuns / 10,
      'updates stop at the partition': numRuns / 10,
      'a hot upgrade is ended': numRuns / 20,
      'a Pod cannot be updated in place': numRuns / 2,
      'an old version is deleted': numRuns / 10,
    });
  });

  it('ends, with every Pod at the present version once nothing is kept back, and then plans nothing', () => {
    fc.assert(
      fc.property(rollout, (given) => {
        const simulation = fixtureOf(given);
        play(simulation, given, round);
        simulation.change({
          containers: containersOf(given.hot, 9) ?? [],
          updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
        });
        simulation.settle();
        expect(simulation.members.every(({ updated, consistent, ready }) => updated && consistent && ready)).toBe(true);
        const images = simulation.pods.map(({ spec }) => spec.containers.map(({ image }) => image).toSorted());
        const wanted = given.hot ? ['app:1', emptyImage, imageOf(9)] : ['app:1', imageOf(9)];
        expect(images).toEqual(simulation.pods.map(() => wanted));
        expect(simulation.plan()).toMatchObject({ revisions: [], conditions: [], changes: [] });
        const { matchedPods, updatedPods, readyPods, updatedReadyPods } = simulation.plan().status;
        expect([matchedPods, updatedPods, readyPods, updatedReadyPods]).toEqual([given.pods, given.pods, given.pods, given.pods]);
      }),
      { numRuns },
    );
  });

  it('does nothing to a Pod twice for one version', () => {
    fc.assert(
      fc.property(rollout, (given) => {
        const simulation = fixtureOf(given);
        simulation.pass();
        simulation.change({
          containers: containersOf(given.hot, 9) ?? [],
          updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0 },
        });
        simulation.settle();
        const touched = simulation.done.filter((line) => !line.startsWith('CreateRevision'));
        expect(new Set(touched).size).toBe(touched.length);
        expect(touched).toHaveLength(given.hot ? 2 * given.pods : given.pods);
      }),
      { numRuns },
    );
  });

  it('is planned the same in whatever order the Pods are seen', () => {
    const reached = new Occurrences();
    const lines = (actions: readonly Action[]): readonly string[] =>
      actions.map((action) => `${action.kind} ${'pod' in action ? action.pod.metadata.name : ''}: ${action.because}`);
    // Conditions are independent of each other, updates come in the order of their rank.
    const reportOf = ({ status, conditions, changes, notUpgradable }: Plan): object => ({
      status,
      conditions: lines(conditions).toSorted(),
      changes: lines(changes),
      notUpgradable,
    });
    fc.assert(
      fc.property(rollout, fc.nat(), (given, seed) => {
        const simulation = fixtureOf(given);
        play(simulation, given, round);
        simulation.change({ containers: containersOf(given.hot, 9) ?? [] });
        simulation.pass();
        const { snapshot } = simulation;
        const { pods } = snapshot;
        const sorted = plan(snapshot, aContext());
        const turned = plan({ ...snapshot, pods: pods.map((_, i) => pods[(i + seed) % pods.length] as Pod) }, aContext());
        expect(reportOf(turned)).toEqual(reportOf(sorted));
        reached.note('something is changed, the order being another', sorted.changes.length > 0 && seed % pods.length !== 0);
      }),
      { numRuns },
    );
    reached.expectAtLeast({ 'something is changed, the order being another': numRuns / 20 });
  });
});

describe('objects that admission did not check', () => {
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
        const simulation = new Simulation(sidecarSet, [pod]);
        expect(() => simulation.plan()).not.toThrow();
      }),
      { numRuns: numRuns * 3 },
    );
  });
});
