/** @see spec/workloadspread.md 3 */
import { expect, it } from '@jest/globals';
import { workloadSpreadEvents, type WorkloadSpreadEvents } from './events.ts';
import { aSpread } from '@kruise/kinds/workloadspread/testing';

it.each<[string, (events: WorkloadSpreadEvents) => void]>([
  [
    'Warning CreatePodFailed: Pod x was assigned to subset a and has not been seen for 30 seconds',
    (events) => events.tell({ kind: 'CreatePodFailed', subset: 'a', pod: 'x' }),
  ],
  [
    'Warning DeletePodFailed: Pod x of subset a was to be deleted and is active after 15 seconds',
    (events) => events.tell({ kind: 'DeletePodFailed', subset: 'a', pod: 'x' }),
  ],
  [
    'Normal RecoverSchedulable: Subset a is recovered from unschedulable to schedulable',
    (events) => events.tell({ kind: 'RecoverSchedulable', subset: 'a' }),
  ],
  [
    'Warning NoSubsetHasRoom: 1 Pod is in no subset: when it was created none had room, or it is where none would be',
    (events) => events.tell({ kind: 'NoSubsetHasRoom', pods: 1 }),
  ],
  [
    'Warning NoSubsetHasRoom: 2 Pods are in no subset: when they were created none had room, or they are where none would be',
    (events) => events.tell({ kind: 'NoSubsetHasRoom', pods: 2 }),
  ],
  ['Warning PatchPodDeletionCostFailed: Pod x could not be patched: no', (events) => events.failedMark(new Error('no'), 'x')],
  [
    'Warning DeletePodFailed: Pod x, which found no node, could not be deleted: no',
    (events) => events.failedReschedule(new Error('no'), 'x'),
  ],
  ['Warning InvalidSpec: spec.subsets: Required value', (events) => events.invalid('spec.subsets: Required value')],
])('%s', (text, record) => {
  const spread = aSpread([]);
  const reported: unknown[] = [];
  record(
    workloadSpreadEvents({ event: (about, type, reason, message) => void reported.push([about, `${type} ${reason}: ${message}`]) }, spread),
  );
  expect(reported).toEqual([[spread, text]]);
});
