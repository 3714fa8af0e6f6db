/** What each kind that is not ours may still have. @see spec/deletion-protection.md 2, 4, 6 */
import { describe, expect, it } from '@jest/globals';
import type { AdmissionRequest, Decision } from '@kruise/admission';
import { defaultGates, labels, type Gates } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { apiFailures, FakeApi, FakeClock, silentLogger, type FakeCall } from '@kruise/kube/testing';
import { keyOf, persistentVolumeClaims, pods, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import { Caches } from '../../caches/caches.ts';
import { modules } from '../../kinds/index.ts';
import { handlerPaths } from '../../webhooks/handlers.ts';
import { deletionProtectionAdmission } from './admission.ts';

const { signal } = new AbortController();
const on: Gates = { ...defaultGates, ResourcesDeletionProtection: true };
const withCrds: Gates = { ...on, DeletionProtectionForCRDCascadingGate: true };
const denial = 'forbidden by ResourcesProtectionDeletion for policy.kruise.io/delete-protection';

function handlersOn(api: FakeApi, gates: Gates) {
  const informers = new Informers({ client: api, clock: new FakeClock(), logger: silentLogger() });
  return deletionProtectionAdmission({
    client: api,
    caches: new Caches(informers, ''),
    gates,
    podNamespace: 'kruise-system',
    allowPrivileged: true,
  });
}

const ask = async (
  path: string,
  object: object,
  { api = new FakeApi(), gates = on, version = 'v1' }: { api?: FakeApi; gates?: Gates; version?: string } = {},
): Promise<Decision | undefined> =>
  handlersOn(api, gates)
    .find((handler) => handler.path === path)
    ?.decide(
      {
        operation: 'DELETE',
        kind: { group: '', version, kind: 'K' },
        resource: { group: '', version, resource: 'r' },
        userInfo: {},
        oldObject: object,
      } as unknown as AdmissionRequest,
      signal,
    );

const labelled = (value: string, more: object = {}): object => ({
  metadata: { name: 'shop', labels: { [labels.deleteProtection]: value } },
  ...more,
});

/** An object that a finalizer holds back. */
async function seedGoing(api: FakeApi, type: ResourceType, object: KubeObject): Promise<void> {
  api.seed(type, { ...object, metadata: { ...object.metadata, finalizers: ['example.org/held'] } });
  await api.delete(type, keyOf(object));
}

const messageOf = (decision: Decision | undefined): string | undefined =>
  decision !== undefined && 'message' in decision ? decision.message : decision?.kind;

describe('a namespace that is labelled Cascading', () => {
  const pod = (name: string, phase: string, namespace = 'shop'): Pod => ({
    metadata: { name, namespace },
    spec: { containers: [] },
    status: { phase: phase },
  });
  const claim = (name: string, phase: string, namespace = 'shop'): KubeObject =>
    ({ metadata: { name, namespace }, status: { phase } }) as KubeObject;
  const decide = (api: FakeApi): Promise<Decision | undefined> => ask('/validate-namespace', labelled('Cascading'), { api });
  const remains = async (seed: (api: FakeApi) => unknown): Promise<string | undefined> => {
    const api = new FakeApi();
    await seed(api);
    return messageOf(await decide(api));
  };

  it('stays while it has an active Pod, then while it has a bound claim (2)', async () => {
    const api = new FakeApi();
    api.seed(pods, pod('a', 'Running'));
    api.seed(persistentVolumeClaims, claim('c', 'Bound'));
    expect(messageOf(await decide(api))).toBe(`${denial}=Cascading and active pods 1>0`);
    await api.delete(pods, { namespace: 'shop', name: 'a' });
    expect(messageOf(await decide(api))).toBe(`${denial}=Cascading and "Bound" status pvc 1>0`);
    await api.delete(persistentVolumeClaims, { namespace: 'shop', name: 'c' });
    expect(await decide(api)).toEqual({ kind: 'Allowed', warnings: [] });
  });

  it('is looked at as it is at this very moment: no cache lags behind', async () => {
    const api = new FakeApi();
    api.holdWatches();
    api.seed(pods, pod('new', 'Pending'));
    expect(messageOf(await decide(api))).toBe(`${denial}=Cascading and active pods 1>0`);
  });

  it.each<{ name: string; seed: (api: FakeApi) => unknown }>([
    {
      name: 'Pods that have ended',
      seed: (api) => ['Succeeded', 'Failed'].forEach((phase) => api.seed(pods, pod(phase.toLowerCase(), phase))),
    },
    {
      name: 'Pods that are going',
      seed: (api) => seedGoing(api, pods, pod('a', 'Running')),
    },
    { name: 'Pods of other namespaces', seed: (api) => api.seed(pods, pod('a', 'Running', 'other')) },
    {
      name: 'claims that are pending or lost',
      seed: (api) => ['Pending', 'Lost'].forEach((phase) => api.seed(persistentVolumeClaims, claim(phase.toLowerCase(), phase))),
    },
    {
      name: 'claims that are going',
      seed: (api) => seedGoing(api, persistentVolumeClaims, claim('c', 'Bound')),
    },
  ])('is not kept by $name', async ({ seed }) => {
    expect(await remains(seed)).toBe('Allowed');
  });

  it('says how many there are, and looks beyond a whole page of those that are going', async () => {
    const api = new FakeApi();
    for (let i = 0; i < 600; i++) await seedGoing(api, pods, pod(`a${String(i).padStart(3, '0')}`, 'Running'));
    expect(messageOf(await decide(api))).toBe('Allowed');
    for (let i = 0; i < 3; i++) api.seed(pods, pod(`b${i}`, 'Running'));
    expect(messageOf(await decide(api))).toBe(`${denial}=Cascading and active pods 3>0`);
  });

  it.each([
    { type: pods, message: 'forbidden by ResourcesProtectionDeletion for list pods error: ' },
    { type: persistentVolumeClaims, message: 'forbidden by ResourcesProtectionDeletion for list pvc error: ' },
  ])('stays while $type.plural cannot be listed', async ({ type, message }) => {
    const api = new FakeApi().connect('webhook', {
      before: (call: FakeCall) => {
        if (call.verb === 'list' && call.type?.kind === type.kind) throw apiFailures.unreachable();
      },
    });
    expect(await ask('/validate-namespace', labelled('Cascading'), { api })).toMatchObject({
      kind: 'Failed',
      code: 403,
      message: expect.stringContaining(message),
    });
  });

  it('is looked at by no read at all unless it is labelled so', async () => {
    const api = new FakeApi();
    for (const value of ['Always', 'Weird']) await ask('/validate-namespace', labelled(value), { api });
    await ask('/validate-namespace', labelled('Cascading'), { api, gates: defaultGates });
    expect(api.calls).toEqual([]);
  });
});

describe('a CRD that is labelled Cascading', () => {
  const type = (version: string): ResourceType => ({ group: 'example.org', version, kind: 'Game', plural: 'games', namespaced: true });
  const names = { kind: 'Game', plural: 'games', listKind: 'NotThisOne' };
  const crd = (versions: readonly object[], more: object = {}): object =>
    labelled('Cascading', { spec: { group: 'example.org', names, scope: 'Namespaced', versions, ...more } });
  const v1 = { name: 'v1', served: true, storage: true };
  const path = '/validate-customresourcedefinition';
  const game = (name: string): KubeObject => ({ metadata: { name, namespace: 'a' } });

  it('stays while an object of it exists in any namespace, and is deleted with the next request afterwards (3)', async () => {
    const api = new FakeApi();
    api.seed(type('v1'), game('one'));
    expect(messageOf(await ask(path, crd([v1]), { api, gates: withCrds }))).toBe(`${denial}=Cascading and active CRs 1>0`);
    await api.delete(type('v1'), { namespace: 'a', name: 'one' });
    expect(await ask(path, crd([v1]), { api, gates: withCrds })).toEqual({ kind: 'Allowed', warnings: [] });
  });

  it('is read one object at a time, and the refusal has the number from the API server', async () => {
    const api = new FakeApi();
    for (let i = 0; i < 40; i++) api.seed(type('v1'), game(`g${i}`));
    expect(messageOf(await ask(path, crd([v1]), { api, gates: withCrds }))).toBe(`${denial}=Cascading and active CRs 40>0`);
    expect(api.calls).toHaveLength(1);
  });

  it('does not stay for objects that are going', async () => {
    const api = new FakeApi();
    for (let i = 0; i < 3; i++) await seedGoing(api, type('v1'), game(`g${i}`));
    expect(await ask(path, crd([v1]), { api, gates: withCrds })).toMatchObject({ kind: 'Allowed' });
    api.seed(type('v1'), game('h'));
    expect(messageOf(await ask(path, crd([v1]), { api, gates: withCrds }))).toBe(`${denial}=Cascading and active CRs 1>0`);
  });

  it.each<{ name: string; object: object; listed: string }>([
    { name: 'its storage version', object: crd([{ ...v1, name: 'v2', storage: false }, v1]), listed: 'v1' },
    {
      name: 'any served version when that is not served',
      object: crd([
        { ...v1, served: false },
        { ...v1, name: 'v2', storage: false },
      ]),
      listed: 'v2',
    },
    { name: 'the one version of an old CRD', object: crd([], { version: 'v3' }), listed: 'v3' },
  ])('is listed in $name', async ({ object, listed }) => {
    const api = new FakeApi();
    await ask(path, object, { api, gates: withCrds });
    expect(api.calls.map(({ type: asked }) => [asked?.version, asked?.plural, asked?.kind])).toEqual([[listed, 'games', 'Game']]);
  });

  it.each<{ name: string; object: object; gates: Gates; fails?: boolean; message: string }>([
    {
      name: 'the second gate is off (4)',
      object: crd([v1]),
      gates: on,
      message: 'feature-gate DeletionProtectionForCRDCascadingGate is not enabled',
    },
    {
      name: 'no version is served',
      object: crd([{ ...v1, served: false }]),
      gates: withCrds,
      message: 'failed to list CRs of example.org/v1, Kind=Game: none of its versions is served',
    },
    {
      name: 'its objects cannot be listed',
      object: crd([v1]),
      gates: withCrds,
      fails: true,
      message: 'failed to list CRs of example.org/v1, Kind=Game: ',
    },
    {
      name: 'it cannot be read',
      object: labelled('Cascading'),
      gates: withCrds,
      message: 'failed to list CRs of /, Kind=: none of its versions is served',
    },
  ])('stays when $name', async ({ object, gates, fails, message }) => {
    const api = new FakeApi().connect('webhook', {
      before: () => {
        if (fails === true) throw apiFailures.unreachable();
      },
    });
    const decision = await ask(path, object, { api, gates });
    expect(decision).toMatchObject({ kind: 'Failed', code: 403, message: expect.stringContaining(message) });
  });
});

describe('other kinds', () => {
  const workloads = ['deployment', 'replicaset', 'statefulset'].map((name) => `/validate-apps-${name}`);
  it.each(workloads)('%s: Cascading keeps it while it has replicas (5)', async (path) => {
    expect(messageOf(await ask(path, labelled('Cascading', { spec: { replicas: 2 } })))).toBe(`${denial}=Cascading and replicas 2>0`);
    expect(await ask(path, labelled('Cascading', { spec: { replicas: 0 } }))).toEqual({ kind: 'Allowed', warnings: [] });
    expect(messageOf(await ask(path, labelled('Always', { spec: { replicas: 0 } })))).toBe(`${denial}=Always`);
  });

  it.each(['/validate-service', '/validate-ingress'])('%s: Always keeps it; Cascading is warned of (6)', async (path) => {
    expect(messageOf(await ask(path, labelled('Always')))).toBe(`${denial}=Always`);
    expect(await ask(path, labelled('Cascading'))).toMatchObject({
      kind: 'Allowed',
      warnings: [expect.stringContaining('known here: Always')],
    });
  });

  it.each([
    { path: '/validate-ingress', version: 'v1beta1', answer: { kind: 'Failed', code: 403 } },
    { path: '/validate-ingress', version: 'v2', answer: { kind: 'Failed', code: 400, message: 'unsupported version: v2' } },
    { path: '/validate-customresourcedefinition', version: 'v1beta1', answer: { kind: 'Failed', code: 403 } },
    { path: '/validate-namespace', version: 'v1beta1', answer: { kind: 'Failed', code: 400 } },
  ])('$path in version $version', async ({ path, version, answer }) => {
    expect(await ask(path, labelled('Always'), { version })).toMatchObject(answer);
  });
});

describe('the webhooks', () => {
  const guards = ['/validate-service', '/validate-ingress'];
  const pathsWith = (gates: Gates): readonly string[] => handlerPaths(modules, gates, () => true);
  const always = [
    '/validate-namespace',
    '/validate-customresourcedefinition',
    '/validate-apps-deployment',
    '/validate-apps-replicaset',
    '/validate-apps-statefulset',
  ];

  it('of Services and Ingresses are there with the gate alone, the others always (8)', () => {
    expect(
      pathsWith(defaultGates)
        .filter((path) => [...guards, ...always].includes(path))
        .sort(),
    ).toEqual([...always].sort());
    expect(pathsWith(on)).toEqual(expect.arrayContaining([...guards, ...always]));
  });

  it('are none of the Pod webhook, whose gate they do not need', () => {
    expect(pathsWith({ ...on, PodWebhook: false })).toEqual(expect.arrayContaining([...guards, ...always]));
  });

  it('cost nothing: no cache is requested, with the gate on or off', () => {
    const api = new FakeApi();
    for (const gates of [defaultGates, withCrds]) {
      const informers = new Informers({ client: api, clock: new FakeClock(), logger: silentLogger() });
      const caches = new Caches(informers, '');
      deletionProtectionAdmission({ client: api, caches, gates, podNamespace: 'k', allowPrivileged: true });
      expect(informers.storesOf('v1', 'Pod')).toEqual([]);
      expect(informers.storesOf('v1', 'PersistentVolumeClaim')).toEqual([]);
    }
  });
});
