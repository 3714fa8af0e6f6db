/** What the status of a CloneSet says. @see spec/cloneset.md 5.8 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { instant, labelMatcherOf, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { plan } from '../plan.ts';
import { momentOf, type Situation } from '../situation.testing.ts';
import { heldStatus, isStatusChanged, withFailures, withoutUpdateRevision } from './status.ts';
import { aCloneSet } from '../testing.ts';

const now = instant(epoch + 3_600_000);
const rolling = { revisions: 2, current: 1 };

/** The status of the pass, its revisions by number. */
function statusOf(given: Situation): CloneSetStatus {
  const { seen, context, revisions } = momentOf(given);
  const { status } = plan(seen, context);
  const numbered = (name: string | undefined): string => `r${revisions.findIndex(({ metadata }) => metadata.name === name) + 1}`;
  return { ...status, currentRevision: numbered(status.currentRevision), updateRevision: numbered(status.updateRevision) };
}

const counted = (
  replicas: number,
  ready: number,
  available: number,
  updated: number,
  updatedReady: number,
  updatedAvailable: number,
): object => ({
  replicas,
  readyReplicas: ready,
  availableReplicas: available,
  updatedReplicas: updated,
  updatedReadyReplicas: updatedReady,
  updatedAvailableReplicas: updatedAvailable,
});
const withStatus =
  (status: object) =>
  (cloneSet: CloneSet): CloneSet => ({ ...cloneSet, status: { ...cloneSet.status, ...status } as CloneSetStatus });
const outOfService = (pod: Pod): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    conditions: (pod.status?.conditions ?? []).map((one) => (one.type === 'InPlaceUpdateReady' ? { ...one, status: 'False' } : one)),
  },
});

describe('the counters', () => {
  it.each<{ name: string; given: Situation; then: object }>([
    { name: 'are all 0 without Pods', given: { set: { replicas: 3 } }, then: counted(0, 0, 0, 0, 0, 0) },
    {
      name: 'count Pods of either revision',
      given: { ...rolling, pods: { a: { of: 1 }, b: {}, c: { of: 1 } } },
      then: counted(3, 3, 3, 1, 1, 1),
    },
    {
      name: 'distinguish Pods that are not ready from those that are',
      given: { ...rolling, pods: { a: { of: 1, ready: false }, b: { ready: false }, c: {}, d: {} } },
      then: counted(4, 2, 2, 3, 2, 2),
    },
    {
      name: 'take a Pod that waits in its lifecycle for ready, and not for available',
      given: { ...rolling, pods: { a: { state: 'PreparingNormal' }, b: { of: 1, state: 'PreparingUpdate' }, c: { state: '' } } },
      then: counted(3, 3, 1, 2, 2, 1),
    },
    {
      name: 'take a Pod that has been ready for less than minReadySeconds for ready, and not for available',
      given: { set: { spec: { minReadySeconds: 3601 } }, pods: { a: {} } },
      then: counted(1, 1, 0, 1, 1, 0),
    },
    {
      name: 'take a Pod that has been ready for longer for available',
      given: { set: { spec: { minReadySeconds: 3599 } }, pods: { a: {} } },
      then: counted(1, 1, 1, 1, 1, 1),
    },
    {
      name: 'do not take a Pod for ready that is taken out of service for an update, or does not run',
      given: { pods: { a: { with: outOfService }, b: { phase: 'Pending' } } },
      then: counted(2, 0, 0, 2, 0, 0),
    },
    {
      name: 'leave out finished and terminating Pods',
      given: { pods: { a: {}, b: { phase: 'Failed' }, c: { phase: 'Succeeded' }, d: { terminating: true } } },
      then: counted(1, 1, 1, 1, 1, 1),
    },
  ])('$name', ({ given, then }) => {
    expect(statusOf(given)).toMatchObject(then);
  });
});

