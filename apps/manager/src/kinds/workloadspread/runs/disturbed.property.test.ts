/**
 * A CloneSet that is spread while users and nodes interfere: sizes and limits change, nodes are cordoned, Pods are evicted or refuse eviction,
 * admitted Pods are never created, the manager stops for a while. No subset exceeds its limit, and the result equals that of an undisturbed run.
 */
import { describe, expect, it } from '@jest/globals';
import { quietHour } from '@kruise/kube/testing';
import { deepEqual } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { costOf, matchedOf } from '@kruise/kinds/workloadspread';
import { Fleet } from './fleet.testing.ts';
import { aSubset, inZone, type Subset } from '@kruise/kinds/workloadspread/testing';

/** More with FC_RUNS=1000; each run is a history of some fifty seconds and a quiet hour. */
const numRuns = casesOf(12);

type Limits = readonly [number | undefined, number | undefined];
type Disturbance =
  | { readonly kind: 'Scale'; readonly replicas: number }
  | { readonly kind: 'Limit'; readonly limits: Limits }
  | { readonly kind: 'Close' | 'Open'; readonly zone: string }
  /** `which` counts round the active Pods. */
  | { readonly kind: 'Evict' | 'Stay'; readonly which: number }
  | { readonly kind: 'Ghost' | 'Leave' | 'Return' };

const replicas = fc.integer({ min: 0, max: 6 });
const limit = fc.option(fc.nat({ max: 3 }), { nil: undefined });
const limits: fc.Arbitrary<Limits> = fc.tuple(limit, limit);
const zone = fc.constantFrom('a', 'b');
const kinds = <K extends string>(...all: readonly K[]) => all.map((kind) => fc.constant(kind));
const which = fc.nat({ max: 9 });
/** Each as likely as any other. */
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Scale' as const), replicas }),
  fc.record({ kind: fc.constant('Limit' as const), limits }),
  ...kinds('Close', 'Open').map((kind) => fc.record({ kind, zone })),
  ...kinds('Evict', 'Stay').map((kind) => fc.record({ kind, which })),
  ...kinds('Ghost', 'Leave', 'Return').map((kind) => fc.record({ kind })),
);
const history = fc.record({
  replicas,
  limits,
  isAdaptive: fc.boolean(),
  steps: fc.array(fc.record({ disturbance, seconds: fc.integer({ min: 0, max: 9 }) }), { minLength: 4, maxLength: 10 }),
});

const subsetsOf = ([first, second]: Limits): readonly Subset[] => [
  aSubset('a', first, { requiredNodeSelector: inZone('a') }),
  aSubset('b', second, { requiredNodeSelector: inZone('b') }),
  aSubset('c'),
];
const strategyOf = (isAdaptive: boolean) =>
  isAdaptive ? ({ scheduleStrategy: { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } } } as const) : {};

class Disturbed {
  readonly fleet: Fleet;
  readonly seen: Occurrences;
  /** By generation, from 1. */
  readonly #limits: Limits[];
  #isAway = false;
  #ghosts = 0;
  /** Pods whose places were given away, and that are there. */
  #stayed = 0;

  constructor(given: Limits, isAdaptive: boolean, seen: Occurrences) {
    this.fleet = new Fleet(subsetsOf(given), strategyOf(isAdaptive), ['a', 'b', 'c']);
    this.seen = seen;
    this.#limits = [given];
  }

  get limits(): Limits {
    return this.#limits.at(-1) as Limits;
  }

