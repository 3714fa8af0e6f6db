import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest } from '@kruise/admission';
import { defaultGates, persistentPodStates, persistentPodStateWhiteListKey } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { configMaps, type KubeObject, type OwnerReference } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { podAdmission } from '../../pod-admission/index.ts';
import { persistentPodState } from './index.ts';
import { persistentPodStateNeeds } from './pod-needs.ts';
import { persistentPodStateStep } from './step.ts';
import { aState, names, zone } from './cluster.testing.ts';

const { signal } = new AbortController();
const podStates = { 'db-0': { nodeName: 'n', nodeTopologyLabels: { [zone]: 'z' } } };
const remembering = (name: string, over: Parameters<typeof aState>[0] = {}, metadata: object = {}) => ({
  ...aState(over, { name, ...metadata }),
  status: { observedGeneration: 1, podStates },
});
const ownerOf = (over: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'db',
  uid: 'u',
  controller: true,
  ...over,
});
const gameSet = { apiVersion: 'game.example.com/v1', kind: 'GameSet', name: 'db' };

/** The value of the injected annotation of a Pod of this owner, with these objects there. */
async function injected(
  owner: OwnerReference | undefined,
  states: readonly ReturnType<typeof remembering>[],
  whiteList?: string,
): Promise<string | undefined> {
  const api = new FakeApi();
  const clock = new FakeClock();
  for (const state of states) {
    api.seed(persistentPodStates, state);
    if (state.metadata.finalizers !== undefined) await api.delete(persistentPodStates, { namespace: 'default', name: state.metadata.name });
  }
  const data = { [persistentPodStateWhiteListKey]: whiteList ?? '' };
  api.seed(configMaps, { metadata: { name: 'kruise-configuration', namespace: 'kruise-system' }, data } as KubeObject);
  const informers = new Informers({ client: api, clock, logger: silentLogger() });
  const step = persistentPodStateStep({ caches: new Caches(informers, ''), podNamespace: 'kruise-system' });
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await informers.waitForSync(signal);
  const pod = aPod({ name: 'db-0', node: '', ...(owner === undefined ? {} : { owner }) });
  const result = await step.apply(pod, {} as AdmissionRequest, signal);
  stop.abort();
  await running;
  return result.kind === 'Pod' ? result.pod.metadata.annotations?.[names.injected] : result.message;
}

describe('the step of the Pod webhook', () => {
  it.each<{ name: string; owner: OwnerReference | undefined; states: readonly ReturnType<typeof remembering>[]; then: string | undefined }>(
    [
      { name: 'leaves a Pod without controller alone', owner: undefined, states: [remembering('mine')], then: undefined },
      {
        name: 'uses the one for the controller, in any version',
        owner: ownerOf({ apiVersion: 'apps/v1beta1' }),
        states: [remembering('mine')],
        then: 'mine',
      },
      {
        name: 'uses none for another group',
        owner: ownerOf({ apiVersion: 'apps.kruise.io/v1beta1' }),
        states: [remembering('mine')],
        then: undefined,
      },
      {
        name: 'uses none of another namespace',
        owner: ownerOf(),
        states: [remembering('mine', {}, { namespace: 'other' })],
        then: undefined,
      },
      { name: 'uses the first by name', owner: ownerOf(), states: [remembering('b'), remembering('a')], then: 'a' },
      {
        name: 'uses none that is being deleted',
        owner: ownerOf(),
        states: [remembering('a', {}, { finalizers: ['x'] }), remembering('b')],
        then: 'b',
      },
      {
        name: 'uses none for a kind that is not listed',
        owner: ownerOf(gameSet),
        states: [remembering('mine', { targetRef: gameSet })],
        then: undefined,
      },
    ],
  )('$name', async ({ owner, states, then }) => {
    expect(await injected(owner, states)).toBe(then);
  });

  it('knows kinds of the white list, and with a broken one still its own', async () => {
    const list = JSON.stringify({ workloads: [{ group: 'game.example.com', version: 'v2', kind: 'GameSet' }] });
    expect(await injected(ownerOf(gameSet), [remembering('mine', { targetRef: gameSet })], list)).toBe('mine');
    expect(await injected(ownerOf(), [remembering('mine')], '{')).toBe('mine');
  });
});

