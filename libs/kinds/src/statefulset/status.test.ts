/** The status beside its counters. @see spec/statefulset.md 3, 5.8 */
import { describe, expect, it } from '@jest/globals';
import type { StatefulSetStatus } from '@kruise/api';
import { instant } from '@kruise/objects';
import { heldStatus, isStatusChanged, withFailures, withoutUpdateRevision } from './status.ts';
import { aStatefulSet } from './testing.ts';

const zeros = { replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };
const status: StatefulSetStatus = { ...zeros, observedGeneration: 1, currentRevision: 'web-a', updateRevision: 'web-a' };
const set = aStatefulSet({ status });
const now = instant(Date.parse('2026-01-02T03:04:05Z'));

describe('the status', () => {
  it('that was never written has every counter', () => {
    expect(heldStatus(aStatefulSet())).toEqual(zeros);
    expect(heldStatus(set)).toEqual(status);
  });

  it('of a pass that could not write its revision counts Pods, and names no revision that is not there', () => {
    const counted = {
      ...status,
      observedGeneration: 2,
      updateRevision: 'web-b',
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      updatedReplicas: 3,
    };
    expect(withoutUpdateRevision(set, counted)).toEqual({ ...status, replicas: 3, readyReplicas: 2, availableReplicas: 1 });
  });

  it('reports what failed, only while it fails', () => {
    const failing = withFailures(status, { scale: { message: 'quota' }, update: { message: 'volumes' } }, now);
    const condition = (type: string, message: string) => ({ type, status: 'True', message, lastTransitionTime: '2026-01-02T03:04:05Z' });
    expect(failing.conditions).toEqual([
      condition('FailedCreatePod', 'StatefulPodControl failed to create Pod error: quota'),
      condition('FailedUpdatePod', 'StatefulPodControl failed to update Pod error: volumes'),
    ]);
    expect(withFailures(failing, { update: { message: 'volumes' } }, now).conditions).toEqual([failing.conditions?.[1]]);
    expect(withFailures(failing, {}, now)).not.toHaveProperty('conditions');
  });

  it('is written when anything of it differs, and not for zeros that are omitted', () => {
    expect(isStatusChanged(set, { ...status })).toBe(false);
    expect(isStatusChanged(set, { ...status, updatedReadyReplicas: 0, updatedAvailableReplicas: 0, collisionCount: 0 })).toBe(false);
    expect(isStatusChanged(set, { ...status, updatedReadyReplicas: 1 })).toBe(true);
    expect(isStatusChanged(set, { ...status, collisionCount: 1 })).toBe(true);
    expect(isStatusChanged(set, { ...status, conditions: [{ type: 'Blocked', status: 'True' }] })).toBe(true);
  });
});