describe('the current revision', () => {
  it.each<{ name: string; given: Situation; then: string }>([
    {
      name: 'moves on when all Pods are updated, ready or not',
      given: { set: { replicas: 2 }, ...rolling, pods: { a: {}, b: { ready: false } } },
      then: 'r2',
    },
    { name: 'stays while one is not', given: { set: { replicas: 2 }, ...rolling, pods: { a: {}, b: { of: 1 } } }, then: 'r1' },
    { name: 'stays while one is missing', given: { set: { replicas: 2 }, ...rolling, pods: { a: {} } }, then: 'r1' },
    { name: 'stays while there is one too many', given: { set: { replicas: 2 }, ...rolling, pods: { a: {}, b: {}, c: {} } }, then: 'r1' },
    { name: 'stays when one too many is old', given: { set: { replicas: 1 }, ...rolling, pods: { a: {}, b: { of: 1 } } }, then: 'r1' },
    { name: 'moves on when none is wanted and none is there', given: { set: { replicas: 0 }, ...rolling }, then: 'r2' },
  ])('$name', ({ given, then }) => {
    expect(statusOf(given)).toMatchObject({ currentRevision: then, updateRevision: 'r2' });
  });
});

describe('expectedUpdatedReplicas', () => {
  const illegal = { set: { replicas: 4, rollingUpdate: { partition: 'most' } } };
  it.each<{ name: string; given: Situation; then: number }>([
    { name: 'is replicas without a partition', given: { set: { replicas: 4 } }, then: 4 },
    { name: 'is what the partition leaves', given: { set: { replicas: 4, rollingUpdate: { partition: 3 } } }, then: 1 },
    { name: 'is 1 of 4 for 99%', given: { set: { replicas: 4, rollingUpdate: { partition: '99%' } } }, then: 1 },
    { name: 'is replicas without rollingUpdate', given: { set: { replicas: 4, type: 'OnDelete' } }, then: 4 },
    {
      name: 'is 0 as soon as the partition cannot be read',
      given: { ...illegal, as: withStatus({ expectedUpdatedReplicas: 2 }) },
      then: 0,
    },
    { name: 'is 0 when the partition never could be read', given: illegal, then: 0 },
  ])('$name', ({ given, then }) => {
    expect(statusOf(given).expectedUpdatedReplicas).toBe(then);
  });
});

describe('the rest of the status', () => {
  it('names the generation that was seen, the selector in text form and the collisions, and keeps what it does not know', () => {
    const selector = { matchLabels: { app: 'sample' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['web', 'api'] }] };
    const parsed = labelMatcherOf(selector);
    if (parsed.kind !== 'Matcher') throw new Error('the selector is legal');
    const as = (cloneSet: CloneSet): CloneSet =>
      withStatus({ collisionCount: 3, later: 'x' })({ ...cloneSet, metadata: { ...cloneSet.metadata, generation: 7 } });
    const status = statusOf({ set: { replicas: 0 }, as, seen: { selector: parsed.matcher } });
    expect(status).toEqual({
      ...counted(0, 0, 0, 0, 0, 0),
      observedGeneration: 7,
      currentRevision: 'r1',
      updateRevision: 'r1',
      expectedUpdatedReplicas: 0,
      labelSelector: 'app=sample,tier in (api,web)',
      collisionCount: 3,
      later: 'x',
    });
  });

  it('of a CloneSet without any: no generation is 0, no collisions are 0, and there are no conditions', () => {
    const bare = ({ status: _status, ...cloneSet }: CloneSet): CloneSet => {
      const { generation: _generation, ...metadata } = cloneSet.metadata;
      return { ...cloneSet, metadata };
    };
    const status = statusOf({ set: { replicas: 0 }, as: bare });
    expect(status).toMatchObject({ observedGeneration: 0, collisionCount: 0 });
    expect(status).not.toHaveProperty('conditions');
  });

  it('loses the list of conditions with the last of them', () => {
    const as = withStatus({ conditions: [{ type: 'Progressing', status: 'True', reason: 'CloneSetUpdated' }] });
    expect(statusOf({ as })).not.toHaveProperty('conditions');
    const other = { type: 'FailedScale', status: 'True', message: 'no' };
    expect(statusOf({ as: withStatus({ conditions: [other] }) }).conditions).toEqual([other]);
  });
});

