import { describe, expect, it } from '@jest/globals';
import type { Gates } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { PodShape } from '@kruise/testing';
import { rolloutNumbers, type RolloutNumbers } from './rollout-numbers.ts';
import type { Context } from './snapshot.ts';
import { aCloneSet, aMember, aRevision, at, type CloneSetShape } from './testing.ts';

interface Vector {
  readonly name: string;
  readonly set: CloneSetShape;
  readonly old?: readonly PodShape[];
  readonly updated?: readonly PodShape[];
  /** Update and current revision are the same. */
  readonly same?: boolean;
  readonly gates?: Partial<Gates>;
  readonly at?: Partial<Context>;
  readonly then: Partial<RolloutNumbers>;
}

const none: RolloutNumbers = {
  scaleUp: 0,
  scaleUpOld: 0,
  scaleUpLimit: 0,
  scaleDown: 0,
  scaleDownOld: 0,
  deleteReadyLimit: 0,
  useSurge: 0,
  useSurgeOld: 0,
  updateNum: 0,
  updateMaxUnavailable: 0,
};
const times = (count: number, shape: PodShape = {}): readonly PodShape[] => Array.from({ length: count }, () => shape);
const unready: PodShape = { ready: false };
const specified: PodShape = { labels: { 'apps.kruise.io/specified-delete': 'true' } };
const preparingDelete: PodShape = {
  labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete', 'apps.kruise.io/specified-delete': 'true' },
};
const preparingUpdate: PodShape = { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' } };

// The check vectors of spec/cloneset.md 5.4, in their order.
const vectors: readonly Vector[] = [
  {
    name: 'scale limit',
    set: { replicas: 5, spec: { scaleStrategy: { maxUnavailable: 2 } } },
    same: true,
    updated: [unready],
    then: { scaleUp: 4, scaleUpLimit: 1 },
  },
  { name: '20% of five', set: { replicas: 5 }, old: times(5), then: { updateNum: 5, updateMaxUnavailable: 1 } },
  {
    name: '50% with one unready',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: '50%' } },
    old: [...times(4), unready],
    then: { updateNum: 5, updateMaxUnavailable: 3 },
  },
  {
    name: 'surge comes first',
    set: { replicas: 10, rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } },
    old: times(10),
    then: { scaleUp: 3, scaleUpLimit: 3, useSurge: 3, updateNum: 10 },
  },
  {
    name: 'surge is up',
    set: { replicas: 10, rollingUpdate: { maxSurge: 3, maxUnavailable: 0 } },
    old: times(10),
    updated: times(3),
    then: { useSurge: 3, updateNum: 7, updateMaxUnavailable: 3 },
  },
  {
    name: 'surge within a partition',
    set: { replicas: 10, rollingUpdate: { partition: 8, maxSurge: '30%', maxUnavailable: '25%' } },
    old: times(10),
    then: { scaleUp: 2, scaleUpLimit: 2, useSurge: 2, updateNum: 2, updateMaxUnavailable: 2 },
  },
  {
    name: 'partition 99% updates one',
    set: { replicas: 4, rollingUpdate: { partition: '99%', maxUnavailable: '50%' } },
    old: times(4),
    then: { updateNum: 1, updateMaxUnavailable: 2 },
  },
  { name: 'specified delete', set: { replicas: 5 }, same: true, updated: [...times(4), specified], then: { deleteReadyLimit: 1 } },
  {
    name: 'no room for a specified delete',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 1 } },
    same: true,
    updated: [...times(3), unready, specified],
    then: {},
  },
  {
    name: 'surge replaces it first',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    same: true,
    updated: [...times(3), unready, specified],
    then: { scaleUp: 1, scaleUpLimit: 1, useSurge: 1 },
  },
  {
    name: 'scale in takes old ones',
    set: { replicas: 3 },
    old: times(3),
    updated: times(2),
    then: { scaleDown: 2, scaleDownOld: 3, deleteReadyLimit: 3, updateNum: 1, updateMaxUnavailable: 3 },
  },
  {
    name: 'scale in beside a specified delete',
    set: { replicas: 3 },
    same: true,
    updated: [...times(4), specified],
    then: { scaleDown: 1, deleteReadyLimit: 3 },
  },
  { name: 'PreparingDelete counts as a replica', set: { replicas: 3 }, same: true, updated: [...times(2), preparingDelete], then: {} },
  {
    name: 'PreparingDelete is excluded',
    set: { replicas: 3, spec: { scaleStrategy: { excludePreparingDelete: true } } },
    same: true,
    updated: [...times(2), preparingDelete],
    then: { scaleUp: 1, scaleUpLimit: 1 },
  },
  {
    name: 'PreparingDelete is excluded by the flag',
    set: { replicas: 3 },
    same: true,
    updated: [...times(2), preparingDelete],
    at: { excludePreparingDelete: true },
    then: { scaleUp: 1, scaleUpLimit: 1 },
  },
  {
    name: 'a grown partition leaves updated Pods',
    set: { replicas: 5, rollingUpdate: { partition: 5 } },
    old: times(3),
    updated: times(2),
    then: {},
  },
  {
    name: 'a grown partition rolls back with the gate',
    set: { replicas: 5, rollingUpdate: { partition: 5 } },
    old: times(3),
    updated: times(2),
    gates: { CloneSetPartitionRollback: true },
    then: { updateNum: -2, updateMaxUnavailable: 1 },
  },
  {
    name: 'PreparingUpdate is old',
    set: { replicas: 2, rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
    old: [preparingUpdate],
    then: { scaleUp: 1, scaleUpLimit: 1 },
  },
  {
    name: 'PreparingUpdate as update',
    set: { replicas: 2, rollingUpdate: { partition: 1, maxUnavailable: '50%' } },
    old: [preparingUpdate],
    gates: { PreparingUpdateAsUpdate: true },
    then: { scaleUp: 1, scaleUpLimit: 1, scaleUpOld: 1 },
  },
  {
    name: 'paused does not surge',
    set: { replicas: 10, rollingUpdate: { maxSurge: 3, maxUnavailable: 0, paused: true } },
    old: times(10),
    then: { updateNum: 10 },
  },
];

describe('rollout numbers', () => {
  it.each(vectors)('$name', ({ set, old = [], updated = [], same = false, gates = {}, at: context = {}, then }) => {
    const cloneSet = aCloneSet(set);
    const [r1, r2] = [aRevision(cloneSet, 'app:1', 1), aRevision(cloneSet, 'app:2', 2)];
    const pods: Pod[] = [
      ...old.map((shape) => aMember(cloneSet, r1, shape)),
      ...updated.map((shape) => aMember(cloneSet, same ? r1 : r2, shape)),
    ];
    const revisions = { updateRevision: (same ? r1 : r2).metadata.name, currentRevision: r1.metadata.name };
    const numbers = rolloutNumbers(cloneSet, pods, revisions, { ...at(gates), ...context, purpose: 'Scale' });
    const wanted =
      Object.hasOwn(then, 'updateNum') || old.length === 0
        ? { ...none, ...then }
        : { ...none, ...then, updateNum: numbers.updateNum, updateMaxUnavailable: numbers.updateMaxUnavailable };
    expect(numbers).toEqual(wanted);
  });
});
