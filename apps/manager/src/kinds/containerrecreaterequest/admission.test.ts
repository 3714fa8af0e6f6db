import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { containerRecreateRequestDeclaration, type Gates } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { apiFailures, FakeApi } from '@kruise/kube/testing';
import { nodes, pods, type KubeObject } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { handlerFixture, requestFor } from '../../module/fixtures/handler-fixture.testing.ts';
import { containerRecreateRequestAdmission } from './admission.ts';

const bare = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ContainerRecreateRequest',
  metadata: { name: 'crr', namespace: 'default' },
  spec: { podName: 'web', containers: [{ name: 'main' }] },
};

interface Setup {
  readonly gates?: Partial<Gates>;
  readonly client?: Client;
  readonly version?: 'v1alpha1' | 'v1beta1';
}

function apiWith(shape: PodShape = {}, node = true): FakeApi {
  const api = new FakeApi();
  const { resourceVersion: _, uid: __, ...metadata } = aPod({ name: 'web', ...shape }).metadata;
  api.seed(pods, { ...aPod({ name: 'web', ...shape }), metadata });
  if (node) api.seed(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node1' } });
  return api;
}

async function ask(request: Partial<AdmissionRequest>, { version = 'v1beta1', ...setup }: Setup = {}): Promise<Decision> {
  const { dependencies } = handlerFixture({ client: apiWith(), ...setup });
  const [handler, ...others] = containerRecreateRequestAdmission(dependencies);
  expect([handler?.path, others]).toEqual(['/mutate-apps-kruise-io-containerrecreaterequest', []]);
  const whole = requestFor(containerRecreateRequestDeclaration, version, { name: 'crr', ...request });
  return (await handler?.decide(whole, new AbortController().signal)) as Decision;
}
const create = (spec: object = {}, setup: Setup = {}): Promise<Decision> =>
  ask({ object: { ...bare, spec: { ...bare.spec, ...spec } } as KubeObject }, setup);

describe('a new request', () => {
  it.each(['v1alpha1', 'v1beta1'] as const)('of %s is filled in', async (version) => {
    const client = apiWith();
    const uid = client.peek(pods, { namespace: 'default', name: 'web' })?.metadata.uid;
    expect(await create({}, { client, version })).toEqual({
      kind: 'Changed',
      object: {
        ...bare,
        metadata: {
          ...bare.metadata,
          labels: {
            'crr.apps.kruise.io/active': 'true',
            'crr.apps.kruise.io/node-name': 'node1',
            'crr.apps.kruise.io/pod-uid': uid,
          },
        },
        spec: {
          ...bare.spec,
          strategy: { failurePolicy: 'Fail' },
          containers: [{ name: 'main', statusContext: { containerID: 'containerd://web', restartCount: 0 } }],
        },
      },
    });
  });

  it.each<{ name: string; spec?: object; setup?: () => Setup; code: number; message: string }>([
    {
      name: 'without the agent',
      setup: () => ({ gates: { KruiseDaemon: false } }),
      code: 403,
      message: 'feature-gate KruiseDaemon is not enabled',
    },
    {
      name: 'with a faulty member',
      spec: { activeDeadlineSeconds: 2 },
      code: 400,
      message: 'spec.activeDeadlineSeconds: Invalid value: 2: must be at least 3',
    },
    { name: 'for no Pod', spec: { podName: 'nope' }, code: 400, message: 'no found Pod named nope' },
    {
      name: 'for a Pod that has ended',
      setup: () => ({ client: apiWith({ phase: 'Failed' }) }),
      code: 400,
      message: 'not allowed to recreate containers in an inactive Pod web',
    },
    {
      name: 'for a Pod without a node',
      setup: () => ({ client: apiWith({ node: '' }) }),
      code: 400,
      message: 'not allowed to recreate containers in a pending Pod web',
    },
    { name: 'for a deleted node', setup: () => ({ client: apiWith({}, false) }), code: 400, message: 'no found Node named node1' },
    {
      name: 'for a container that is not there',
      spec: { containers: [{ name: 'nope' }] },
      code: 400,
      message: 'spec.containers[0].name: Invalid value: "nope": container nope not found in Pod',
    },
  ])('$name is refused', async ({ spec, setup, code, message }) => {
    expect(await create(spec, setup?.())).toEqual({ kind: 'Failed', code, message });
  });

  it.each<{ name: string; kind: string }>([
    { name: 'the Pod', kind: 'Pod' },
    { name: 'the Node', kind: 'Node' },
  ])('is not decided when $name cannot be read', async ({ kind }) => {
    const api = apiWith();
    const client = api.connect('webhook', {
      before: ({ type }) => {
        if (type?.kind === kind) throw apiFailures.gone();
      },
    });
    expect(await create({}, { client })).toMatchObject({
      kind: 'Failed',
      code: 500,
      message: expect.stringContaining(`failed to get ${kind}`),
    });
  });
});

describe('a stored request', () => {
  const old = { ...bare, metadata: { ...bare.metadata, labels: { 'crr.apps.kruise.io/pod-uid': 'u' } } } as KubeObject;
  const update = (object: object, setup: Setup = {}): Promise<Decision> =>
    ask({ operation: 'UPDATE', object: object as KubeObject, oldObject: old }, setup);

  it.each<{ name: string; object: object; setup?: Setup; then: Decision }>([
    { name: 'gets finalizers', object: { ...old, metadata: { ...old.metadata, finalizers: ['f'] } }, then: { kind: 'Allowed' } },
    {
      name: 'keeps its spec',
      object: { ...old, spec: { podName: 'other' } },
      then: { kind: 'Failed', code: 403, message: 'spec of ContainerRecreateRequest is immutable' },
    },
    {
      name: 'keeps its Pod',
      object: { ...old, metadata: bare.metadata },
      then: { kind: 'Failed', code: 403, message: 'not allowed to update immutable label crr.apps.kruise.io/pod-uid' },
    },
    {
      name: 'stays as it is without the agent',
      object: old,
      setup: { gates: { KruiseDaemon: false } },
      then: { kind: 'Failed', code: 403, message: 'feature-gate KruiseDaemon is not enabled' },
    },
    {
      name: 'can go without the agent',
      object: { ...old, metadata: { ...old.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [] } },
      setup: { gates: { KruiseDaemon: false } },
      then: { kind: 'Allowed' },
    },
  ])('$name', async ({ object, setup, then }) => {
    expect(await update(object, setup)).toEqual(then);
  });
});
