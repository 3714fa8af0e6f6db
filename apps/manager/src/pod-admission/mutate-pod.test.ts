import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, sidecarSets, type Gates, type SidecarSet } from '@kruise/api';
import { ApiError, Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { createJsonPatch, deepFreeze, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { podAdmission } from './index.ts';
import { mutatePod } from './mutate-pod.ts';
import type { PodStep } from '../module/pod-step.ts';
import { modules } from '../kinds/index.ts';
import { Caches } from '../caches/caches.ts';

const { signal } = new AbortController();

const creationOf = (object: unknown, over: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  uid: 'request',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  operation: 'CREATE',
  namespace: 'default',
  userInfo: {},
  object: object as Pod,
  ...over,
});

const labelling = (name: string): PodStep => ({
  name,
  apply: (pod) => ({
    kind: 'Pod',
    pod: {
      ...pod,
      metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, seen: `${pod.metadata.labels?.['seen'] ?? ''}${name}` } },
    },
  }),
});
const idle: PodStep = { name: 'idle', apply: (pod) => ({ kind: 'Pod', pod }) };
const failing = (error: Error): PodStep => ({ name: 'failing', apply: () => Promise.reject(error) });

const decide = async (steps: readonly PodStep[], request: AdmissionRequest): Promise<Decision> => mutatePod(steps).decide(request, signal);

/** The patch that the API server would receive. */
const patchOf = (decision: Decision, request: AdmissionRequest): unknown =>
  decision.kind === 'Changed' ? createJsonPatch(request.object, decision.object) : decision;

describe('the Pod webhook', () => {
  it('leads the Pod through the steps in their order', async () => {
    const request = creationOf(deepFreeze(aPod()));
    const decision = await decide([labelling('a'), idle, labelling('b'), labelling('c')], request);
    expect(patchOf(decision, request)).toEqual([{ op: 'add', path: '/metadata/labels/seen', value: 'abc' }]);
  });

  it('answers a plain "allowed" when no step changes anything', async () => {
    expect(await decide([idle, idle], creationOf(aPod()))).toEqual({ kind: 'Allowed' });
  });

  it.each(['', undefined])('gives steps the namespace of the request but leaves it out of the answer (namespace %p)', async (namespace) => {
    const { metadata, ...rest } = aPod();
    const { namespace: _namespace, ...named } = metadata;
    const request = creationOf({ ...rest, metadata: namespace === undefined ? named : { ...named, namespace } }, { namespace: 'shop' });
    const copying: PodStep = {
      name: 'copying',
      apply: (pod) => ({ kind: 'Pod', pod: { ...pod, metadata: { ...pod.metadata, annotations: { in: pod.metadata.namespace ?? '' } } } }),
    };
    expect(await decide([idle], request)).toEqual({ kind: 'Allowed' });
    expect(patchOf(await decide([copying], request), request)).toEqual([
      { op: 'add', path: '/metadata/annotations', value: { in: 'shop' } },
    ]);
  });

  it.each<{ name: string; request: AdmissionRequest; then: object }>([
    { name: 'an update is none of its business', request: creationOf(aPod(), { operation: 'UPDATE' }), then: { kind: 'Allowed' } },
    { name: 'an eviction is no Pod', request: creationOf({ metadata: {} }, { subResource: 'eviction' }), then: { kind: 'Allowed' } },
    { name: 'a body without a Pod', request: creationOf(null), then: { kind: 'Failed', code: 400 } },
    { name: 'a Pod without spec', request: creationOf({ metadata: { name: 'x' } }), then: { kind: 'Failed', code: 400 } },
    {
      name: 'an unknown version',
      request: creationOf(aPod(), { resource: { group: '', version: 'v2', resource: 'pods' } }),
      then: { kind: 'Failed', code: 400, message: 'unsupported version: v2' },
    },
  ])('$name', async ({ request, then }) => {
    expect(await decide([labelling('a')], request)).toMatchObject(then);
  });

  it('refuses the Pod with code 500 when a step refuses it, without asking later steps', async () => {
    const refusing: PodStep = { name: 'refusing', apply: () => ({ kind: 'Refused', message: 'priority "x" is no integer' }) };
    const decision = await decide([refusing, failing(new Error('never reached'))], creationOf(aPod()));
    expect(decision).toEqual({ kind: 'Failed', code: 500, message: 'priority "x" is no integer' });
  });

  it('refuses it with the code that the step names', async () => {
    const refusing: PodStep = { name: 'refusing', apply: () => ({ kind: 'Refused', code: 400, message: 'no integer' }) };
    expect(await decide([refusing], creationOf(aPod()))).toEqual({ kind: 'Failed', code: 400, message: 'no integer' });
  });

  it('refuses the Pod with code 500 when a step could not read what it needs', async () => {
    const decision = await decide([failing(new ApiError('no answer', { kind: 'Unreachable', cause: undefined }))], creationOf(aPod()));
    expect(decision).toEqual({ kind: 'Failed', code: 500, message: 'failing: no answer' });
  });

  it('leaves a fault of the program to the server, which counts it', async () => {
    await expect(decide([failing(new TypeError('broken'))], creationOf(aPod()))).rejects.toThrow('broken');
  });
});

