/** A PodUnavailableBudget of another implementation, as it was recorded with its Pods, is taken over as it is. */
import { expect, it } from '@jest/globals';
import { defaultGates, type PodUnavailableBudget } from '@kruise/api';
import { instant, milliseconds, type Pod } from '@kruise/objects';
import { recordedObjects, recordedStages, type RecordedStage } from '@kruise/testing';
import { availability, planAnnotations, planStatus, type Snapshot, relatedPubOf, isSameStatus } from '@kruise/kinds/podunavailablebudget';

const now = instant(Date.parse('2026-11-22T00:00:00Z'));

function recorded(stage: RecordedStage): { readonly budget: PodUnavailableBudget; readonly seen: Snapshot } {
  const [budget] = recordedObjects<PodUnavailableBudget>(stage, 'pub');
  if (budget === undefined) throw new Error('nothing was recorded');
  const pods = recordedObjects<Pod>(stage, 'pods').filter(({ metadata }) => metadata.labels?.['app'] === 'web');
  const seen: Snapshot = {
    pods: new Map(pods.map((pod) => [pod.metadata.name, pod])),
    workloads: [{ replicas: 3, pods: pods.length }],
    totalOverride: undefined,
    isWatched: true,
    isProtected: (pod) => relatedPubOf(pod) === budget.metadata.name,
  };
  return { budget, seen };
}

const signsAt = (ageMs: number) => ({
  ageOf: () => milliseconds(ageMs),
  isBehind: () => false,
  live: new Map<string, Pod>(),
  isAvailable: availability(defaultGates),
});

it.each(recordedStages)('no Pod is written, and the numbers are the same while what was admitted may still come (%s)', (stage) => {
  const { budget, seen } = recorded(stage);
  expect(seen.pods.size).toBe(3);
  expect(planAnnotations(seen)).toEqual([]);
  const { status, events } = planStatus(budget, seen, signsAt(0), now);
  expect(events).toEqual([]);
  expect(isSameStatus(budget.status, status)).toBe(true);
});

it('a record of a finished update is removed after its time, and the Pod that is available again counts', () => {
  const { budget, seen } = recorded('3-updated');
  const signs = { ...signsAt(60_000), live: seen.pods };
  const { status } = planStatus(budget, seen, signs, now);
  expect(budget.status?.unavailablePods).toHaveProperty('web-hrkxr');
  expect(status).toMatchObject({ totalReplicas: 3, desiredAvailable: 2, currentAvailable: 3, unavailableAllowed: 1 });
  expect(status.unavailablePods ?? {}).toEqual({});
});
