import { describe, expect, it } from '@jest/globals';
import { kstatusOf, type Kstatus } from './kstatus.ts';

const condition = (type: string, status: string): object => ({ type, status, reason: 'Why', message: '' });

describe('kstatus', () => {
  it.each<{ name: string; metadata?: object; status?: unknown; then: Kstatus }>([
    { name: 'without a status is current', metadata: { generation: 1 }, then: 'Current' },
    {
      name: 'of an older observed generation is in progress',
      metadata: { generation: 2 },
      status: { observedGeneration: 1 },
      then: 'InProgress',
    },
    { name: 'of its observed generation is current', metadata: { generation: 2 }, status: { observedGeneration: 2 }, then: 'Current' },
    { name: 'without a generation is current', status: { observedGeneration: 1 }, then: 'Current' },
    { name: 'that reconciles is in progress', status: { conditions: [condition('Reconciling', 'True')] }, then: 'InProgress' },
    { name: 'that is stalled has failed', status: { conditions: [condition('Stalled', 'True')] }, then: 'Failed' },
    { name: 'with conditions that are false is current', status: { conditions: [condition('Stalled', 'False')] }, then: 'Current' },
    { name: 'with other conditions is current', status: { conditions: [condition('Blocked', 'True')] }, then: 'Current' },
    { name: 'that is ready is current', status: { conditions: [condition('Ready', 'True')] }, then: 'Current' },
    { name: 'that is not ready is in progress', status: { conditions: [condition('Ready', 'False')] }, then: 'InProgress' },
    {
      name: 'with both conditions has the verdict of the first',
      status: { conditions: [condition('Stalled', 'True'), condition('Reconciling', 'True')] },
      then: 'Failed',
    },
    {
      name: 'that is stalled in an older generation is in progress',
      metadata: { generation: 2 },
      status: { observedGeneration: 1, conditions: [condition('Stalled', 'True')] },
      then: 'InProgress',
    },
    {
      name: 'that is being deleted is terminating',
      metadata: { generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z' },
      status: { observedGeneration: 1 },
      then: 'Terminating',
    },
  ])('an object $name', ({ metadata = {}, status, then }) => {
    expect(kstatusOf({ metadata, status })).toBe(then);
  });

  it.each<[string, unknown]>([
    ['status is not an object', 'done'],
    ['observedGeneration is not a number', { observedGeneration: '1' }],
    ['status.conditions is not a list', { conditions: {} }],
    ['status is not a string', { conditions: [{ type: 'Stalled', status: true }] }],
  ])('reports the error that %s', (message, status) => {
    expect(() => kstatusOf({ metadata: { generation: 1 }, status })).toThrow(message);
  });
});
