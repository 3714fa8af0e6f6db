/** The condition Progressing: the first case that holds. @see spec/cloneset.md 5.8 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { formatTime, instant } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { planProgressing, type Conditions } from './progressing.ts';
import { aCloneSet, type CloneSetShape } from '../testing.ts';

const now = instant(epoch + 3_600_000);
const nowText = formatTime(now);
const ago = (seconds: number): string => formatTime(instant(now - seconds * 1000));

const done: CloneSetStatus = {
  replicas: 5,
  readyReplicas: 5,
  availableReplicas: 5,
  updatedReplicas: 5,
  updatedReadyReplicas: 5,
  updatedAvailableReplicas: 5,
  expectedUpdatedReplicas: 5,
  currentRevision: 'sample-1',
  updateRevision: 'sample-1',
};
const underway: CloneSetStatus = {
  ...done,
  updatedReplicas: 2,
  updatedReadyReplicas: 2,
  updatedAvailableReplicas: 2,
  updateRevision: 'sample-2',
};
const condition = (reason: string, seconds: number, more: object = {}): Conditions[number] => ({
  type: 'Progressing',
  status: reason === 'ProgressDeadlineExceeded' ? 'False' : 'True',
  reason,
  message: 'before',
  lastUpdateTime: ago(seconds),
  lastTransitionTime: ago(seconds + 100),
  ...more,
});

interface Given {
  readonly set?: CloneSetShape;
  readonly deadline?: number | undefined;
  readonly status: CloneSetStatus;
  readonly held?: Conditions;
  /** What the last pass saw as the update revision; that of `status` unless said otherwise. */
  readonly before?: string | undefined;
}

function progress(given: Given): ReturnType<typeof planProgressing> {
  const { set = {}, status, held, deadline = 60 } = given;
  const before = 'before' in given ? given.before : status.updateRevision;
  const cloneSet: CloneSet = aCloneSet({
    ...set,
    spec: { ...set.spec, ...('deadline' in given && given.deadline === undefined ? {} : { progressDeadlineSeconds: deadline }) },
    status: { ...status, ...(before === undefined ? {} : { updateRevision: before }) },
  });
  if (before === undefined) delete (cloneSet.status as { updateRevision?: string }).updateRevision;
  return planProgressing(cloneSet, { ...status, ...(held === undefined ? {} : { conditions: held }) }, now);
}

const words = ({ conditions }: ReturnType<typeof planProgressing>): readonly string[] =>
  conditions.map(({ type, status, reason = '', message = '' }) => `${type} ${status} ${reason}: ${message}`);

const available = 'Progressing True CloneSetAvailable: CloneSet is available';
const paused = 'Progressing True CloneSetPaused: CloneSet is paused';
const partitioned = 'Progressing True ProgressPartitionAvailable: CloneSet has been paused due to partition ready';
const progressing = 'Progressing True CloneSetUpdated: CloneSet is progressing';
const exceeded = 'Progressing False ProgressDeadlineExceeded: CloneSet revision sample-2 has timed out progressing';
const kept = (reason: string, status = 'True'): string => `Progressing ${status} ${reason}: before`;

