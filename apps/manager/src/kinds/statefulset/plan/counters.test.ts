/** What the status counts. @see spec/statefulset.md 5.8 */
import { describe, expect, it } from '@jest/globals';
import { all, data, momentOf, planned, rolling, type Situation, statusOf, unready } from './situation.testing.ts';

describe('the counters', () => {
  const counted = (given: Situation): readonly (number | undefined)[] => {
    const { replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, updatedReadyReplicas, updatedAvailableReplicas } =
      statusOf(given);
    return [replicas, readyReplicas, availableReplicas, currentReplicas, updatedReplicas, updatedReadyReplicas, updatedAvailableReplicas];
  };
  it.each<{ name: string; given: Situation; then: readonly number[] }>([
    { name: 'of nothing', given: {}, then: [0, 0, 0, 0, 0, 0, 0] },
    {
      name: 'in the middle of an update',
      given: { revisions: 2, current: 1, pods: { 0: { of: 1 }, 1: { of: 1 }, 2: { of: 2 } } },
      then: [3, 3, 3, 2, 1, 1, 1],
    },
    { name: 'of Pods that go', given: { pods: { 0: {}, 1: { terminating: true } } }, then: [2, 2, 2, 1, 1, 2, 2] },
    { name: 'of Pods that are not ready', given: { pods: { 0: {}, 1: unready } }, then: [2, 1, 1, 2, 2, 1, 1] },
    { name: 'of Pods without a state', given: { pods: { 0: { state: '' } } }, then: [1, 1, 1, 1, 1, 1, 1] },
    { name: 'of Pods that wait for a hook', given: { pods: { 0: {}, 1: { state: 'PreparingUpdate' } } }, then: [2, 2, 1, 2, 2, 2, 1] },
    { name: 'when an update is complete', given: { revisions: 2, current: 1, pods: all(3) }, then: [3, 3, 3, 3, 3, 3, 3] },
  ])('$name', ({ given, then }) => expect(counted(given)).toEqual(then));

  it('keep the current revision while Pods that the partition keeps back are away', () => {
    const given = { revisions: 2, current: 1, set: { replicas: 5, ...rolling({ partition: 3 }) } } as const;
    const { revisions } = momentOf(given);
    expect(statusOf({ ...given, pods: { 3: {}, 4: {} } }).currentRevision).toBe(revisions[0]?.metadata.name);
    expect(statusOf({ ...given, pods: {} }).currentRevision).toBe(revisions[0]?.metadata.name);
  });

  it('keep the current revision until Pods without a slot are deleted', () => {
    const { revisions } = momentOf({ revisions: 2 });
    expect(statusOf({ revisions: 2, current: 1, pods: all(4) }).currentRevision).toBe(revisions[0]?.metadata.name);
    // As many as there are replicas, though none of them stays.
    expect(statusOf({ revisions: 2, current: 1, pods: { 3: {}, 4: {}, 5: {} } }).currentRevision).toBe(revisions[0]?.metadata.name);
  });

  it('move the current revision when an update is complete, and not before', () => {
    const { revisions } = momentOf({ revisions: 2 });
    const names = revisions.map(({ metadata }) => metadata.name);
    expect(statusOf({ revisions: 2, current: 1, pods: all(3) }).currentRevision).toBe(names[1]);
    expect(statusOf({ revisions: 2, current: 1, pods: { ...all(2), 2: unready } }).currentRevision).toBe(names[0]);
    expect(statusOf({ revisions: 2, current: 1, pods: all(3), set: { type: 'OnDelete' } }).currentRevision).toBe(names[0]);
  });

  it('count seconds of readiness, and say when time alone changes them', () => {
    const given = (seconds: number): Situation => ({ set: { ...rolling({ minReadySeconds: seconds }), replicas: 1 }, pods: { 0: {} } });
    expect(counted(given(3600))).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(counted(given(3601))).toEqual([1, 1, 0, 1, 1, 1, 0]);
    expect(planned(given(3601)).waits).toBe(1000);
  });

  it('of claims follow their templates', () => {
    const given = { set: { ...data, replicas: 2 }, pods: all(2), claims: { 0: {}, 1: { asks: '500Mi' } } };
    expect(statusOf(given).volumeClaims).toEqual([{ volumeClaimName: 'data', compatibleReplicas: 1, compatibleReadyReplicas: 1 }]);
  });
});
