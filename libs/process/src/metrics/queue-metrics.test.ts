import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createQueueMetrics, createUnfinishedWorkMetrics } from './queue-metrics.ts';

describe('metrics of queues', () => {
  it('name the queue, and the controller too on request', async () => {
    const registry = new Registry();
    const queue = createQueueMetrics(registry, ['name', 'controller'])('cloneset-controller');
    queue.depth(3);
    queue.added();
    queue.retried();
    queue.queueSeconds(0.5);
    queue.workSeconds(2);
    const text = await registry.metrics();
    const labels = 'name="cloneset-controller",controller="cloneset-controller"';
    expect(text).toContain(`workqueue_depth{${labels}} 3`);
    expect(text).toContain(`workqueue_adds_total{${labels}} 1`);
    expect(text).toContain(`workqueue_retries_total{${labels}} 1`);
    expect(text).toContain(`workqueue_queue_duration_seconds_bucket{le="1",${labels}} 1`);
    expect(text).toContain(`workqueue_work_duration_seconds_sum{${labels}} 2`);
  });

  it('name only the queue unless the controller is requested', async () => {
    const registry = new Registry();
    createQueueMetrics(registry)('imagepuller').added();
    expect(await registry.metrics()).toContain('workqueue_adds_total{name="imagepuller"} 1');
  });

  it.each(['workqueue_queue_duration_seconds', 'workqueue_work_duration_seconds'])('have the buckets of client-go in %s', async (name) => {
    const registry = new Registry();
    const queue = createQueueMetrics(registry)('q');
    for (const seconds of [5e-9, 1001]) {
      queue.queueSeconds(seconds);
      queue.workSeconds(seconds);
    }
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}_bucket`));
    const counts = lines.map((line) => /le="([^"]+)".* (\d+)$/.exec(line)?.slice(1).map(Number));
    expect(counts).toEqual([...Array.from({ length: 12 }, (_, power) => [Number(`1e${power - 8}`), 1]), [NaN, 2]]);
  });

  it('show the work of the queues that exist when they are collected', async () => {
    const registry = new Registry();
    const queues = new Map([['a', { unfinishedWork: () => ({ totalSeconds: 5, longestSeconds: 4 }) }]]);
    createUnfinishedWorkMetrics(registry, queues);
    const text = await registry.metrics();
    expect(text).toContain('workqueue_unfinished_work_seconds{name="a"} 5');
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="a"} 4');
    queues.clear();
    expect(await registry.metrics()).not.toContain('name="a"');
  });
});