describe('the case that holds', () => {
  it.each<{ name: string; given: Given; then: readonly string[] }>([
    { name: 'no condition without a deadline', given: { deadline: undefined, status: underway }, then: [] },
    { name: 'no condition with the deadline that means none', given: { deadline: 2147483647, status: underway }, then: [] },
    {
      name: 'a condition from before the deadline was taken away is removed, others stay',
      given: { deadline: undefined, status: underway, held: [condition('CloneSetUpdated', 1), { type: 'Other', status: 'True' }] },
      then: ['Other True : '],
    },
    { name: 'available when all Pods are there, updated and available', given: { status: done }, then: [available] },
    { name: 'not available while the revisions differ', given: { status: { ...done, currentRevision: 'sample-0' } }, then: [progressing] },
    { name: 'not available while a Pod is missing', given: { status: { ...done, replicas: 4 } }, then: [progressing] },
    { name: 'not available while there is one too many', given: { status: { ...done, replicas: 6 } }, then: [progressing] },
    { name: 'not available while a Pod is old', given: { status: { ...done, updatedReplicas: 4 } }, then: [progressing] },
    { name: 'not available while an updated Pod is not', given: { status: { ...done, updatedAvailableReplicas: 4 } }, then: [progressing] },
    { name: 'available although paused', given: { set: { rollingUpdate: { paused: true } }, status: done }, then: [available] },
    { name: 'paused', given: { set: { rollingUpdate: { paused: true } }, status: underway }, then: [paused] },
    {
      name: 'paused although the partition is reached',
      given: { set: { rollingUpdate: { paused: true } }, status: { ...underway, expectedUpdatedReplicas: 2 } },
      then: [paused],
    },
    {
      name: 'at the partition when the updated Pods are available',
      given: { status: { ...underway, expectedUpdatedReplicas: 2 } },
      then: [partitioned],
    },
    {
      name: 'at the partition when more than wanted are available',
      given: { status: { ...underway, expectedUpdatedReplicas: 1 } },
      then: [partitioned],
    },
    {
      name: 'not at the partition while one is not available',
      given: { status: { ...underway, expectedUpdatedReplicas: 3 } },
      then: [progressing],
    },
    {
      name: 'not at a partition when all will be updated',
      given: { status: { ...done, updateRevision: 'sample-2', expectedUpdatedReplicas: 5 } },
      then: [progressing],
    },
    {
      name: 'at the partition when none will be updated and nothing was counted',
      given: {
        status: {
          replicas: 5,
          readyReplicas: 5,
          availableReplicas: 5,
          updatedReplicas: 0,
          updatedReadyReplicas: 0,
          updateRevision: 'sample-2',
        },
      },
      then: [partitioned],
    },
    { name: 'progressing at first', given: { status: underway }, then: [progressing] },
    {
      name: 'progressing until the deadline, in the words of before',
      given: { status: underway, held: [condition('CloneSetUpdated', 60)] },
      then: [kept('CloneSetUpdated')],
    },
    { name: 'exceeded after the deadline', given: { status: underway, held: [condition('CloneSetUpdated', 61)] }, then: [exceeded] },
    {
      name: 'exceeded although Pods become ready for the same revision',
      given: { status: { ...underway, updatedAvailableReplicas: 4 }, held: [condition('ProgressDeadlineExceeded', 1)] },
      then: [kept('ProgressDeadlineExceeded', 'False')],
    },
    {
      name: 'no longer exceeded when available',
      given: { status: done, held: [condition('ProgressDeadlineExceeded', 1)] },
      then: [available],
    },
    {
      name: 'no longer exceeded when paused',
      given: { set: { rollingUpdate: { paused: true } }, status: underway, held: [condition('ProgressDeadlineExceeded', 1)] },
      then: [paused],
    },
    {
      name: 'no longer exceeded with a new revision',
      given: { status: underway, before: 'sample-1', held: [condition('ProgressDeadlineExceeded', 1)] },
      then: [progressing],
    },
    {
      name: 'not exceeded by a new revision, however long the one before took',
      given: { status: underway, before: 'sample-1', held: [condition('CloneSetUpdated', 500)] },
      then: [progressing],
    },
    ...['CloneSetAvailable', 'CloneSetPaused', 'ProgressPartitionAvailable'].map((reason) => ({
      name: `not exceeded at the start of a rollout after a long time of ${reason}`,
      given: { status: underway, held: [condition(reason, 5000)] },
      then: [progressing],
    })),
    {
      name: 'counted from the transition where no update time is known',
      given: { status: underway, held: [condition('CloneSetUpdated', 0, { lastUpdateTime: undefined, lastTransitionTime: ago(61) })] },
      then: [exceeded],
    },
    {
      name: 'progressing without any time to count from',
      given: { status: underway, held: [condition('CloneSetUpdated', 0, { lastUpdateTime: undefined, lastTransitionTime: undefined })] },
      then: [kept('CloneSetUpdated')],
    },
  ])('$name', ({ given, then }) => {
    expect(words(progress(given))).toEqual(then);
  });
});

