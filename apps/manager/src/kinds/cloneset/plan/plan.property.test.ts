/**
 * Rollouts of CloneSets of every sort, driven by generated changes, and held in every pass against limits that are computed from the
 * specification alone. Each property also counts what its histories came to: one in which nothing happens shows nothing.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CloneSet, Gates } from '@kruise/api';
import { deepCopy, type Pod } from '@kruise/objects';
import { casesOf } from '@kruise/testing';
import { canMove, checkedPass, isOfRevision, limitsOf, serving, stateOf, Tally, weightPriority } from '../runs/limits.testing.ts';
import { plan } from '@kruise/kinds/cloneset';
import { aNode, nodesOf } from '@kruise/kinds/cloneset/situation.testing';
import { Simulation } from '../runs/simulation.testing.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

/** More with FC_RUNS=100000 (nightly). */
const numRuns = casesOf(40);

interface Change {
  /** What is undefined stays as it is. */
  readonly image: number | undefined;
  readonly replicas: number;
  readonly partition: number | string | undefined;
  readonly afterPasses: number;
}

interface Rollout {
  readonly replicas: number;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible' | 'InPlaceOnly';
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly partition: number | string;
  readonly claims: readonly string[];
  readonly reusesClaims: boolean;
  readonly isHooked: boolean;
  readonly historyLimit: number;
  readonly isZoned: boolean;
  readonly isWeighted: boolean;
  readonly isScattered: boolean;
  readonly scaleLimit: number | undefined;
  readonly changes: readonly Change[];
  /** How many passes after the last change the CloneSet is deleted, where it is. */
  readonly deletedAfter: number;
  readonly gates: Partial<Gates>;
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const change: fc.Arbitrary<Change> = fc.record({
  image: fc.constantFrom(undefined, undefined, 1, 2, 3, 4),
  replicas: fc.integer({ min: 0, max: 8 }),
  partition: fc.oneof(fc.constantFrom(undefined, 0, '100%'), amount),
  afterPasses: fc.integer({ min: 0, max: 12 }),
});
const often = fc.constantFrom(true, true, false);
const seldom = fc.constantFrom(true, false, false, false);
const rollout: fc.Arbitrary<Rollout> = fc.record({
  replicas: fc.integer({ min: 0, max: 8 }),
  policy: fc.constantFrom<Rollout['policy']>('ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'),
  maxUnavailable: amount,
  maxSurge: amount,
  partition: fc.oneof(fc.constant(0), amount),
  claims: fc.subarray(['data', 'logs']),
  reusesClaims: fc.boolean(),
  isHooked: fc.boolean(),
  historyLimit: fc.integer({ min: 0, max: 3 }),
  isZoned: often,
  isWeighted: often,
  isScattered: seldom,
  scaleLimit: fc.constantFrom(undefined, undefined, undefined, 1, 2),
  changes: fc.array(change, { minLength: 1, maxLength: 5 }),
  deletedAfter: fc.nat({ max: 8 }),
  gates: fc.record({ CloneSetPartitionRollback: often, CloneSetShortHash: fc.boolean(), PreparingUpdateAsUpdate: fc.boolean() }),
});

const template = (image: number, isZoned: boolean): CloneSet['spec']['template'] => ({
  metadata: { labels: { app: 'sample' } },
  spec: {
    containers: [{ name: 'main', image: `app:${image}` }],
    ...(isZoned ? { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }] } : {}),
  },
});

const inService = { 'in-service': 'yes' };
const nodes = nodesOf(...['a-1', 'a-2', 'b-1'].map((name) => aNode(name, { zone: name.slice(0, 1) })));

/** A client puts new Pods into service two seconds after their creation, and gives every Pod a weight. */
class SimulationWithClient extends Simulation {
  override tick(): void {
    super.tick();
    this.pods = this.pods.map((pod) => {
      const { metadata } = pod;
      const isDue = stateOf(pod) === 'PreparingNormal' && this.now - Date.parse(metadata.creationTimestamp ?? '') >= 2000;
      const weight = `${(Number(metadata.uid?.slice('uid-'.length)) % 3) * 10}`;
      return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, weight, ...(isDue ? inService : {}) } } };
    });
  }
}

function fixtureOf(given: Rollout): SimulationWithClient {
  const { replicas, policy, maxUnavailable, maxSurge, partition, isHooked, isZoned, gates, scaleLimit } = given;
  const cloneSet = aCloneSet({
    replicas,
    rollingUpdate: {
      podUpdatePolicy: policy,
      maxUnavailable,
      maxSurge: policy === 'InPlaceOnly' ? 0 : maxSurge,
      partition,
      ...(given.isWeighted ? { priorityStrategy: { weightPriority } } : {}),
      ...(given.isScattered ? { scatterStrategy: [{ key: 'weight', value: '10' }] } : {}),
    },
    spec: {
      template: template(1, isZoned),
      revisionHistoryLimit: given.historyLimit,
      volumeClaimTemplates: given.claims.map((name) => ({
        metadata: { name },
        spec: { resources: { requests: { storage: '1Gi' } } },
      })),
      scaleStrategy: { enablePVCReuse: given.reusesClaims, ...(scaleLimit === undefined ? {} : { maxUnavailable: scaleLimit }) },
      ...(isHooked ? { lifecycle: { preNormal: { labelsHandler: inService } } } : {}),
    },
  });
  return new SimulationWithClient(cloneSet, { gates, nodes });
}

