/** The objects that changes of Pods and SidecarSets enqueue. @see spec/sidecarset.md 5.5 */
import { describe, expect, it } from '@jest/globals';
import { sidecarSetAnnotations, type SidecarSet } from '@kruise/api';
import type { Request, StoreEvent, StoreReader } from '@kruise/kube';
import type { Pod } from '@kruise/objects';
import { requestsOfPod, requestsOfSidecarSet } from './pod-watch.ts';
import { aHotSidecar, anInjectedPod, aSidecar, aSidecarSet, changed } from '@kruise/kinds/sidecarset/testing';

const rolling = aSidecarSet({ name: 'rolling', containers: [aSidecar('a', 'a:1')] });
const still = aSidecarSet({ name: 'still', containers: [aSidecar('b', 'b:1')], strategy: { type: 'NotUpdate' } });
const turned = aSidecarSet({ name: 'turned', containers: [aHotSidecar('c', 'c:1')] });
const formerly = aSidecarSet({ name: 'turned', containers: [aSidecar('c', 'c:1')] });

const store = (sets: readonly SidecarSet[]): StoreReader<SidecarSet> =>
  ({
    get: ({ name }: { readonly name: string }) => sets.find(({ metadata }) => metadata.name === name),
  }) as unknown as StoreReader<SidecarSet>;

const enqueued = (event: StoreEvent<Pod>, sets = [rolling, still, turned]): readonly string[] =>
  requestsOfPod(event, store(sets)).map((request: Request) =>
    'key' in request ? `${request.key.name} after ${request.after} ms` : request.name,
  );

const pod = anInjectedPod([rolling, still, formerly], { name: 'a' });
const withStatus = (status: Pod['status']): Pod => ({ ...pod, status: { ...pod.status, ...status } });

describe('a Pod', () => {
  it('that is new enqueues the SidecarSets that were injected, as far as they are there and fit', () => {
    const all = ['rolling after 100 ms', 'still after 100 ms'];
    expect(enqueued({ kind: 'Added', object: pod, initial: false })).toEqual(all);
    expect(enqueued({ kind: 'Added', object: pod, initial: false }, [still])).toEqual(['still after 100 ms']);
    expect(enqueued({ kind: 'Deleted', object: pod })).toEqual(all);
  });

  it('that changes enqueues those that only inject much later', () => {
    const notReady = withStatus({ conditions: [{ type: 'Ready', status: 'False' }] });
    expect(enqueued({ kind: 'Updated', object: notReady, previous: pod })).toEqual(['rolling after 100 ms', 'still after 60000 ms']);
  });

  it('whose condition SidecarSetUpgradable changes is looked at, as the news of a write may be late', () => {
    const ready = pod.status?.conditions ?? [];
    const refused = withStatus({ conditions: [...ready, { type: 'SidecarSetUpgradable', status: 'False', message: '{"rolling":false}' }] });
    expect(enqueued({ kind: 'Updated', object: refused, previous: pod }, [rolling])).toEqual(['rolling after 100 ms']);
    expect(enqueued({ kind: 'Updated', object: refused, previous: refused }, [rolling])).toEqual([]);
  });

  it('that changes enqueues those that it had before, and those that it has only now', () => {
    const { containers } = pod.spec;
    const bare: Pod = { ...pod, spec: { ...pod.spec, containers: containers.filter(({ name }) => name !== 'a') } };
    const listing = (names: string): Pod => ({
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [sidecarSetAnnotations.injectedList]: names } },
    });
    expect(enqueued({ kind: 'Updated', object: bare, previous: pod }, [rolling])).toHaveLength(1);
    expect(enqueued({ kind: 'Updated', object: pod, previous: bare }, [rolling])).toHaveLength(1);
    expect(enqueued({ kind: 'Updated', object: bare, previous: { ...bare, status: {} } }, [rolling])).toEqual([]);
    expect(enqueued({ kind: 'Updated', object: listing('still'), previous: listing('rolling') })).toEqual([
      'still after 60000 ms',
      'rolling after 100 ms',
    ]);
  });

  it('that no kubelet has seen yet is processed when its kubelet sees it', () => {
    const { status: _status, ...unseen } = pod;
    const labelled = { ...unseen, metadata: { ...unseen.metadata, uid: 'other' } };
    expect(enqueued({ kind: 'Updated', object: pod, previous: unseen }, [rolling])).toHaveLength(1);
    expect(enqueued({ kind: 'Updated', object: unseen, previous: pod }, [rolling])).toHaveLength(1);
    expect(enqueued({ kind: 'Updated', object: labelled, previous: unseen }, [rolling])).toEqual([]);
  });

  it.each<[string, Pod, boolean]>([
    [
      'the time of a condition',
      withStatus({ conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2027-01-01T00:00:00Z' }] }),
      false,
    ],
    ['an address', withStatus({ podIP: '10.0.0.1' }), false],
    ['a label', { ...pod, metadata: { ...pod.metadata, labels: { app: 'other' } } }, true],
    ['an annotation', { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, x: 'y' } } }, true],
    ['the begin of its end', { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, true],
    ['its phase', withStatus({ phase: 'Failed' }), true],
    ['a container', withStatus({ containerStatuses: pod.status?.containerStatuses?.slice(1) ?? [] }), true],
    ['an image', { ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map((each) => ({ ...each, image: 'z' })) } }, true],
  ])('is looked at when it changes %s: %#', (_what, object, isRelevant) => {
    expect(enqueued({ kind: 'Updated', object, previous: pod }).length > 0).toBe(isRelevant);
  });
});

describe('a SidecarSet', () => {
  it('is looked at when a user changed it, not for its status', () => {
    const next = changed(rolling, { containers: [aSidecar('a', 'a:2')] });
    const counted: SidecarSet = { ...rolling, status: { matchedPods: 1, updatedPods: 1, readyPods: 1 } };
    expect(requestsOfSidecarSet({ kind: 'Added', object: rolling, initial: true })).toHaveLength(1);
    expect(requestsOfSidecarSet({ kind: 'Updated', object: next, previous: rolling })).toEqual([{ namespace: '', name: 'rolling' }]);
    expect(requestsOfSidecarSet({ kind: 'Updated', object: counted, previous: rolling })).toEqual([]);
  });

  it.each([
    { name: 'begins to go', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
    { name: 'was recreated under its name', metadata: { uid: 'another' } },
  ])('is looked at when it $name', ({ metadata }) => {
    const object = { ...rolling, metadata: { ...rolling.metadata, ...metadata } };
    expect(requestsOfSidecarSet({ kind: 'Updated', object, previous: rolling })).toHaveLength(1);
  });
});