describe('the times of the condition', () => {
  it('are now for a first one', () => {
    expect(progress({ status: underway }).conditions).toEqual([
      {
        type: 'Progressing',
        status: 'True',
        reason: 'CloneSetUpdated',
        message: 'CloneSet is progressing',
        lastUpdateTime: nowText,
        lastTransitionTime: nowText,
      },
    ]);
  });

  it('stay with an equal status and reason', () => {
    const held = condition('CloneSetUpdated', 30);
    expect(progress({ status: underway, held: [held] }).conditions).toEqual([held]);
  });

  it('restart for a new revision although status and reason are equal', () => {
    const [next] = progress({ status: underway, before: 'sample-1', held: [condition('CloneSetUpdated', 30)] }).conditions;
    expect(next).toMatchObject({ lastUpdateTime: nowText, lastTransitionTime: nowText });
  });

  it('stay where the revision that was seen before is not known', () => {
    const held = condition('CloneSetUpdated', 30);
    expect(progress({ status: underway, before: undefined, held: [held] }).conditions).toEqual([held]);
  });

  it('are now in the first pass of all, which knows of no status', () => {
    const cloneSet = aCloneSet({ spec: { progressDeadlineSeconds: 60 } });
    expect(planProgressing(cloneSet, underway, now)).toEqual({
      conditions: [expect.objectContaining({ reason: 'CloneSetUpdated', lastUpdateTime: nowText })],
      requeueAfter: 61_000,
    });
    expect(progress({ status: underway, before: 'sample-1' }).conditions).toMatchObject([
      { reason: 'CloneSetUpdated', lastUpdateTime: nowText },
    ]);
  });

  it('move with the reason, the transition only with the status; and a changed condition moves to the end', () => {
    const other = { type: 'Other', status: 'True' as const };
    expect(progress({ status: done, held: [condition('CloneSetUpdated', 30), other] }).conditions).toMatchObject([
      other,
      { reason: 'CloneSetAvailable', lastUpdateTime: nowText, lastTransitionTime: ago(130) },
    ]);
    expect(progress({ status: underway, held: [condition('CloneSetUpdated', 70)] }).conditions).toMatchObject([
      { status: 'False', lastUpdateTime: nowText, lastTransitionTime: nowText },
    ]);
  });

  it('keep their transition when another revision comes while at rest', () => {
    const [next] = progress({ status: underway, before: 'sample-1', held: [condition('CloneSetAvailable', 30)] }).conditions;
    expect(next).toMatchObject({ reason: 'CloneSetUpdated', lastUpdateTime: nowText, lastTransitionTime: ago(130) });
  });
});

describe('the requeue time', () => {
  it.each<{ name: string; given: Given; then: number | undefined }>([
    { name: 'a second after the deadline of a first condition', given: { status: underway }, then: 61_000 },
    {
      name: 'a second after what is left of the deadline',
      given: { status: underway, held: [condition('CloneSetUpdated', 20)] },
      then: 41_000,
    },
    { name: 'in a second at the deadline', given: { status: underway, held: [condition('CloneSetUpdated', 60)] }, then: 1000 },
    { name: 'never once it is exceeded', given: { status: underway, held: [condition('CloneSetUpdated', 61)] }, then: undefined },
    {
      name: 'never without a time to count from',
      given: { status: underway, held: [condition('CloneSetUpdated', 0, { lastUpdateTime: undefined, lastTransitionTime: undefined })] },
      then: undefined,
    },
    { name: 'never at rest', given: { status: done, held: [condition('CloneSetUpdated', 20)] }, then: undefined },
    { name: 'never while paused', given: { set: { rollingUpdate: { paused: true } }, status: underway }, then: undefined },
    { name: 'never without a deadline', given: { deadline: undefined, status: underway }, then: undefined },
  ])('$name', ({ given, then }) => {
    expect(progress(given).requeueAfter).toBe(then);
  });
});
