/** Jobs of another implementation, as they were recorded, are taken over as they are; and what ours says of the same Pods is the same. */
import { describe, expect, it } from '@jest/globals';
import type { BroadcastJob } from '@kruise/api';
import { byName, controllerOf, instant, parseTime, type Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { recordedObjects, recordedStages } from '@kruise/testing';
import { noneRefused } from '@kruise/workloads';
import { plan } from '@kruise/kinds/broadcastjob';
import { aNode } from './cluster.testing.ts';

describe.each(recordedStages)('%s', (stage) => {
  const [job] = recordedObjects<BroadcastJob>(stage, 'broadcastjobs.v1beta1') as readonly [BroadcastJob];
  const pods = recordedObjects<Pod>(stage, 'pods')
    .filter((pod) => controllerOf(pod)?.uid === job.metadata.uid)
    .toSorted(byName);
  const nodes = pods.map((pod) => aNode(nodeOf(pod) ?? '')).toSorted(byName);
  const ended = instant(parseTime(job.status?.completionTime) ?? 0);
  const planned = (seen: BroadcastJob) =>
    plan({ job: seen, pods, nodes, takenNames: new Set(), refused: noneRefused }, { now: ended, placedByScheduler: true });

  it('a job that is over is left alone', () => {
    expect(pods).toHaveLength(3);
    expect(planned(job)).toEqual({ status: job.status, remove: [], create: [], notes: [], notesAfter: [] });
  });

  it('a job that was about to end gets the same end', () => {
    const { conditions: _conditions, completionTime: _end, ...before } = job.status ?? {};
    const next = planned({ ...job, status: { ...before, phase: 'running' } });
    expect([next.status, next.remove, next.create]).toEqual([job.status, [], []]);
  });
});
