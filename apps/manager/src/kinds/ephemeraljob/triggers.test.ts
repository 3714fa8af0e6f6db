import { describe, expect, it } from '@jest/globals';
import type { EphemeralJob } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { aJob, aTarget, reported, timeAt } from '@kruise/kinds/ephemeraljob/testing';
import { jobsOfPod, requestsForJob } from './triggers.ts';

const key = { namespace: 'default', name: 'job' };

describe('a job is enqueued', () => {
  const job = aJob();
  const generation2: EphemeralJob = { ...job, metadata: { ...job.metadata, generation: 2 } };
  const running = aJob({ status: { phase: 'Running', running: 1 } });
  const over = aJob({ status: { phase: 'Succeeded', completionTime: timeAt(1) } });
  it('when it is new, and not when it is deleted', () => {
    expect(requestsForJob({ kind: 'Added', object: job, initial: false })).toEqual([key]);
    expect(requestsForJob({ kind: 'Deleted', object: job })).toEqual([]);
    expect(requestsForJob({ kind: 'Deleted', object: aJob({ terminating: true }) })).toEqual([]);
  });

  it.each<{ name: string; previous: EphemeralJob; object: EphemeralJob; then: boolean }>([
    { name: 'when its spec changes', previous: job, object: generation2, then: true },
    { name: 'when it is being deleted', previous: job, object: aJob({ terminating: true }), then: true },
    { name: 'when it ends', previous: running, object: over, then: true },
    { name: 'when it ends with its first status', previous: job, object: over, then: true },
    { name: 'when its end is taken back, status and all', previous: over, object: job, then: true },
    { name: 'not by its progress', previous: job, object: running, then: false },
    { name: 'not by what is no part of it', previous: over, object: { ...over }, then: false },
  ])('$name', ({ previous, object, then }) => {
    expect(requestsForJob({ kind: 'Updated', previous, object })).toEqual(then ? [key] : []);
  });
});

describe('a Pod enqueues the jobs that select it', () => {
  const jobs = [
    aJob({ name: 'web' }),
    aJob({ name: 'db', spec: { selector: { matchLabels: { app: 'db' } } } }),
    { ...aJob({ name: 'elsewhere' }), metadata: { name: 'elsewhere', namespace: 'other' } },
  ];
  const store = {
    size: jobs.length,
    list: ({ namespace }: { namespace?: string }) =>
      jobs.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
  } as unknown as Parameters<typeof jobsOfPod>[1];
  const enqueued = (event: Parameters<typeof jobsOfPod>[0]): readonly string[] => jobsOfPod(event, store).map(({ name }) => name);
  const pod = aTarget('web');
  const withStatus = (status: NonNullable<Pod['status']>): Pod => ({ ...pod, status });
  const { status: _status, ...unseen } = pod;
  const running = withStatus({ ...pod.status, ephemeralContainerStatuses: reported(['debug'], 'running') });

  it('when it is created and when it is deleted', () => {
    expect(enqueued({ kind: 'Added', object: pod, initial: false })).toEqual(['web']);
    expect(enqueued({ kind: 'Deleted', object: pod })).toEqual(['web']);
  });

  it.each<{ name: string; previous: Pod; object: Pod; then: readonly string[] }>([
    { name: 'when the status of an ephemeral container changes', previous: pod, object: running, then: ['web'] },
    { name: 'when that is its first status', previous: unseen, object: running, then: ['web'] },
    { name: 'when it has no status any more', previous: running, object: unseen, then: ['web'] },
    { name: 'when it finishes', previous: pod, object: withStatus({ ...pod.status, phase: 'Succeeded' }), then: ['web'] },
    {
      name: 'as well as those that selected it before its labels changed',
      previous: pod,
      object: { ...pod, metadata: { ...pod.metadata, labels: { app: 'db' } } },
      then: ['web', 'db'],
    },
    { name: 'not when something else changes', previous: pod, object: withStatus({ ...pod.status, podIP: '10.0.0.1' }), then: [] },
    { name: 'not when an equal status is written again', previous: running, object: structuredCloneOf(running), then: [] },
  ])('$name', ({ previous, object, then }) => {
    expect(enqueued({ kind: 'Updated', previous, object })).toStrictEqual(then);
  });
});

/** The same words in other objects, but for the labels, of which stores share one object. */
function structuredCloneOf(pod: Pod): Pod {
  return { ...structuredClone(pod), metadata: pod.metadata };
}
