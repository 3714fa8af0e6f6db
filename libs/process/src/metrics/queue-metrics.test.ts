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