describe('what the Pod webhook is asked about', () => {
  const needsOf = (...states: Parameters<typeof persistentPodStateNeeds>[0]) => persistentPodStateNeeds(states);
  const state = (namespace: string, over: object = {}) =>
    aState({ targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', ...over } }, { namespace });

  it('is nothing without any', () => {
    expect(needsOf()).toEqual([]);
  });

  it('is one condition for each kind, with the names and namespaces of its workloads, in whatever order they come', () => {
    const states = [state('b'), state('a', { name: 'web' }), state('a', { apiVersion: 'apps.kruise.io/v1beta1' })];
    const needs = needsOf(...states);
    expect(needs).toEqual(needsOf(...states.toReversed()));
    expect(needs.map(({ condition }) => condition)).toEqual([
      'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && ' +
        'o.kind == "StatefulSet" && o.apiVersion.startsWith("apps.kruise.io/") && o.name in ["db"])',
      'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller && ' +
        'o.kind == "StatefulSet" && o.apiVersion.startsWith("apps/") && o.name in ["db", "web"])',
    ]);
    const inNamespaces = (...values: readonly string[]) => ({
      reason: 'persistentpodstate',
      condition: expect.any(String),
      namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] },
    });
    expect(needs).toEqual([inNamespaces('a'), inNamespaces('a', 'b')]);
  });

  it('is one for a kind of the core group, which has no slash in its version', () => {
    const [need] = needsOf(state('a', { apiVersion: 'v1', kind: 'Game' }));
    expect(need?.condition).toContain('o.kind == "Game" && !o.apiVersion.contains("/") && o.name in ["db"]');
  });

  it('names as many workloads and namespaces as can be distinguished', () => {
    const needs = needsOf(...Array.from({ length: 50 }, (_, index) => state(`ns-${index}`, { name: `db-${index}` })));
    expect(needs[0]?.namespaceSelector?.matchExpressions?.[0]?.values).toHaveLength(50);
    expect(needs[0]?.condition).toContain('"db-49"');
  });

  it('is any name in the namespaces rather than very long', () => {
    const needs = needsOf(...Array.from({ length: 60 }, (_, index) => state(`ns-${index}`, { name: `db-${index}` })));
    expect(needs).toHaveLength(1);
    expect(needs[0]?.namespaceSelector?.matchExpressions?.[0]?.values).toHaveLength(60);
    expect(needs[0]?.condition).toMatch(/o\.apiVersion\.startsWith\("apps\/"\)\)$/);
  });

  it.each([{ kind: 7 }, { kind: '"x' }, { name: 'a"b' }, { name: '' }, { kind: 'x" || true || "' }, { apiVersion: 'a"b/v1' }])(
    'is nothing for what can be no workload: %j',
    (over) => {
      expect(needsOf(state('a', over))).toEqual([]);
    },
  );
});

it('waits for its cache, so that no Pod passes by what is not known yet', async () => {
  const api = new FakeApi();
  api.seed(persistentPodStates, remembering('mine'));
  const informers = new Informers({ client: api, clock: new FakeClock(), logger: silentLogger() });
  const step = persistentPodStateStep({ caches: new Caches(informers, ''), podNamespace: 'kruise-system' });
  const asked = step.apply(aPod({ name: 'db-0', node: '', owner: ownerOf() }), {} as AdmissionRequest, signal);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  expect(await asked).toMatchObject({ kind: 'Pod', pod: { metadata: { annotations: { [names.injected]: 'mine' } } } });
  stop.abort();
  await running;
});

describe('what the step needs', () => {
  it('is known once the cache is there, and follows it', async () => {
    const api = new FakeApi();
    api.seed(persistentPodStates, remembering('mine'));
    const informers = new Informers({ client: api, clock: new FakeClock(), logger: silentLogger() });
    const { name, needs } = persistentPodStateStep({ caches: new Caches(informers, ''), podNamespace: 'kruise-system' });
    const isReady = (): boolean | undefined => needs?.isReady?.();
    const count = (): number | undefined => needs?.current?.().length;
    let changes = 0;
    needs?.watch?.(() => changes++);
    expect([name, isReady(), count()]).toEqual(['persistent-pod-state', false, 0]);
    expect(needs?.trace).toBe(
      'has(object.metadata.annotations) && "kruise.io/injected-persistent-pod-state" in object.metadata.annotations',
    );
    const stop = new AbortController();
    const running = informers.run(stop.signal);
    await informers.waitForSync(signal);
    expect([isReady(), count(), changes > 0]).toEqual([true, 1, true]);
    stop.abort();
    await running;
  });
});

describe('a cluster without the kind', () => {
  it('has no such step, which would wait in vain for its objects', async () => {
    const informers = new Informers({ client: new FakeApi(), clock: new FakeClock(), logger: silentLogger() });
    const dependencies = {
      client: new FakeApi(),
      caches: new Caches(informers, ''),
      gates: defaultGates,
      podNamespace: 'kruise-system',
      allowPrivileged: true,
    };
    const [handler] = podAdmission([persistentPodState], dependencies, (_group, _version, kind) => kind === 'SidecarSet');
    const pod = aPod({ owner: ownerOf() });
    const request = {
      operation: 'CREATE',
      resource: { group: '', version: 'v1', resource: 'pods' },
      object: pod,
    } as unknown as AdmissionRequest;
    expect(await handler?.decide(request, signal)).toEqual({ kind: 'Allowed' });
  });
});
