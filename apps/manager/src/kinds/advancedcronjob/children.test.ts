import { describe, expect, it } from '@jest/globals';
import type { AdvancedCronJobSpec, BroadcastJob, ImageListPullJob } from '@kruise/api';
import { childOfBroadcastJob, childOfImageList, childOfJob, childTypeOf, type ChildState } from '@kruise/kinds/advancedcronjob';
import { aCronJob } from './cluster.testing.ts';

const metadata = { name: 'cron-1', namespace: 'default' };
const scheduledAt = (text: unknown) => ({ ...metadata, annotations: { 'apps.kruise.io/scheduled-at': text as string } });
const time = '2026-01-01T00:01:00Z';

describe('a Job or BroadcastJob', () => {
  it.each<[string, readonly { readonly type: string; readonly status: string }[] | undefined, ChildState]>([
    ['is active without conditions', undefined, 'Active'],
    ['is active with conditions that say nothing of an end', [{ type: 'Suspended', status: 'True' }], 'Active'],
    ['is active while its end is denied', [{ type: 'Complete', status: 'False' }], 'Active'],
    ['is complete', [{ type: 'Complete', status: 'True' }], 'Complete'],
    ['has failed', [{ type: 'Failed', status: 'True' }], 'Failed'],
    [
      'ends by the first condition that says so',
      [
        { type: 'Failed', status: 'False' },
        { type: 'Complete', status: 'True' },
        { type: 'Failed', status: 'True' },
      ],
      'Complete',
    ],
  ])('%s', (_name, conditions, state) => {
    const status = conditions === undefined ? {} : { conditions };
    expect(childOfJob({ metadata, status }).state).toBe(state);
    expect(childOfBroadcastJob({ metadata, status } as unknown as BroadcastJob).state).toBe(state);
  });

  it('is active before it has a status, and began when its status says', () => {
    expect(childOfJob({ metadata })).toEqual({ type: expect.anything(), object: { metadata }, state: 'Active' });
    expect(childOfBroadcastJob({ metadata } as BroadcastJob).state).toBe('Active');
    expect(childOfJob({ metadata, status: { startTime: time } }).startTime).toBe(Date.parse(time));
    expect(childOfBroadcastJob({ metadata, status: { startTime: time } } as unknown as BroadcastJob).startTime).toBe(Date.parse(time));
  });
});

describe('an ImageListPullJob', () => {
  it.each<[string, object | undefined, ChildState]>([
    ['is active without a status', undefined, 'Active'],
    ['is active without a time of its end, whatever its numbers', { desired: 2, succeeded: 2 }, 'Active'],
    ['is complete when all images are there', { desired: 2, succeeded: 2, completionTime: time }, 'Complete'],
    ['is complete without an image', { desired: 0, completionTime: time }, 'Complete'],
    ['has failed when one is missing', { desired: 2, succeeded: 1, completionTime: time }, 'Failed'],
    ['has failed when all are missing', { desired: 2, completionTime: time }, 'Failed'],
  ])('%s', (_name, status, state) => {
    expect(childOfImageList({ metadata, ...(status && { status }) } as ImageListPullJob).state).toBe(state);
  });

  it('began when its status says', () => {
    expect(childOfImageList({ metadata, status: { desired: 1, startTime: time } } as unknown as ImageListPullJob).startTime).toBe(
      Date.parse(time),
    );
  });
});

it.each<[unknown, number | undefined]>([
  [time, Date.parse(time)],
  ['2026-01-01T08:01:00+08:00', Date.parse(time)],
  ['soon', undefined],
  ['', undefined],
])('a child that says that it was made for %j', (text, then) => {
  expect(childOfJob({ metadata: scheduledAt(text) }).scheduledAt).toBe(then);
});

it.each<[string, AdvancedCronJobSpec['template'], string]>([
  ['jobTemplate', { jobTemplate: {} }, 'Job'],
  ['imageListPullJobTemplate', { imageListPullJobTemplate: {} }, 'ImageListPullJob'],
  ['broadcastJobTemplate', { broadcastJobTemplate: {} }, 'BroadcastJob'],
  ['jobTemplate before all others', { broadcastJobTemplate: {}, imageListPullJobTemplate: {}, jobTemplate: {} }, 'Job'],
  ['imageListPullJobTemplate before BroadcastJobs', { broadcastJobTemplate: {}, imageListPullJobTemplate: {} }, 'ImageListPullJob'],
  ['none', {}, 'BroadcastJob'],
  ['null for another', { jobTemplate: null, imageListPullJobTemplate: null, broadcastJobTemplate: {} } as never, 'BroadcastJob'],
])('the kind of the jobs follows from the template: %s', (_name, template, kind) => {
  expect(childTypeOf(aCronJob({ template })).kind).toBe(kind);
});
