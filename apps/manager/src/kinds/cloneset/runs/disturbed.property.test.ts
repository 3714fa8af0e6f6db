/**
 * Rollouts in which users and nodes interfere: hooks that hold Pods and let go, Pods that are deleted, marked, named for deletion or fall ill,
 * pauses, other replicas, templates and partitions at any moment. The limits hold in every pass, and in the end all is as the spec asks.
 */
import { describe, expect, it } from '@jest/globals';
import { labels, type CloneSet, type Gates } from '@kruise/api';
import { formatTime, isPodReady, podCondition, type Pod } from '@kruise/objects';
import { lifecycleStateOf } from '@kruise/pods';
import { casesOf } from '@kruise/testing';
import fc from 'fast-check';
import { canMove, checkedPass, isOfRevision, limitsOf, serving, Tally } from './limits.testing.ts';
import { Simulation } from './simulation.testing.ts';
import { aCloneSet } from '@kruise/kinds/cloneset/testing';

/** More with FC_RUNS=100000; each run is a history of about 60 states. */
const numRuns = casesOf(40);

const hold = 'hold';

type Disturbance =
  | { readonly kind: 'Image'; readonly image: number }
  | { readonly kind: 'Replicas'; readonly replicas: number }
  | { readonly kind: 'Partition'; readonly partition: number | string }
  | { readonly kind: 'Pause'; readonly paused: boolean }
  /** `which` counts round the active Pods. */
  | { readonly kind: 'Delete' | 'Mark' | 'Name' | 'Sicken' | 'LetGo' | 'PutBack' | 'Fail'; readonly which: number }
  | { readonly kind: 'Cure' };

interface History {
  readonly replicas: number;
  readonly policy: 'ReCreate' | 'InPlaceIfPossible' | 'InPlaceOnly';
  readonly maxUnavailable: number | string;
  readonly maxSurge: number | string;
  readonly minReadySeconds: number;
  readonly graceSeconds: number;
  readonly scaleLimit: number | undefined;
  readonly hooks: readonly ('preDelete' | 'inPlaceUpdate')[];
  readonly markPodNotReady: boolean;
  readonly gates: Partial<Gates>;
  readonly steps: readonly { readonly disturbance: Disturbance; readonly passes: number }[];
}

const amount = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const which = fc.nat({ max: 9 });
const disturbance: fc.Arbitrary<Disturbance> = fc.oneof(
  fc.record({ kind: fc.constant('Image' as const), image: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('Replicas' as const), replicas: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('Partition' as const), partition: amount }),
  fc.record({ kind: fc.constant('Pause' as const), paused: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('Delete' as const, 'Mark' as const, 'Name' as const, 'Sicken' as const, 'Fail' as const), which }),
  fc.record({ kind: fc.constantFrom('LetGo' as const, 'PutBack' as const), which }),
  fc.record({ kind: fc.constant('Cure' as const) }),
);
const history: fc.Arbitrary<History> = fc.record({
  replicas: fc.integer({ min: 0, max: 6 }),
  policy: fc.constantFrom<History['policy']>('ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'),
  maxUnavailable: amount,
  maxSurge: amount,
  minReadySeconds: fc.constantFrom(0, 2),
  graceSeconds: fc.constantFrom(0, 3),
  scaleLimit: fc.constantFrom(undefined, 1, 2),
  hooks: fc.subarray<'preDelete' | 'inPlaceUpdate'>(['preDelete', 'inPlaceUpdate']),
  markPodNotReady: fc.boolean(),
  gates: fc.record({ CloneSetPartitionRollback: fc.boolean(), CloneSetShortHash: fc.boolean(), PreparingUpdateAsUpdate: fc.boolean() }),
  steps: fc.array(fc.record({ disturbance, passes: fc.integer({ min: 0, max: 6 }) }), { maxLength: 10 }),
});

const template = (image: number, isHooked: boolean): CloneSet['spec']['template'] => ({
  metadata: { labels: { app: 'sample', ...(isHooked ? { [hold]: 'yes' } : {}) } },
  spec: { containers: [{ name: 'main', image: `app:${image}` }] },
});

/** A CloneSet as admission lets it be: it can move, and InPlaceOnly makes no surge. */
class DisturbedSimulation extends Simulation {
  readonly #sick = new Set<string>();
  readonly #isHooked: boolean;

