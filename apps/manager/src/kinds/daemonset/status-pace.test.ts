import { describe, expect, it } from '@jest/globals';
import type { DaemonSet, DaemonSetStatus } from '@kruise/api';
import { instant, type Instant } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { StatusPace } from '../../workloads/status-pace.ts';
import { pacedStatus } from './status.ts';
import { aDaemonSet } from './testing.ts';

const numbers = (desired: number, ready: number, over: Partial<DaemonSetStatus> = {}): DaemonSetStatus => ({
  currentNumberScheduled: desired,
  desiredNumberScheduled: desired,
  numberMisscheduled: 0,
  numberReady: ready,
  updatedNumberScheduled: desired,
  numberAvailable: ready,
  observedGeneration: 1,
  updateRevision: 'abc',
  ...over,
});
const held = (desired: number): DaemonSet => aDaemonSet({ status: numbers(desired, 0) });
const after = (ms: number): Instant => instant(epoch + ms);

/** The waits of writes that differ from what is held, at these times in milliseconds. */
function waits(desired: number, writes: readonly (readonly [at: number, over?: Partial<DaemonSetStatus>])[]): readonly number[] {
  const pace = new StatusPace(pacedStatus);
  return writes.map(([at, over]) => pace.wait(held(desired), numbers(desired, 1, over), after(at)));
}

describe('the numbers of a DaemonSet', () => {
  it.each<{ name: string; desired: number; writes: Parameters<typeof waits>[1]; then: readonly number[] }>([
    { name: 'are written at once the first time', desired: 1000, writes: [[0]], then: [0] },
    {
      name: 'wait half a second after the last write where there are many nodes',
      desired: 1000,
      writes: [[0], [100], [499]],
      then: [0, 400, 1],
    },
    { name: 'are written when that is over, and begin it anew', desired: 1000, writes: [[0], [500], [600]], then: [0, 0, 400] },
    { name: 'wait a millisecond for each node where there are fewer', desired: 100, writes: [[0], [40], [100]], then: [0, 60, 0] },
    { name: 'do not wait where there is no node', desired: 0, writes: [[0], [0]], then: [0, 0] },
    { name: 'do not wait when the spec was observed', desired: 1000, writes: [[0], [1, { observedGeneration: 2 }]], then: [0, 0] },
    { name: 'do not wait when the revision is another', desired: 1000, writes: [[0], [1, { updateRevision: 'def' }]], then: [0, 0] },
    {
      name: 'do not wait when something blocks',
      desired: 1000,
      writes: [[0], [1, { conditions: [{ type: 'Blocked', status: 'True' }] }]],
      then: [0, 0],
    },
    { name: 'do not wait longer when the clock is set back', desired: 1000, writes: [[60_000], [0]], then: [0, 0] },
  ])('$name', ({ desired, writes, then }) => {
    expect(waits(desired, writes)).toEqual(then);
  });

  it('of a DaemonSet that is gone are forgotten', () => {
    const pace = new StatusPace(pacedStatus);
    pace.wait(held(1000), numbers(1000, 1), after(0));
    pace.forget('set-uid');
    expect(pace.wait(held(1000), numbers(1000, 1), after(1))).toBe(0);
  });
});