/** Passes until the next change, each followed by a second; then the changes. */
function run(simulation: SimulationWithClient, given: Rollout, pass: () => unknown): void {
  for (const { image, replicas, partition, afterPasses } of given.changes) {
    for (let count = 0; count < afterPasses; count++) {
      pass();
      simulation.tick();
    }
    const { updateStrategy } = simulation.cloneSet.spec;
    const rollingUpdate = { ...updateStrategy?.rollingUpdate, ...(partition === undefined ? {} : { partition }) };
    const changed = image === undefined ? {} : { template: template(image, given.isZoned) };
    simulation.change({ replicas, ...changed, updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  }
}

/** @returns how many rollouts were checked */
function property(check: (simulation: SimulationWithClient, given: Rollout) => void): number {
  let runs = 0;
  fc.assert(
    fc.property(rollout, (given) => {
      const simulation = fixtureOf(given);
      const asked = [given.replicas, ...given.changes.map(({ replicas }) => replicas)];
      fc.pre(asked.every((replicas) => canMove({ ...simulation.cloneSet, spec: { ...simulation.cloneSet.spec, replicas } })));
      runs++;
      check(simulation, given);
    }),
    { numRuns },
  );
  return runs;
}

/** At least so many in every hundred runs; a handful of runs shows nothing. */
const perHundred = (least: Readonly<Record<string, number>>, runs: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(least).map(([what, count]) => [what, runs < 50 ? 0 : Math.floor((count * runs) / 100)]));

/** Passes and seconds until three passes in a row change nothing. */
function calmDown(simulation: SimulationWithClient, pass: () => unknown): void {
  for (let count = 0, idle = 0; count < 60 && idle < 3; count++) {
    const { pods } = simulation;
    pass();
    idle = simulation.pods === pods ? idle + 1 : 0;
    simulation.tick();
  }
}

describe('the planner', () => {
  it('keeps every limit in every pass: availability, surge, partition, order, history, claims', () => {
    const tally = new Tally();
    const runs = property((simulation, given) => {
      run(simulation, given, () => checkedPass(simulation, tally));
      calmDown(simulation, () => checkedPass(simulation, tally));
    });
    const least = {
      created: 200,
      surged: 5,
      'scaled in': 25,
      'scaled in by zone': 1,
      'deleted by mark': 3,
      'updated in place': 10,
      'marked for recreation': 3,
      'updated by weight': 1,
      'history cut': 3,
      'held claims': 300,
    };
    expect(tally.short(perHundred(least, runs))).toEqual([]);
  });

  it('converges: replicas Pods in service, no fewer updated than the partition requires, claims for them, and then an empty plan', () => {
    const tally = new Tally();
    const runs = property((simulation, given) => {
      run(simulation, given, () => simulation.pass());
      simulation.settle();
      const { cloneSet, active } = simulation;
      const { replicas, partition } = limitsOf(cloneSet);
      const updated = active.filter((pod) => isOfRevision(pod, cloneSet.status?.updateRevision ?? ''));
      expect(active).toHaveLength(replicas);
      expect(serving(simulation)).toHaveLength(replicas);
      expect(updated.length).toBeGreaterThanOrEqual(replicas - partition);
      const imageOf = (pod: Pod): string | undefined => pod.spec.containers[0]?.image;
      expect(updated.map(imageOf)).toEqual(updated.map(() => cloneSet.spec.template.spec?.containers[0]?.image));
      if (!given.reusesClaims) expect(simulation.claims).toHaveLength(replicas * given.claims.length);
      expect(simulation.plan()).toMatchObject({ revisions: [], groundwork: [], scale: [], update: [], housekeeping: [] });
      expect(cloneSet.status).toMatchObject({ replicas, availableReplicas: replicas, updatedReplicas: updated.length });
      tally.add('with Pods', active.length);
      tally.add('with a partition that is kept', partition > 0 && updated.length < replicas ? 1 : 0);
    });
    expect(tally.short(perHundred({ 'with Pods': 100, 'with a partition that is kept': 5 }, runs))).toEqual([]);
  });

  it('gives the same plan for the same snapshot in every call, and does not change the snapshot', () => {
    const tally = new Tally();
    const runs = property((simulation, given) => {
      run(simulation, given, () => {
        const seen = simulation.seen();
        const text = JSON.stringify(seen);
        const first = plan(seen, simulation.context);
        const copied = { ...seen, pods: deepCopy(seen.pods), claims: deepCopy(seen.claims), revisions: deepCopy(seen.revisions) };
        expect(plan(copied, simulation.context)).toEqual(first);
        expect(JSON.stringify(seen)).toBe(text);
        tally.add('with something to do', [...first.revisions, ...first.scale, ...first.update, ...first.housekeeping].length > 0 ? 1 : 0);
        simulation.pass();
      });
    });
    expect(tally.short(perHundred({ 'with something to do': 200 }, runs))).toEqual([]);
  });

  it('stops at whatever moment the CloneSet is deleted: no Pod, claim or revision is made, changed or taken away any more', () => {
    const tally = new Tally();
    const runs = property((simulation, given) => {
      run(simulation, given, () => simulation.pass());
      for (let pass = 0; pass < given.deletedAfter; pass++) {
        simulation.pass();
        simulation.tick();
      }
      const unfinished = simulation.plan();
      tally.add('in the middle of something', [...unfinished.scale, ...unfinished.update, ...unfinished.groundwork].length > 0 ? 1 : 0);
      simulation.delete();
      simulation.pass();
      const held = (): string => JSON.stringify([simulation.pods, simulation.claims, simulation.revisions]);
      const left = held();
      for (let pass = 0; pass < 3; pass++) {
        checkedPass(simulation, tally);
        expect(held()).toBe(left);
      }
      expect(simulation.cloneSet.status?.replicas).toBe(simulation.active.length);
    });
    expect(tally.short(perHundred({ 'in the middle of something': 10, 'passed while being deleted': 290 }, runs))).toEqual([]);
  });
});
