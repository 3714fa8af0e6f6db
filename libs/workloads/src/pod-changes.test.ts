import { describe, expect, it } from '@jest/globals';
import type { Pod, PodCondition } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { mayMatter } from './pod-changes.ts';

const state = (more: object = {}): Record<string, string> => ({
  'apps.kruise.io/inplace-update-state': JSON.stringify({
    revision: 'web-2',
    updateTimestamp: '2026-01-01T00:00:00Z',
    lastContainerStatuses: null,
    ...more,
  }),
});
/** Sets the condition InPlaceUpdateReady, after another change of the status. */
const inPlaceReady =
  (status: 'True' | 'False') =>
  (pod: Pod): Pod => {
    const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'InPlaceUpdateReady');
    const condition: PodCondition = { type: 'InPlaceUpdateReady', status };
    return { ...pod, status: { ...pod.status, conditions: [...others, condition] } };
  };
const plain: PodShape = { name: 'web-a', labels: { app: 'web', 'lifecycle.apps.kruise.io/state': 'Normal' } };
const hook = { preNormal: { finalizersHandler: ['example.com/ready'] } };

interface Row {
  readonly name: string;
  readonly before?: PodShape;
  readonly after: (pod: Pod) => Pod;
  readonly isScalingOn?: boolean;
  readonly matters: boolean;
}

describe('an update of a Pod', () => {
  it.each<Row>([
    { name: 'of an annotation', after: (pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: { a: 'b' } } }), matters: false },
    {
      name: 'of a finalizer that no hook names',
      after: (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: ['other'] } }),
      matters: false,
    },
    {
      name: 'of a finalizer that a hook names',
      after: (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: ['example.com/ready'] } }),
      matters: true,
    },
    { name: 'of labels', after: (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: 'other' } } }), matters: true },
    {
      name: 'of the owner',
      after: (pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences: [] } }),
      before: { owner: { apiVersion: 'v', kind: 'k', name: 'n', uid: 'u' } },
      matters: true,
    },
    { name: 'of the spec', after: (pod) => ({ ...pod, metadata: { ...pod.metadata, generation: 2 } }), matters: true },
    { name: 'of the node', before: { node: '' }, after: (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'n1' } }), matters: true },
    { name: 'of readiness', before: { ready: false }, after: () => aPod(plain), matters: true },
    { name: 'that ends it', after: (pod) => ({ ...pod, status: { ...pod.status, phase: 'Failed' } }), matters: true },
    {
      name: 'that contains why it does not start',
      before: { ready: false },
      after: (pod) => ({
        ...pod,
        status: {
          ...pod.status,
          containerStatuses: [
            { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason: 'ImagePullBackOff' } } },
          ],
        },
      }),
      matters: true,
    },
    { name: 'whose update is complete and marked so', before: { annotations: state() }, after: inPlaceReady('True'), matters: false },
    {
      name: 'whose update is complete and not marked so',
      before: { annotations: state() },
      after: inPlaceReady('False'),
      matters: true,
    },
    {
      name: 'whose containers still run the old image',
      before: { annotations: state({ lastContainerStatuses: { gone: { imageID: 'a' } } }) },
      after: inPlaceReady('False'),
      matters: false,
    },
    {
      name: 'whose update is complete, with vertical scaling on',
      before: { annotations: state() },
      after: inPlaceReady('True'),
      isScalingOn: true,
      matters: true,
    },
    {
      name: 'whose update is complete, of a Pod that has no gate and is Normal',
      before: { annotations: state() },
      after: (pod) => ({ ...inPlaceReady('False')(pod), spec: { ...pod.spec, readinessGates: [] } }),
      matters: false,
    },
    {
      name: 'whose update is complete, of a Pod that has no gate and is in the middle of its lifecycle',
      before: { annotations: state(), labels: { app: 'web', 'lifecycle.apps.kruise.io/state': 'Updating' } },
      after: (pod) => ({ ...inPlaceReady('False')(pod), spec: { ...pod.spec, readinessGates: [] } }),
      matters: true,
    },
    {
      name: 'whose update is complete, and that has no condition for it',
      before: { annotations: state() },
      after: (pod) => ({
        ...pod,
        status: { ...pod.status, conditions: (pod.status?.conditions ?? []).filter(({ type }) => type !== 'InPlaceUpdateReady') },
      }),
      matters: true,
    },
    {
      name: 'whose annotation cannot be read',
      before: { annotations: { 'apps.kruise.io/inplace-update-state': '{' } },
      after: inPlaceReady('False'),
      matters: false,
    },
    { name: 'that was never updated in place', after: inPlaceReady('False'), matters: false },
  ])('$name: matters $matters', ({ before = {}, after, isScalingOn = false, matters }) => {
    const old = aPod({ ...plain, ...before });
    expect(mayMatter(old, after(old), { lifecycle: hook, isScalingOn })).toBe(matters);
  });

  const withFinalizer =
    (name: string) =>
    (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, finalizers: [name] } });

  it.each(['preDelete', 'inPlaceUpdate', 'preNormal'])('of any of the finalizers that the hook %s names matters', (name) => {
    const lifecycle = { [name]: { finalizersHandler: ['example.com/a', 'example.com/b'] } };
    const old = aPod(plain);
    const matters = ['example.com/a', 'example.com/b', 'example.com/c'].map((one) =>
      mayMatter(old, withFinalizer(one)(old), { lifecycle, isScalingOn: false }),
    );
    expect(matters).toEqual([true, true, false]);
    expect(mayMatter(withFinalizer('example.com/a')(old), old, { lifecycle, isScalingOn: false })).toBe(true);
  });

  it('of a finalizer does not matter without hooks, or with hooks that name none', () => {
    const old = aPod(plain);
    const lifecycles = [undefined, {}, { preDelete: { labelsHandler: { a: 'b' } } }];
    expect(lifecycles.map((lifecycle) => mayMatter(old, withFinalizer('example.com/a')(old), { lifecycle, isScalingOn: false }))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
