import { describe, expect, it } from '@jest/globals';
import type { BroadcastJobStatus } from '@kruise/api';
import { instant } from '@kruise/objects';
import { afterActions, ended } from './status.ts';

describe('the Pods that a job says are active', () => {
  const status: BroadcastJobStatus = { phase: 'running', active: 3 };
  const ended: BroadcastJobStatus = { ...status, conditions: [{ type: 'Failed', status: 'True' }] };
  it.each<[string, BroadcastJobStatus, { created: number; removed: number }, number | undefined]>([
    ['are those that were there, with those that were created', status, { created: 2, removed: 0 }, 5],
    ['without those that were deleted', status, { created: 0, removed: 2 }, 1],
    ['none before the first pass', {}, { created: 1, removed: 0 }, 1],
    ['those of the end once the job has ended', ended, { created: 0, removed: 2 }, 3],
  ])('%s', (_name, before, done, active) => {
    expect(afterActions(before, done)).toEqual({ ...before, active });
  });
});

it('a job that is over is blocked by nothing', () => {
  const blocked = { type: 'Blocked', status: 'True', reason: 'QuotaExceeded', message: 'full' } as const;
  const { conditions } = ended({ conditions: [blocked] }, 'Failed', 'too late', instant(0));
  expect(conditions?.map(({ type }) => type)).toEqual(['Failed']);
});
