/** A WorkloadSpread of another implementation, as it was recorded with its Pods, is taken over as it is: no Pod is marked, no number is written. */
import { expect, it } from '@jest/globals';
import type { WorkloadSpread } from '@kruise/api';
import { instant, semanticEqual, type Pod } from '@kruise/objects';
import { recordedObjects, recordedStages, type RecordedStage } from '@kruise/testing';
import { plan, type Snapshot } from '@kruise/kinds/workloadspread';

const now = instant(Date.parse('2026-11-22T00:00:00Z'));
const versioned: ReadonlySet<string> = new Set(['deployment', 'replicaset']);
const templateHash = 'pod-template-hash';

function snapshotOf(stage: RecordedStage): Snapshot {
  const [spread] = recordedObjects<WorkloadSpread>(stage, 'workloadspreads.v1beta1');
  if (spread === undefined) throw new Error('nothing was recorded');
  const pods = recordedObjects<Pod>(stage, 'pods').filter(({ metadata }) => metadata.labels?.['app'] === 'spread');
  const workloadVersion = pods[0]?.metadata.labels?.[templateHash] ?? '';
  return { spread, pods, total: pods.length, workloadVersion, nodeOf: () => undefined };
}

it.each(recordedStages)('is left alone, with the same numbers (%s)', (stage) => {
  const seen = snapshotOf(stage);
  expect(seen.pods).toHaveLength(3);
  const { status, ...actions } = plan(seen, { now, versioned });
  expect(actions).toEqual({ marks: [], reschedule: [], notes: [] });
  expect(semanticEqual(status, seen.spread.status)).toBe(true);
});

it('one Pod more is one more in its subset, and costs what the others there do', () => {
  const seen = snapshotOf('3-updated');
  const [one, rest] = seen.pods;
  if (one === undefined || rest === undefined) throw new Error('nothing was recorded');
  const { [templateHash]: hash } = rest.metadata.labels ?? {};
  const annotations = { 'apps.kruise.io/matched-workloadspread': '{"name":"ws","subset":"rest"}' };
  const more = { ...rest, metadata: { ...rest.metadata, name: `spread-${hash}-more`, uid: 'more', annotations } } as Pod;
  const { marks, status } = plan({ ...seen, pods: [...seen.pods, more], total: 4 }, { now, versioned });
  expect(status.subsetStatuses).toMatchObject([
    { name: 'one', replicas: 1 },
    { name: 'rest', replicas: 3 },
  ]);
  expect(marks.map(({ pod }) => pod.metadata.name)).toEqual([more.metadata.name]);
});