describe('all steps together', () => {
  const everyGate: Gates = { ...defaultGates, EnhancedLivenessProbe: true, EnablePodProbeMarkerOnServerless: true };
  const set = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name: 's' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      containers: [{ name: 'mesh', image: 'm:1', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      initContainers: [{ name: 'prepare', image: 'p:1' }],
      volumes: [{ name: 'v', emptyDir: {} }],
      patchPodMetadata: [{ annotations: { a: 'b' }, patchPolicy: 'Overwrite' }],
    },
  } as unknown as SidecarSet;
  const ordered = { name: 'second', image: 'x', env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }] };
  const main = { name: 'main', image: 'x', livenessProbe: { exec: { command: ['true'] } } };
  const controller = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'c', uid: 'u', controller: true };

  it.each<{ name: string; metadata: object; containers?: readonly object[] }>([
    { name: 'a workload of ours', metadata: { ownerReferences: [controller] } },
    { name: 'sidecars', metadata: { labels: { app: 'web' } } },
    { name: 'an order among containers', metadata: { generateName: 'p-' }, containers: [main, ordered] },
    {
      name: 'all of them',
      metadata: {
        generateName: 'p-',
        ownerReferences: [controller],
        labels: { app: 'web' },
        annotations: { 'apps.kruise.io/using-enhanced-liveness': 'true' },
      },
      containers: [main, ordered],
    },
  ])('leave a Pod with $name as it is when it comes once more', async ({ metadata, containers = [main] }) => {
    const client = new FakeApi();
    const clock = new FakeClock();
    const informers = new Informers({ client, clock, logger: silentLogger() });
    const stop = new AbortController();
    await client.create(sidecarSets, set);
    const dependencies = {
      client,
      caches: new Caches(informers, ''),
      gates: everyGate,
      podNamespace: 'kruise-system',
      allowPrivileged: true,
    };
    const [handler] = podAdmission(modules, dependencies, () => true);
    const running = informers.run(stop.signal);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', ...metadata }, spec: { containers } };
    const first = await handler!.decide(creationOf(deepFreeze(pod)), signal);
    if (first.kind !== 'Changed') throw new Error(first.kind);
    const again = creationOf(deepFreeze(first.object), { uid: 'another' });
    const second = await handler!.decide(again, signal);
    expect(second.kind === 'Changed' ? createJsonPatch(again.object, second.object) : second).toEqual(
      second.kind === 'Changed' ? [] : { kind: 'Allowed' },
    );
    stop.abort();
    await running;
  });

  it('declare the traces that they leave', () => {
    const client = new FakeApi();
    const informers = new Informers({ client, clock: new FakeClock(), logger: silentLogger() });
    const [handler] = podAdmission(
      modules,
      { client, caches: new Caches(informers, ''), gates: defaultGates, podNamespace: 'kruise-system', allowPrivileged: true },
      () => true,
    );
    const { answered = '' } = handler?.needs?.[0]?.current() ?? {};
    expect(
      ['KruisePodReady', 'kruise.io/sidecarset-hash', 'KRUISE_CONTAINER_BARRIER'].filter((trace) => !answered.includes(trace)),
    ).toEqual([]);
  });
});

describe('the registration of /mutate-pod', () => {
  const only = (kind: string) => (group: string, version: string, asked: string) => `${group}/${version}/${asked}` === kind;
  it.each<{ name: string; podWebhook: boolean; installed: string; paths: readonly string[] }>([
    { name: 'with gate and SidecarSet', podWebhook: true, installed: 'apps.kruise.io/v1alpha1/SidecarSet', paths: ['/mutate-pod'] },
    { name: 'not without the gate', podWebhook: false, installed: 'apps.kruise.io/v1alpha1/SidecarSet', paths: [] },
    { name: 'not without SidecarSet in v1alpha1', podWebhook: true, installed: 'apps.kruise.io/v1beta1/SidecarSet', paths: [] },
  ])('$name', ({ podWebhook, installed, paths }) => {
    const client = new FakeApi();
    const informers = new Informers({ client, clock: new FakeClock(), logger: silentLogger() });
    const dependencies = {
      client,
      caches: new Caches(informers, ''),
      gates: { ...defaultGates, PodWebhook: podWebhook },
      podNamespace: 'kruise-system',
      allowPrivileged: true,
    };
    const handlers = podAdmission(modules, dependencies, only(installed));
    expect(handlers.map(({ path }) => path)).toEqual(paths);
  });
});
