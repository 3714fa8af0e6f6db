import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { classify } from '@kruise/kinds/broadcastjob';
import { aJob, ending, restarted } from './cluster.testing.ts';

const aPod = (restartPolicy: string, over: Partial<Pod> = {}): Pod => ({
  metadata: { name: 'p' },
  spec: { containers: [], restartPolicy },
  ...over,
});
const started = (init: number, app: number): Pod =>
  ({
    ...aPod('OnFailure'),
    status: { phase: 'Running', initContainerStatuses: [{ restartCount: init }], containerStatuses: [{ restartCount: app }] },
  }) as unknown as Pod;
const going = { metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } };

describe('a Pod of a job', () => {
  it.each<{ name: string; pod: Pod; then: 'active' | 'succeeded' | 'failed' | 'nowhere' }>([
    { name: 'is active before anything is known of it', pod: aPod('OnFailure'), then: 'active' },
    { name: 'is active while it runs', pod: started(0, 0), then: 'active' },
    { name: 'is active at the limit of restarts', pod: started(1, 1), then: 'active' },
    { name: 'has failed above it, over all of its containers', pod: started(2, 1), then: 'failed' },
    { name: 'has failed above it by init containers alone', pod: started(3, 0), then: 'failed' },
    { name: 'may restart as it likes where its policy is not OnFailure', pod: restarted(aPod('Never'), 9), then: 'active' },
    { name: 'has succeeded, however often it was restarted', pod: ending('Succeeded')(started(9, 9)), then: 'succeeded' },
    { name: 'has failed', pod: ending('Failed')(aPod('Never')), then: 'failed' },
    { name: 'has succeeded while it is being deleted', pod: ending('Succeeded')(aPod('Never', going)), then: 'succeeded' },
    { name: 'is counted nowhere while it is being deleted and has not ended', pod: aPod('Never', going), then: 'nowhere' },
  ])('$name', ({ pod, then }) => {
    const { active, succeeded, failed } = classify(aJob({ failurePolicy: { restartLimit: 2 } }), [pod]);
    const found = { active, succeeded, failed, nowhere: [pod] };
    expect(found[then]).toEqual([pod]);
    expect([...active, ...succeeded, ...failed]).toHaveLength(then === 'nowhere' ? 0 : 1);
  });

  it.each<readonly [limit: unknown, failed: number]>([
    [undefined, 1],
    ['5', 1],
    [1, 0],
  ])('that was restarted once, with the limit %j, has failed: %d', (restartLimit, failed) => {
    const job = aJob({ failurePolicy: { restartLimit: restartLimit as number } });
    expect(classify(job, [started(0, 1)]).failed).toHaveLength(failed);
  });
});