describe('a pass that did not get as far as counting', () => {
  const zeros = { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0, updatedReadyReplicas: 0 };

  it('has every counter that is required, and keeps what was there', () => {
    expect(heldStatus(aCloneSet())).toEqual(zeros);
    const held = { ...zeros, replicas: 4, updateRevision: 'sample-x' };
    expect(heldStatus(aCloneSet({ status: held }))).toEqual(held);
  });

  it('counts Pods and names no revision that could not be written', () => {
    const held: CloneSetStatus = { ...zeros, replicas: 9, updatedReplicas: 2, updateRevision: 'sample-x', observedGeneration: 3 };
    const seen: CloneSetStatus = {
      ...zeros,
      replicas: 5,
      readyReplicas: 4,
      availableReplicas: 3,
      updatedReplicas: 1,
      updateRevision: 'sample-y',
      observedGeneration: 4,
    };
    expect(withoutUpdateRevision(aCloneSet({ status: held }), seen)).toEqual({
      ...held,
      replicas: 5,
      readyReplicas: 4,
      availableReplicas: 3,
    });
  });
});

describe('the conditions of failure', () => {
  const zeros = heldStatus(aCloneSet());
  const time = '2026-01-01T01:00:00Z';
  const failed = (type: string, message: string): object => ({ type, status: 'True', message, lastTransitionTime: time });
  const other = { type: 'Other', status: 'True' };

  it.each<{ name: string; held: readonly object[]; failures: Parameters<typeof withFailures>[1]; then: readonly object[] | undefined }>([
    { name: 'nothing failed, and there is nothing to say', held: [], failures: {}, then: undefined },
    { name: 'scaling failed', held: [], failures: { scale: { message: 'no' } }, then: [failed('FailedScale', 'no')] },
    { name: 'updating failed', held: [], failures: { update: { message: 'no' } }, then: [failed('FailedUpdate', 'no')] },
    {
      name: 'both failed',
      held: [other],
      failures: { scale: { message: 'a' }, update: { message: 'b' } },
      then: [other, failed('FailedScale', 'a'), failed('FailedUpdate', 'b')],
    },
    {
      name: 'scaling went well again',
      held: [other, failed('FailedScale', 'no'), failed('FailedUpdate', 'b')],
      failures: { update: { message: 'b' } },
      then: [other, failed('FailedUpdate', 'b')],
    },
    { name: 'all went well again', held: [failed('FailedScale', 'no'), failed('FailedUpdate', 'b')], failures: {}, then: undefined },
    {
      name: 'another message',
      held: [failed('FailedScale', 'a')],
      failures: { scale: { message: 'b' } },
      then: [failed('FailedScale', 'b')],
    },
  ])('$name', ({ held, failures, then }) => {
    const status = { ...zeros, ...(held.length === 0 ? {} : { conditions: held }) } as CloneSetStatus;
    expect(withFailures(status, failures, now)).toEqual({ ...zeros, ...(then === undefined ? {} : { conditions: then }) });
  });
});

describe('the status is written', () => {
  const held: CloneSetStatus = { ...heldStatus(aCloneSet()), replicas: 2 };

  it.each<{ name: string; next: CloneSetStatus; then: boolean }>([
    { name: 'not when nothing changed', next: { ...held }, then: false },
    { name: 'when a counter changed', next: { ...held, replicas: 3 }, then: true },
    { name: 'when a member came', next: { ...held, labelSelector: 'a=b' }, then: true },
    {
      name: 'not for a 0 that is left out',
      next: { ...held, updatedAvailableReplicas: 0, expectedUpdatedReplicas: 0, collisionCount: 0 },
      then: false,
    },
    { name: 'for a first collision', next: { ...held, collisionCount: 1 }, then: true },
    { name: 'when a condition came', next: { ...held, conditions: [{ type: 'FailedScale', status: 'True' }] }, then: true },
  ])('$name', ({ next, then }) => {
    expect(isStatusChanged(aCloneSet({ status: held }), next)).toBe(then);
    expect(isStatusChanged(aCloneSet({ status: next }), held)).toBe(then);
  });

  it('the first time', () => {
    expect(isStatusChanged(aCloneSet(), held)).toBe(true);
  });
});
