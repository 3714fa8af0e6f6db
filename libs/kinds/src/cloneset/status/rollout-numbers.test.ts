import { describe, expect, it } from '@jest/globals';
import type { Gates } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import type { PodShape } from '@kruise/testing';
import { rolloutNumbers, type RolloutNumbers } from './rollout-numbers.ts';
import type { Context } from '../snapshot/snapshot.ts';
import { aCloneSet, aMember, aRevision, aContext, type CloneSetShape } from '../testing.ts';

interface Vector {
  readonly name: string;
  readonly set: CloneSetShape;
  readonly old?: readonly PodShape[];
  readonly updated?: readonly PodShape[];
  /** Update and current revision are the same. */
  readonly same?: boolean;
  readonly gates?: Partial<Gates>;
  readonly context?: Partial<Context>;
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
    context: { excludePreparingDelete: true },
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

// What the vectors of the specification leave open, each from both sides.
const more: readonly Vector[] = [
  {
    name: 'no more than is missing may be created',
    set: { replicas: 3, spec: { scaleStrategy: { maxUnavailable: 9 } } },
    same: true,
    updated: times(1),
    then: { scaleUp: 2, scaleUpLimit: 2 },
  },
  {
    name: 'a scale limit that Pods use up lets none be created',
    set: { replicas: 5, spec: { scaleStrategy: { maxUnavailable: 2 } } },
    same: true,
    updated: times(3, unready),
    then: { scaleUp: 2 },
  },
  {
    name: 'Pods that are prepared for deletion use up the scale limit',
    set: { replicas: 4, spec: { scaleStrategy: { maxUnavailable: 2 } } },
    same: true,
    updated: [{}, preparingDelete],
    then: { scaleUp: 2, scaleUpLimit: 1 },
  },
  {
    name: 'Pods that are to go by label do not use it up',
    set: { replicas: 4, spec: { scaleStrategy: { maxUnavailable: 2 } } },
    same: true,
    updated: [{}, { ...specified, ready: false }],
    then: { scaleUp: 2, scaleUpLimit: 2, deleteReadyLimit: 0 },
  },
  { name: 'as many as are there are enough', set: { replicas: 3 }, same: true, updated: times(3), then: {} },
  { name: 'one too many is deleted', set: { replicas: 3 }, same: true, updated: times(4), then: { scaleDown: 1, deleteReadyLimit: 2 } },
  {
    name: 'Pods that are to go by label are not counted a second time in scaling in',
    set: { replicas: 3 },
    same: true,
    updated: [...times(3), specified],
    then: { deleteReadyLimit: 2 },
  },
  {
    name: 'a Pod that is prepared and to go by label counts as prepared only',
    set: { replicas: 1 },
    same: true,
    updated: [{}, preparingDelete],
    then: { scaleDown: 1, deleteReadyLimit: 1 },
  },
  {
    name: 'a Pod that is prepared takes from what may be deleted',
    set: { replicas: 3, rollingUpdate: { maxUnavailable: 2 } },
    same: true,
    updated: [{}, preparingDelete, specified],
    then: { deleteReadyLimit: 1 },
  },
  {
    name: 'Pods that are to go by label are not updated first',
    set: { replicas: 3, rollingUpdate: { maxUnavailable: 2 } },
    old: [{}, {}, specified],
    then: { deleteReadyLimit: 2, updateNum: 3, updateMaxUnavailable: 2 },
  },
  {
    name: 'old Pods beyond the partition go first when there are too many',
    set: { replicas: 3, rollingUpdate: { partition: 1 } },
    old: times(3),
    updated: times(1),
    then: { scaleDown: 1, scaleDownOld: 2, deleteReadyLimit: 2, updateNum: 1, updateMaxUnavailable: 2 },
  },
  {
    name: 'old Pods that are to go by label are not taken a second time',
    set: { replicas: 2, rollingUpdate: { partition: 1 } },
    old: [{}, {}, specified],
    updated: times(1),
    then: { scaleDown: 1, scaleDownOld: 1, deleteReadyLimit: 3, updateNum: 0 },
  },
  {
    name: 'Pods of either side that are missing',
    set: { replicas: 4, rollingUpdate: { partition: 2 } },
    old: times(1),
    updated: times(1),
    then: { scaleUp: 2, scaleUpOld: 1, scaleUpLimit: 2 },
  },
  {
    name: 'old ones that are missing while there are too many new ones are not made',
    set: { replicas: 3, rollingUpdate: { partition: 2 } },
    old: times(1),
    updated: times(2),
    then: {},
  },
  {
    name: 'prepared old Pods are replaced by old ones when they are excluded',
    set: { replicas: 3, rollingUpdate: { partition: 2 }, spec: { scaleStrategy: { excludePreparingDelete: true } } },
    old: [{}, preparingDelete],
    updated: times(1),
    then: { scaleUp: 1, scaleUpOld: 1, scaleUpLimit: 1 },
  },
  {
    name: 'prepared updated Pods are replaced by updated ones when they are excluded',
    set: { replicas: 3, rollingUpdate: { partition: 2 }, spec: { scaleStrategy: { excludePreparingDelete: true } } },
    old: times(2),
    updated: [preparingDelete],
    then: { scaleUp: 1, scaleUpLimit: 1 },
  },
  {
    name: 'a deletion that has room in maxUnavailable needs no surge',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
    same: true,
    updated: [...times(4), specified],
    then: { deleteReadyLimit: 1 },
  },
  {
    name: 'surge for deletions is what maxUnavailable does not cover',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 1, maxSurge: 5 } },
    same: true,
    updated: [...times(2), ...times(3, specified)],
    then: { scaleUp: 2, scaleUpLimit: 2, useSurge: 2, deleteReadyLimit: 1 },
  },
  {
    name: 'surge for deletions is no more than the Pods to delete',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 1, maxSurge: 5 } },
    same: true,
    updated: [...times(4, unready), specified],
    then: { scaleUp: 1, scaleUpLimit: 1, useSurge: 1 },
  },
  {
    name: 'surge for deletions is no more than maxSurge',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } },
    same: true,
    updated: [...times(2), ...times(3, specified)],
    then: { scaleUp: 2, scaleUpLimit: 2, useSurge: 2 },
  },
  {
    name: 'surge for the deletion of old Pods is old where the partition keeps them',
    set: { replicas: 3, rollingUpdate: { partition: 3, maxUnavailable: 0, maxSurge: 2 } },
    old: [{}, ...times(2, specified)],
    then: { scaleUp: 2, scaleUpOld: 2, scaleUpLimit: 2, useSurge: 2, useSurgeOld: 2 },
  },
  {
    name: 'surge for deletions of both sides replaces updated ones first',
    set: { replicas: 4, rollingUpdate: { partition: 2, maxUnavailable: 0, maxSurge: 1 } },
    old: [{}, specified],
    updated: [{}, specified],
    then: { scaleUp: 1, scaleUpLimit: 1, useSurge: 1, useSurgeOld: 1, scaleUpOld: 1 },
  },
  {
    name: 'surge for an update is no more than is left to update',
    set: { replicas: 10, rollingUpdate: { maxUnavailable: 0, maxSurge: 3 } },
    old: times(2),
    updated: times(8),
    then: { scaleUp: 2, scaleUpLimit: 2, useSurge: 2, updateNum: 2 },
  },
  {
    name: 'no surge when nothing is left to update',
    set: { replicas: 3, rollingUpdate: { maxUnavailable: 0, maxSurge: 3 } },
    updated: times(3),
    then: {},
  },
  {
    name: 'no surge for Pods that are only missing',
    set: { replicas: 3, rollingUpdate: { maxUnavailable: 0, maxSurge: 3 } },
    updated: times(2),
    then: { scaleUp: 1, scaleUpLimit: 1 },
  },
  {
    name: 'surge while rolling back is old',
    set: { replicas: 4, rollingUpdate: { partition: 4, maxUnavailable: 0, maxSurge: 1 } },
    gates: { CloneSetPartitionRollback: true },
    old: times(2),
    updated: times(2),
    then: { scaleUp: 1, scaleUpOld: 3, scaleUpLimit: 1, useSurge: 1, useSurgeOld: 1, updateNum: -2 },
  },
  {
    name: 'surge while rolling back with more Pods to bring back than are missing',
    set: { replicas: 4, rollingUpdate: { partition: 3, maxUnavailable: 0, maxSurge: 3 } },
    gates: { CloneSetPartitionRollback: true },
    old: times(2),
    updated: times(3),
    then: { scaleUpOld: 0, updateNum: -1, updateMaxUnavailable: 1, useSurge: 1, useSurgeOld: 1 },
  },
  {
    name: 'the deletion counts when it asks for as much surge as the update',
    set: { replicas: 4, rollingUpdate: { maxUnavailable: 0, maxSurge: 3 } },
    old: [specified],
    updated: times(3),
    then: { scaleUp: 1, scaleUpLimit: 1, useSurge: 1, useSurgeOld: 1, updateNum: 1 },
  },
  {
    name: 'the update counts when it asks for more surge than the deletion',
    set: { replicas: 4, rollingUpdate: { maxUnavailable: 0, maxSurge: 3 } },
    old: [specified, {}],
    updated: times(2),
    then: { scaleUp: 2, scaleUpLimit: 2, useSurge: 2, updateNum: 2 },
  },
  {
    name: 'one that waits in PreparingUpdate counts as updated in scaling with the gate, and as old in updating',
    set: { replicas: 2, rollingUpdate: { maxUnavailable: 2 } },
    gates: { PreparingUpdateAsUpdate: true },
    old: [preparingUpdate, {}],
    then: { updateNum: 2, updateMaxUnavailable: 2 },
  },
  {
    name: 'the side that has less to do decides how many are updated',
    set: { replicas: 4, rollingUpdate: { partition: 1 } },
    old: times(4),
    updated: times(2),
    then: { scaleDown: 2, scaleDownOld: 3, deleteReadyLimit: 3, updateNum: 1, updateMaxUnavailable: 3 },
  },
  {
    name: 'surge while rolling back, with more missing than to bring back',
    set: { replicas: 4, rollingUpdate: { partition: 4, maxUnavailable: 0, maxSurge: 1 } },
    gates: { CloneSetPartitionRollback: true },
    old: times(1),
    updated: times(2),
    then: { scaleUp: 2, scaleUpOld: 4, scaleUpLimit: 2, useSurge: 1, useSurgeOld: 1, updateNum: -2, updateMaxUnavailable: -1 },
  },
  {
    name: 'no surge when there are too many on both sides',
    set: { replicas: 3, rollingUpdate: { partition: 2, maxUnavailable: 0, maxSurge: 2 } },
    gates: { CloneSetPartitionRollback: true },
    old: times(4),
    updated: times(3),
    then: { scaleDown: 4, scaleDownOld: 2, deleteReadyLimit: 4, updateNum: 2, updateMaxUnavailable: 4 },
  },
  {
    name: 'nothing is rolled back when there is one revision only',
    set: { replicas: 5, rollingUpdate: { partition: 3 } },
    same: true,
    gates: { CloneSetPartitionRollback: true },
    updated: times(5),
    then: {},
  },
  {
    name: 'prepared old Pods count as old ones that are there',
    set: { replicas: 3, rollingUpdate: { partition: 2 } },
    old: [{}, preparingDelete],
    then: { scaleUp: 1, scaleUpLimit: 1 },
  },
  {
    name: 'prepared Pods of both sides use up the scale limit',
    set: { replicas: 5, rollingUpdate: { partition: 3 }, spec: { scaleStrategy: { maxUnavailable: 3 } } },
    old: [preparingDelete],
    updated: [preparingDelete],
    then: { scaleUp: 3, scaleUpOld: 2, scaleUpLimit: 1 },
  },
  {
    name: 'no room is lost to a negative limit',
    set: { replicas: 3, rollingUpdate: { maxUnavailable: 0 } },
    same: true,
    updated: [unready, unready, specified],
    then: {},
  },
  {
    name: 'a marked Pod of the update revision whose replacement exists does not take the place of an old Pod',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 2 } },
    old: times(1),
    updated: [...times(4), specified],
    then: { deleteReadyLimit: 3, updateNum: 1, updateMaxUnavailable: 3 },
  },
  {
    name: 'of several marked Pods, as many as there are replacements count on no side',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 2 } },
    old: times(2),
    updated: [...times(2), specified, specified],
    then: { deleteReadyLimit: 3, updateNum: 2, updateMaxUnavailable: 3 },
  },
  {
    name: 'a marked Pod of the update revision without a replacement is one of the updated Pods',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 2, partition: 1 } },
    old: times(1),
    updated: [...times(3), specified],
    then: { deleteReadyLimit: 2 },
  },
  {
    name: 'marked Pods of current revisions that have replacements keep no other Pod behind the partition',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 2, partition: 1 } },
    old: [{}, specified],
    updated: [...times(3), specified],
    then: { deleteReadyLimit: 3 },
  },
  {
    name: 'a marked Pod of the current revision whose replacement exists does not take the place of a Pod that is rolled back',
    set: { replicas: 5, rollingUpdate: { maxUnavailable: 2, partition: 5 } },
    gates: { CloneSetPartitionRollback: true },
    old: [...times(4), specified],
    updated: times(1),
    then: { deleteReadyLimit: 3, updateNum: -1, updateMaxUnavailable: 3 },
  },
];

describe('rollout numbers', () => {
  it.each([...vectors, ...more])('$name', ({ set, old = [], updated = [], same = false, gates = {}, context = {}, then }) => {
    const cloneSet = aCloneSet(set);
    const [r1, r2] = [aRevision(cloneSet, 'app:1', 1), aRevision(cloneSet, 'app:2', 2)];
    const pods: Pod[] = [
      ...old.map((shape) => aMember(cloneSet, r1, shape)),
      ...updated.map((shape) => aMember(cloneSet, same ? r1 : r2, shape)),
    ];
    const revisions = { updateRevision: (same ? r1 : r2).metadata.name, currentRevision: r1.metadata.name };
    const now = { ...aContext(gates), ...context };
    const {
      updateNum: _num,
      updateMaxUnavailable: _limit,
      ...scaling
    } = rolloutNumbers(cloneSet, pods, revisions, { ...now, purpose: 'Scale' });
    const { updateNum, updateMaxUnavailable } = rolloutNumbers(cloneSet, pods, revisions, { ...now, purpose: 'Update' });
    expect({ ...scaling, updateNum, updateMaxUnavailable }).toEqual({ ...none, ...then });
  });
});
