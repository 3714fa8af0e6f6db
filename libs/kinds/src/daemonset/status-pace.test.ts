import { describe, expect, it } from '@jest/globals';
import type { DaemonSetStatus } from '@kruise/api';
import { pacedStatus } from './status.ts';

const numbers = (desired: number, ready: number, over: Partial<DaemonSetStatus> = {}): DaemonSetStatus => ({
  currentNumberScheduled: desired,
  desiredNumberScheduled: desired,
  numberMisscheduled: 0,
  numberReady: ready,
  numberUnavailable: desired - ready,
  updatedNumberScheduled: desired,
  numberAvailable: ready,
  observedGeneration: 1,
  updateRevision: 'abc',
  ...over,
});

describe('the counters of a DaemonSet', () => {
  it('are those of nodes', () => {
    expect(pacedStatus.withoutNumbers(numbers(3, 1))).toEqual({ observedGeneration: 1, updateRevision: 'abc' });
  });

  it.each<[string, DaemonSetStatus, boolean]>([
    ['settled when every node has an updated and available Pod', numbers(3, 3), true],
    ['not settled while one is not ready', numbers(3, 2), false],
    ['not settled while one is not updated', numbers(3, 3, { updatedNumberScheduled: 2 }), false],
    ['not settled while there is one too many', numbers(3, 3, { numberMisscheduled: 1 }), false],
    ['not settled without a node', numbers(0, 0), false],
  ])('are %s', (_name, status, then) => {
    expect(pacedStatus.isSettled(status)).toBe(then);
  });
});
