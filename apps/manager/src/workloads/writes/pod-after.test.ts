/** Predictions and simulations of rollouts do not write: what they make of an action is compared with what its writes leave at the API server. */
import { describe, expect, it } from '@jest/globals';
import { keyOf, pods, type Pod } from '@kruise/objects';
import { planRefresh, statefulSetRevisions, type UpdateSpec } from '@kruise/pods';
import { podAfter, type PodAction } from '@kruise/workloads';
import { newClock, newFakeApi } from '../../module/controller-process.testing.ts';
import { writePodAction } from './pod-action-writes.ts';

const because = 'a test';
const ready = { type: 'InPlaceUpdateReady', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;
const plain: Pod = {
  metadata: { name: 'web-1', namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'app:1', resources: { limits: { cpu: '1' } } }] },
  status: {
    phase: 'Running',
    containerStatuses: [{ name: 'main', image: 'app:1', imageID: 'sha256:1', ready: true, restartCount: 0, state: { running: {} } }],
  },
};
const serving: Pod = {
  ...plain,
  spec: { ...plain.spec, readinessGates: [{ conditionType: 'InPlaceUpdateReady' }, { conditionType: 'KruisePodReady' }] },
  status: { ...plain.status, conditions: [ready] },
};
const newImage = { revision: 'web-2', containerImages: { main: 'app:2' } } as unknown as UpdateSpec;
const preparing = { metadata: { labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' }, annotations: { since: 'now' } } };
const key = { userAgent: 'Lifecycle', key: 'preDeleteHook' };

/** What a Pod consists of, without what the API server counts. */
const contents = ({ metadata, spec, status }: Pod): object => {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return { labels, annotations, ownerReferences, spec, conditions: status?.conditions ?? [] };
};

interface Case {
  readonly name: string;
  readonly pod: Pod;
  readonly action: (pod: Pod) => PodAction;
  readonly statesOfDeletionOnly?: boolean;
}

const writing = { adapter: statefulSetRevisions, resources: 'BySubresource' } as const;

const cases: readonly Case[] = [
  { name: 'a label', pod: plain, action: (pod) => ({ kind: 'LabelPod', pod, labels: { app: 'web', extra: 'yes' }, because }) },
  {
    name: 'a release',
    pod: { ...plain, metadata: { ...plain.metadata, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' }] } },
    action: (pod) => ({ kind: 'ReleasePod', pod, ownerReferences: [], because }),
  },
  {
    name: 'a lifecycle state without a key',
    pod: plain,
    action: (pod) => ({ kind: 'SetLifecycle', pod, transition: { to: 'PreparingDelete', patch: preparing, because }, because }),
  },
  {
    name: 'a lifecycle state that takes the Pod out of service',
    pod: serving,
    action: (pod) => ({
      kind: 'SetLifecycle',
      pod,
      transition: { to: 'PreparingDelete', patch: preparing, readiness: { kind: 'AddKey', key }, because },
      because,
    }),
  },
  { name: 'a new image', pod: serving, action: (pod) => ({ kind: 'UpdatePodInPlace', pod, spec: newImage, because }) },
  {
    name: 'a new image without a lifecycle state',
    pod: serving,
    action: (pod) => ({ kind: 'UpdatePodInPlace', pod, spec: newImage, because }),
    statesOfDeletionOnly: true,
  },
  {
    name: 'a new image of a Pod without the readiness gate',
    pod: plain,
    action: (pod) => ({ kind: 'UpdatePodInPlace', pod, spec: newImage, because }),
  },
  {
    name: 'other amounts',
    pod: plain,
    action: (pod) => ({ kind: 'ResizePod', pod, revision: 'web-1', resources: { main: { limits: { cpu: '2' } } }, because }),
  },
];

describe('the Pod after', () => {
  it.each(cases)('$name is the one that the writes leave', async ({ pod, action, statesOfDeletionOnly = false }) => {
    const clock = newClock();
    const api = newFakeApi(clock);
    const seen = api.seed(pods, pod);
    const events = { updatedInPlace: () => undefined, failedUpdateInPlace: () => undefined };
    const writer = { client: api.connect('manager'), clock, events, statesOfDeletionOnly, ...writing };
    const expected = podAfter(seen, action(seen), { ...writing, statesOfUpdates: !statesOfDeletionOnly }, clock.now());
    await writePodAction(action(seen), writer, new AbortController().signal);
    expect(contents(api.peek(pods, keyOf(pod)) as Pod)).toEqual(contents(expected));
    expect(contents(expected)).not.toEqual(contents(seen));
  });

  it('a completed update is the one that the writes leave, with the lifecycle state alongside', async () => {
    const clock = newClock();
    const api = newFakeApi(clock);
    const seen = api.seed(pods, { ...serving, status: { ...serving.status, conditions: [] } });
    const step = planRefresh(seen, { ...writing, now: clock.now() });
    if (step.kind !== 'SetReady') throw new Error(`the step is ${step.kind}`);
    const action: PodAction = { kind: 'RefreshPod', pod: seen, step, alongside: preparing.metadata, because };
    const writer = { client: api.connect('manager'), clock, events: {} as never, ...writing };
    await writePodAction(action, writer, new AbortController().signal);
    const expected = podAfter(seen, action, { ...writing, statesOfUpdates: true }, clock.now());
    expect(contents(api.peek(pods, keyOf(seen)) as Pod)).toEqual(contents(expected));
    expect(expected.metadata.labels).toMatchObject(preparing.metadata.labels);
  });
});