  constructor(given: History) {
    const { policy, maxUnavailable, maxSurge, minReadySeconds, graceSeconds, scaleLimit, hooks, markPodNotReady } = given;
    const hook = { labelsHandler: { [hold]: 'yes' }, markPodNotReady };
    super(
      aCloneSet({
        replicas: given.replicas,
        rollingUpdate: {
          podUpdatePolicy: policy,
          maxUnavailable,
          maxSurge: policy === 'InPlaceOnly' ? 0 : maxSurge,
          inPlaceUpdateStrategy: { gracePeriodSeconds: graceSeconds },
        },
        spec: {
          template: template(1, hooks.length > 0),
          minReadySeconds,
          lifecycle: Object.fromEntries(hooks.map((name) => [name, hook])),
          ...(scaleLimit === undefined ? {} : { scaleStrategy: { maxUnavailable: scaleLimit } }),
        },
      }),
      { gates: given.gates },
    );
    this.#isHooked = hooks.length > 0;
  }

  get rolling(): NonNullable<NonNullable<CloneSet['spec']['updateStrategy']>['rollingUpdate']> {
    return this.cloneSet.spec.updateStrategy?.rollingUpdate ?? {};
  }

  /** A second, in which ill Pods stay not ready. */
  override tick(): void {
    super.tick();
    this.pods = this.pods.map((pod) => {
      if (!this.#sick.has(pod.metadata.uid ?? '') || !isPodReady(pod)) return pod;
      const conditions = (pod.status?.conditions ?? []).map((held) =>
        held.type === 'Ready' ? { ...held, status: 'False', lastTransitionTime: formatTime(this.now) } : held,
      );
      return { ...pod, status: { ...pod.status, conditions } };
    });
  }

  disturb(next: Disturbance): void {
    switch (next.kind) {
      case 'Image':
        return this.change({ template: template(next.image, this.#isHooked) });
      case 'Replicas':
        return this.change({ replicas: next.replicas });
      case 'Partition':
        return this.#roll({ partition: next.partition });
      case 'Pause':
        return this.#roll({ paused: next.paused });
      case 'Cure':
        return this.#sick.clear();
      default:
        return this.#disturbPod(next.kind, this.active[next.which % Math.max(this.active.length, 1)]);
    }
  }

  /** What the people and programs behind the hooks do: they let go of Pods that wait, and take hold of updated ones again. */
  letGo(): void {
    for (const pod of this.active) {
      const state = lifecycleStateOf(pod);
      if (state === 'PreparingUpdate' || state === 'PreparingDelete') this.#disturbPod('LetGo', pod);
      if (state === 'Updated') this.#disturbPod('PutBack', pod);
    }
  }

  #roll(change: object): void {
    this.change({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { ...this.rolling, ...change } } });
  }

  #disturbPod(kind: Extract<Disturbance, { which: number }>['kind'], pod: Pod | undefined): void {
    if (pod === undefined) return;
    const { metadata } = pod;
    const replace = (changed: Pod): void => {
      this.pods = this.pods.map((held) => (held === pod ? changed : held));
    };
    const relabel = (change: Readonly<Record<string, string>>, removed?: string): void => {
      const kept = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => key !== removed));
      replace({ ...pod, metadata: { ...metadata, labels: { ...kept, ...change } } });
    };
    switch (kind) {
      case 'Delete':
        return replace({ ...pod, metadata: { ...metadata, deletionTimestamp: formatTime(this.now) } });
      case 'Fail':
        return replace({ ...pod, metadata: { ...metadata, deletionTimestamp: formatTime(this.now) }, status: { phase: 'Failed' } });
      case 'Mark':
        return relabel({ [labels.specifiedDelete]: 'true' });
      case 'Name':
        return this.change({ scaleStrategy: { ...this.cloneSet.spec.scaleStrategy, podsToDelete: [metadata.name] } });
      case 'Sicken':
        return void this.#sick.add(metadata.uid ?? '');
      case 'LetGo':
        return relabel({}, hold);
      case 'PutBack':
        return this.#isHooked ? relabel({ [hold]: 'yes' }) : undefined;
    }
  }
}