  async disturb(by: Disturbance): Promise<void> {
    const { fleet } = this;
    const { cluster } = fleet;
    this.seen.note(by.kind);
    switch (by.kind) {
      case 'Scale':
        return fleet.resize(by.replicas);
      case 'Limit':
        if (this.seen.note('a limit that is none other', deepEqual(by.limits, this.limits))) return;
        this.#limits.push(by.limits);
        return cluster.change({ subsets: [...subsetsOf(by.limits)] });
      case 'Close':
        return fleet.cordon(by.zone);
      case 'Open':
        return fleet.cordon(by.zone, false);
      case 'Evict':
      case 'Stay': {
        const pod = cluster.active[by.which % Math.max(1, cluster.active.length)];
        if (pod === undefined) return;
        await cluster.evict(pod.metadata.name);
        if (by.kind === 'Evict') await cluster.delete(pod.metadata.name);
        else this.#stayed += 1;
        return;
      }
      case 'Ghost': {
        const name = `ghost-${this.#ghosts++}`;
        await cluster.replicas[0]?.ask('/mutate-pod', { operation: 'CREATE', object: cluster.newPod({ name }), name });
        return;
      }
      case 'Leave':
        if (!this.#isAway) await fleet.stopManager();
        this.#isAway = true;
        return;
      case 'Return':
        if (this.#isAway) fleet.begin();
        this.#isAway = false;
    }
  }

  /** A growing subset stays within its limit: the one that the status reports, or a later one. */
  async tick(): Promise<void> {
    const before = this.fleet.cluster.placed;
    const observed = this.fleet.cluster.spread.status?.observedGeneration ?? 1;
    await this.fleet.tick();
    const after = this.fleet.cluster.placed;
    for (const [index, name] of ['a', 'b'].entries()) {
      const [was, is] = [before[name] ?? 0, after[name] ?? 0];
      const most = Math.max(...this.#limits.slice(observed - 1).map((one) => one[index] ?? Infinity));
      if (this.seen.note('a subset with a limit grows', is > was && most < Infinity)) expect(is).toBeLessThanOrEqual(most + this.#stayed);
    }
  }

  /** Nodes are open, a manager is there, and all that was promised is over. */
  async end(): Promise<void> {
    for (const one of ['a', 'b']) this.fleet.cordon(one, false);
    await this.disturb({ kind: 'Return' });
    for (const seconds of [0, 40, 310]) {
      await this.fleet.cluster.clock.step(seconds * 1000);
      await this.fleet.settle();
    }
  }

  /** Cost and number of the active Pods of each subset, such as `a 300x2`, as the numbers say they must be. */
  get #costsDue(): readonly string[] {
    const { placed } = this.fleet.cluster;
    return ['a', 'b', 'c'].flatMap((name, index) => {
      const [active, most] = [placed[name] ?? 0, [...this.limits, undefined][index] ?? Infinity];
      return [
        [100 * (3 - index), Math.min(active, most)],
        [-100 * (index + 1), active - Math.min(active, most)],
      ].flatMap(([cost, count = 0]) => (count === 0 ? [] : [`${name} ${cost}x${count}`]));
    });
  }

  get #costs(): readonly string[] {
    const counts = new Map<string, number>();
    for (const pod of this.fleet.cluster.active) {
      const matched = matchedOf(pod);
      const text = `${matched?.subset} ${costOf(pod)}`;
      if (matched !== undefined) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return [...counts].map(([text, count]) => `${text}x${count}`);
  }

  expectTrue(wanted: number): void {
    const { cluster } = this.fleet;
    const { placed } = cluster;
    const missing = [...this.limits, undefined].map((most, index) =>
      most === undefined ? -1 : Math.max(0, most - (placed['abc'.charAt(index)] ?? 0)),
    );
    expect({
      active: cluster.active.length,
      counted: cluster.counted,
      promised: cluster.promised,
      observed: cluster.spread.status?.observedGeneration,
      costs: this.#costs.toSorted(),
    }).toEqual({
      active: wanted,
      counted: ['a', 'b', 'c'].map((name, index) => `${name} ${placed[name] ?? 0}/${missing[index]}`),
      promised: [],
      observed: this.#limits.length,
      costs: this.#costsDue.toSorted(),
    });
  }
}

describe('a CloneSet that is spread while users and nodes interfere', () => {
  it('never has a subset that grows past its limit, and ends with true numbers, costs and an idle manager', async () => {
    const seen = new Occurrences();
    await fc.assert(
      fc.asyncProperty(history, async ({ replicas: first, limits: given, isAdaptive, steps }) => {
        const disturbed = new Disturbed(given, isAdaptive, seen);
        await using fleet = disturbed.fleet;
        let wanted = first;
        fleet.resize(first);
        for (const { disturbance: by, seconds } of steps) {
          await disturbed.disturb(by);
          if (by.kind === 'Scale') wanted = by.replicas;
          for (let second = 0; second <= seconds; second += 1) await disturbed.tick();
        }
        await disturbed.end();
        disturbed.expectTrue(wanted);
        expect(await quietHour(fleet.cluster)).toEqual([]);
        // From nothing every subset is filled in order, whatever was before.
        for (const size of [0, wanted]) {
          fleet.resize(size);
          await fleet.settle();
        }
        disturbed.expectTrue(wanted);
        const [a = Infinity, b = Infinity] = disturbed.limits;
        const inA = Math.min(wanted, a);
        const inB = Math.min(wanted - inA, b);
        expect(fleet.cluster.placed).toEqual(
          Object.fromEntries(Object.entries({ a: inA, b: inB, c: wanted - inA - inB }).filter(([, count]) => count > 0)),
        );
      }),
      { numRuns },
    );
    seen.expectAtLeast({
      'a subset with a limit grows': 5,
      Scale: 1,
      Limit: 1,
      Close: 1,
      Open: 1,
      Evict: 1,
      Stay: 1,
      Ghost: 1,
      Leave: 1,
      Return: 1,
    });
  }, 240_000);
});
