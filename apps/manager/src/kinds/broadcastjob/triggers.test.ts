import { describe, expect, it } from '@jest/globals';
import { broadcastJobs, type BroadcastJob } from '@kruise/api';
import type { Request } from '@kruise/kube';
import { storeOf } from '@kruise/kube/testing';
import type { Node, Pod } from '@kruise/objects';
import { keysForJob, requestsForNode, requestsForPod } from './triggers.ts';
import { aJob, aNode } from './cluster.testing.ts';

const named = (name: string, over: Partial<BroadcastJob> = {}, nodeSelector: Record<string, string> = {}): BroadcastJob => {
  const job = aJob({}, { name, uid: name });
  const { template } = job.spec;
  return { ...job, spec: { ...job.spec, template: { ...template, spec: { ...template.spec, nodeSelector } as never } }, ...over };
};
const over: Partial<BroadcastJob> = {
  status: { completionTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Complete', status: 'True' }] },
};
const jobs = storeOf(broadcastJobs, [named('any'), named('gpu', {}, { gpu: 'yes' }), named('over', over)]);
const namesOf = (requests: readonly Request[]): readonly string[] =>
  requests.map((request) => ('key' in request ? request.key : request).name).toSorted();

describe('a change of a node', () => {
  const plain = aNode('n1');
  const gpu = aNode('n1', { labels: { gpu: 'yes' } });
  const closed = aNode('n1', { labels: { gpu: 'yes' }, spec: { unschedulable: true } });
  const updated = (previous: Node, object: Node) => namesOf(requestsForNode({ kind: 'Updated', previous, object }, jobs));

  it('enqueues those for which it is another node then', () => {
    expect(updated(plain, gpu)).toEqual(['gpu']);
    expect(updated(gpu, closed)).toEqual(['any', 'gpu']);
    expect(updated(plain, { ...plain, metadata: { ...plain.metadata, resourceVersion: '2' } })).toEqual([]);
    expect(updated(closed, { ...closed, spec: { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] } })).toEqual([]);
  });

  it('enqueues every active job when a closed node is deleted, because its Pod may have ended there', () => {
    expect(namesOf(requestsForNode({ kind: 'Deleted', object: closed }, jobs))).toEqual(['any', 'gpu']);
  });

  it('that comes enqueues those that it is for, and one that is deleted all, as its labels may have changed after a Pod had ended there', () => {
    expect(namesOf(requestsForNode({ kind: 'Added', object: gpu, initial: false }, jobs))).toEqual(['any', 'gpu']);
    expect(namesOf(requestsForNode({ kind: 'Added', object: closed, initial: false }, jobs))).toEqual([]);
    expect(namesOf(requestsForNode({ kind: 'Deleted', object: plain }, jobs))).toEqual(['any', 'gpu']);
  });

  it('asks no job that came past admission', () => {
    const malformed = storeOf(broadcastJobs, [named('broken', { spec: { template: {} } })]);
    expect(requestsForNode({ kind: 'Added', object: gpu, initial: false }, malformed)).toEqual([]);
  });
});

describe('a change of a Pod', () => {
  const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'BroadcastJob', name: 'any', uid: 'any', controller: true }];
  const pod: Pod = {
    metadata: { name: 'p', namespace: 'default', ownerReferences },
    spec: { containers: [] },
    status: { phase: 'Pending' },
  };
  const updated = (object: Pod) => namesOf(requestsForPod({ kind: 'Updated', previous: pod, object }, jobs));

  it('enqueues its job, of any version', () => {
    expect(namesOf(requestsForPod({ kind: 'Added', object: pod, initial: false }, jobs))).toEqual(['any']);
    expect(namesOf(requestsForPod({ kind: 'Deleted', object: pod }, jobs))).toEqual(['any']);
    expect(updated({ ...pod, status: { phase: 'Running' } })).toEqual(['any']);
    expect(updated({ ...pod, spec: { ...pod.spec, nodeName: 'n1' } })).toEqual(['any']);
    expect(updated({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toEqual(['any']);
    expect(updated({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } })).toEqual(['any']);
  });

  it('that no rule reads enqueues none', () => {
    expect(updated({ ...pod, status: { phase: 'Pending', podIP: '10.0.0.1' } })).toEqual([]);
    expect(namesOf(requestsForPod({ kind: 'Added', object: { ...pod, metadata: { name: 'q' } }, initial: false }, jobs))).toEqual([]);
  });
});

describe('a change of a job', () => {
  const job = aJob();
  const updated = (object: BroadcastJob, previous = job) => keysForJob({ kind: 'Updated', previous, object }).length;
  const started: BroadcastJob = { ...job, status: { phase: 'running', active: 1 } };
  it('enqueues it, but for its own progress', () => {
    expect(keysForJob({ kind: 'Added', object: job, initial: false })).toHaveLength(1);
    expect(keysForJob({ kind: 'Deleted', object: job })).toEqual([]);
    expect(updated({ ...started, status: { phase: 'running', active: 2 } }, started)).toBe(0);
    expect(updated({ ...started, metadata: { ...job.metadata, generation: 2 } }, started)).toBe(1);
    expect(updated({ ...started, status: { phase: 'completed', completionTime: '2026-01-01T00:00:00Z' } }, started)).toBe(1);
    expect(updated({ ...started, metadata: { ...job.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, started)).toBe(1);
  });
});