/** Updates beside scaling cross no partition; the other limits are those of every rollout. */
function checkedStep(simulation: DisturbedSimulation, tally: Tally): void {
  const { replicas, partition } = limitsOf(simulation.cloneSet);
  // Pods that are being deleted do not count for the partition.
  const sides = (revision: string | undefined): { readonly updated: number; readonly old: number } => {
    const staying = simulation.active.filter((pod) => lifecycleStateOf(pod) !== 'PreparingDelete');
    const updated = staying.filter((pod) => isOfRevision(pod, revision ?? '')).length;
    return { updated, old: staying.length - updated };
  };
  const { status } = simulation.plan();
  const before = sides(status.updateRevision);
  const next = checkedPass(simulation, tally);
  const { updated, old } = sides(status.updateRevision);
  if (next.scale.length === 0 && updated > before.updated) expect(updated <= replicas - partition || old >= partition).toBe(true);
  tally.add(
    'took a deletion back',
    next.scale.some((action) => action.kind === 'SetLifecycle' && action.transition.to === 'PreparingNormal') ? 1 : 0,
  );
  tally.add('waited for a hook', simulation.active.some((pod) => lifecycleStateOf(pod).startsWith('Preparing')) ? 1 : 0);
  tally.add('was limited in creating', next.notes.some(({ kind }) => kind === 'ScaleUpLimited') ? 1 : 0);
}

function run(simulation: DisturbedSimulation, given: History, tally: Tally): void {
  for (const { disturbance: next, passes } of given.steps) {
    simulation.disturb(next);
    for (let pass = 0; pass < passes; pass++) {
      checkedStep(simulation, tally);
      simulation.tick();
    }
  }
}

/** @returns how many histories were checked */
const property = (check: (simulation: DisturbedSimulation, given: History) => void): number => {
  let runs = 0;
  fc.assert(
    fc.property(history, (given) => {
      const simulation = new DisturbedSimulation(given);
      const asked = given.steps.flatMap(({ disturbance: one }) => (one.kind === 'Replicas' ? [one.replicas] : []));
      fc.pre(
        [given.replicas, ...asked].every((replicas) =>
          canMove({ ...simulation.cloneSet, spec: { ...simulation.cloneSet.spec, replicas } }),
        ),
      );
      runs++;
      check(simulation, given);
    }),
    { numRuns },
  );
  return runs;
};

describe('a disturbed rollout', () => {
  it('keeps its limits in every pass, and ends as the spec asks once nothing holds it up', () => {
    const tally = new Tally();
    const runs = property((simulation, given) => {
      run(simulation, given, tally);
      simulation.disturb({ kind: 'Cure' });
      simulation.disturb({ kind: 'Pause', paused: false });
      // A Pod that was prepared before the partition was raised stays so until it is lowered.
      if (given.hooks.includes('inPlaceUpdate')) simulation.disturb({ kind: 'Partition', partition: 0 });
      let idle = 0;
      for (let pass = 0; pass < 300 && idle < 6; pass++) {
        simulation.letGo();
        const before = JSON.stringify(simulation.pods);
        checkedStep(simulation, tally);
        idle = JSON.stringify(simulation.pods) === before ? idle + 1 : 0;
        simulation.tick();
      }
      const { cloneSet, active } = simulation;
      const { replicas, partition } = limitsOf(cloneSet);
      expect(active).toHaveLength(replicas);
      expect(serving(simulation)).toHaveLength(replicas);
      expect(active.map((pod) => podCondition(pod, 'InPlaceUpdateReady')?.status)).toEqual(active.map(() => 'True'));
      const updated = active.filter((pod) => isOfRevision(pod, cloneSet.status?.updateRevision ?? ''));
      expect(updated.length).toBeGreaterThanOrEqual(replicas - partition);
      const names = updated.map((pod) => pod.spec.containers[0]?.image);
      expect(names).toEqual(updated.map(() => cloneSet.spec.template.spec?.containers[0]?.image));
      const { revisions, groundwork, scale, update, housekeeping, blockedBy, updateFailure } = simulation.plan();
      expect([...revisions, ...groundwork, ...scale, ...update, ...housekeeping]).toEqual([]);
      expect(updateFailure).toBeUndefined();
      expect(blockedBy?.reason ?? 'PartitionReached').toBe('PartitionReached');
    });
    const least = {
      created: 100,
      surged: 4,
      'scaled in': 6,
      'deleted by mark': 6,
      'updated in place': 2,
      'waited for a hook': 100,
      'was limited in creating': 50,
    };
    // A handful of runs shows nothing.
    expect(runs < 50 ? [] : tally.short(least)).toEqual([]);
  });
});
