/** The status of a SidecarSet. @see spec/sidecarset.md 5.5 step 3 */
import { describe, expect, it } from '@jest/globals';
import type { SidecarSetStatus } from '@kruise/api';
import type { Member } from './pods/pod-facts.ts';
import { computeStatus, isStatusChanged } from './status.ts';
import { aSidecarSet } from './testing.ts';

const member = (facts: Partial<Member>): Member => ({ updated: false, consistent: true, ready: true, ...facts }) as Member;

it('counts the Pods that match, are updated, and are ready with what they should run', () => {
  const members = [
    member({}),
    member({ updated: true }),
    member({ updated: true, ready: false }),
    member({ updated: true, consistent: false }),
    member({ ready: false }),
  ];
  expect(computeStatus(aSidecarSet(), members, 'set-1')).toEqual({
    matchedPods: 5,
    updatedPods: 3,
    readyPods: 2,
    updatedReadyPods: 1,
    latestRevision: 'set-1',
    collisionCount: 0,
    observedGeneration: 1,
  });
});

it('keeps the count of collisions, and counts no generation where there is none', () => {
  const sidecarSet = aSidecarSet({ status: { ...computeStatus(aSidecarSet(), [], 'set-1'), collisionCount: 3 } });
  const { generation: _generation, ...metadata } = sidecarSet.metadata;
  expect(computeStatus({ ...sidecarSet, metadata }, [], 'set-2')).toMatchObject({
    latestRevision: 'set-2',
    collisionCount: 3,
    observedGeneration: 0,
  });
});

describe('a status', () => {
  const next = computeStatus(aSidecarSet(), [], 'set-1');
  const { updatedReadyPods: _ready, collisionCount: _collisions, ...short } = next;
  const { observedGeneration: _generation, ...ageless } = next;
  it.each<{ name: string; held: Partial<SidecarSetStatus> | undefined; next?: Partial<SidecarSetStatus>; then: boolean }>([
    { name: 'is written where there is none', held: undefined, then: true },
    { name: 'is not written again', held: next, then: false },
    { name: 'is not written for counters that are absent instead of 0', held: short, then: false },
    { name: 'is written for a counter that is not 0', held: { ...short, collisionCount: 1 }, then: true },
    { name: 'is written when it differs', held: { ...next, matchedPods: 1 }, then: true },
    { name: 'of a newer generation is written', held: { ...next, observedGeneration: 0 }, then: true },
    { name: 'of an older generation is not', held: { ...next, observedGeneration: 2, matchedPods: 1 }, then: false },
    { name: 'takes the place of one without a generation', held: ageless, then: true },
    { name: 'without a generation takes the place of none', held: { ...next, matchedPods: 1 }, next: ageless, then: false },
  ])('$name', ({ held, next: given = next, then }) => {
    const sidecarSet = aSidecarSet(held === undefined ? {} : { status: held as SidecarSetStatus });
    expect(isStatusChanged(sidecarSet, given as SidecarSetStatus)).toBe(then);
  });
});
