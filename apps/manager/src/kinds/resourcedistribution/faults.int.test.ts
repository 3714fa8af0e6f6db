/**
 * ResourceDistributions while something is wrong, on a real API server with the controllers of Kubernetes: others refuse, namespaces go, the control
 * plane is away, clocks are off, and the manager dies at its writes.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resourceDistributionAnnotations, type ResourceDistributionTargets } from '@kruise/api';
import { createClient, loadClusterConfig, unlessDeleted, type Client, urlPath, type UrlPath } from '@kruise/kube';
import { configMaps, namespaces, secrets, type KubeObject, type ResourceType, type Secret } from '@kruise/objects';
import { eventually, sampleOf, startFaultProxy, type ControlPlane, type Fault } from '@kruise/testing';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { killAtWrite } from '../../int-tests/processes/kill-at-write.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { withClock } from '../../int-tests/processes/other-clock.testing.ts';
import { key, named, RealDistributions, refusal, renamed } from './real-distributions.testing.ts';
import { configMap, secret } from '@kruise/kinds/resourcedistribution/testing';

const waitMs = 180_000;
const hour = 3_600_000;

let dir: string;
let plane: ControlPlane;
let manager: ManagerProcess;
let client: Client;
let fixture: RealDistributions;

async function startManager(
  settings: { readonly kubeconfigPath?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  manager = await ManagerProcess.create({
    kubeconfigPath: plane.kubeconfigPath,
    dir,
    flags: ['--feature-gates=ResourceDistributionGate=true', '--enable-leader-election=false'],
    ...settings,
  });
  await manager.start();
  await fixture.untilRefusals();
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-distributions-'));
  plane = await startInstalledPlane({ simulatedNodes: 0 });
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
  fixture = new RealDistributions(client);
  await startManager();
});
afterAll(async () => {
  await manager.signal('SIGKILL');
  client.close();
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

const labelled = (team: string): ResourceDistributionTargets => ({ namespaceSelector: { matchLabels: { team } } });
const at = (namespace: string, name: string) => ({ namespace, name });
const versionOf = async (type: ResourceType, namespace: string, name: string): Promise<string | undefined> =>
  (await client.get(type, at(namespace, name))).metadata.resourceVersion;
const post = (path: UrlPath, body: object): Promise<unknown> => client.raw(path, { method: 'POST', body });
const remove = (path: UrlPath): Promise<unknown> => client.raw(path, { method: 'DELETE' });

/** A policy that refuses ConfigMaps of one namespace. */
interface Objection {
  readonly namespace: string;
  readonly raise: () => Promise<unknown>;
  readonly drop: () => Promise<unknown>;
}

const only = (namespace: string): object => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } });
const creations = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];

const quota: Objection = {
  namespace: 'with-quota',
  raise: () =>
    post(urlPath`/api/v1/namespaces/with-quota/resourcequotas`, {
      metadata: { name: 'none' },
      spec: { hard: { 'count/configmaps': '0' } },
    }),
  drop: () => remove(urlPath`/api/v1/namespaces/with-quota/resourcequotas/none`),
};
const policy: Objection = {
  namespace: 'with-policy',
  raise: async () => {
    const spec = { matchConstraints: { resourceRules: creations }, validations: [{ expression: 'false', message: 'not here' }] };
    await post(urlPath`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies`, { metadata: { name: 'none' }, spec });
    const bound = { policyName: 'none', validationActions: ['Deny'], matchResources: only('with-policy') };
    await post(urlPath`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings`, {
      metadata: { name: 'none' },
      spec: bound,
    });
  },
  drop: () => remove(urlPath`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/none`),
};
const webhook: Objection = {
  namespace: 'with-webhook',
  raise: () =>
    post(urlPath`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations`, {
      metadata: { name: 'none' },
      webhooks: [
        {
          name: 'nobody.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: creations,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 2,
          ...only('with-webhook'),
        },
      ],
    }),
  drop: () => remove(urlPath`/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/none`),
};

describe('what others have against a copy', () => {
  it('in one namespace is reported and stops no other, and the copy is created when it ends: a quota, a policy, an unreachable webhook', async () => {
    const objections = [quota, policy, webhook];
    for (const { namespace, raise } of objections) {
      await fixture.namespace(namespace);
      await raise();
    }
    await fixture.namespace('without');
    // They are known to the API server a while later.
    const isRefused = async ({ namespace }: Objection): Promise<boolean> =>
      (await refusal(client.create(configMaps, { metadata: { namespace, name: 'probe' } }, { dryRun: true }))) !== 'none';
    await eventually(async () => (await Promise.all(objections.map(isRefused))).every(Boolean), waitMs);

    await fixture.make('refused', named('without', ...objections.map(({ namespace }) => namespace)), renamed(configMap, 'refused'));
    await fixture.untilCounts('refused', 4, 1, 3);
    expect(await fixture.placesOf('refused')).toEqual(['without']);
    expect(await fixture.conditionOf('refused', 1)).toMatchObject({
      status: 'True',
      failedNamespaces: ['with-policy', 'with-quota', 'with-webhook'],
      reason: expect.stringContaining('nobody.example.com'),
    });
    await quota.drop();
    await policy.drop();
    await fixture.untilCounts('refused', 4, 3, 1);
    expect(await fixture.conditionOf('refused', 1)).toMatchObject({ failedNamespaces: ['with-webhook'] });
    await webhook.drop();
    await fixture.untilCounts('refused', 4, 4, 0);
    await fixture.untilPlaces('refused', ['with-policy', 'with-quota', 'with-webhook', 'without']);
  });
});

describe('a namespace that does not come to its end', () => {
  it('gets nothing and is reported until it is deleted; when it is created again it gets its copy', async () => {
    await fixture.namespace('stays', { team: 'going' });
    await fixture.namespace('going', { team: 'going' });
    await fixture.make('going', labelled('going'), renamed(configMap, 'going'));
    await fixture.untilPlaces('going', ['going', 'stays']);
    const held = at('going', 'held');
    await client.create(configMaps, { metadata: { ...held, finalizers: ['example.org/held'] } });
    await client.delete(namespaces, key('going'));
    await fixture.untilPlaces('going', ['stays']);
    await fixture.untilCounts('going', 2, 1, 1);
    expect(await fixture.conditionOf('going', 5)).toMatchObject({ status: 'True', failedNamespaces: ['going'] });
    expect(await fixture.conditionOf('going', 1)).toMatchObject({ status: 'False' });
    await client.patch(configMaps, held, { metadata: { finalizers: null } }, { type: 'merge' });
    await eventually(async () => (await unlessDeleted(client.get(namespaces, key('going')))) === undefined, waitMs);
    await fixture.untilCounts('going', 1, 1, 0);
    await fixture.namespace('going', { team: 'going' });
    await fixture.untilCounts('going', 2, 2, 0);
    await fixture.untilPlaces('going', ['going', 'stays']);
  });
});

describe('a Secret', () => {
  const typed = (type: string, more: object): object => ({ apiVersion: 'v1', kind: 'Secret', type, ...more });

  it.each([
    { name: 'a login that is no JSON', resource: typed('kubernetes.io/dockerconfigjson', { stringData: { '.dockerconfigjson': 'x' } }) },
    { name: 'a certificate without key', resource: typed('kubernetes.io/tls', { stringData: { 'tls.crt': 'x' } }) },
    { name: 'a token of no service account', resource: typed('kubernetes.io/service-account-token', {}) },
  ])('that the API server would not take is refused: $name', async ({ resource }) => {
    const refused = await refusal(fixture.make('bad', named('default'), { ...resource, metadata: { name: 'bad' } }));
    expect(refused).toContain('spec.resource is invalid: ');
  });

  it('whose type changes is reported, and recreated where its copy is deleted', async () => {
    await fixture.namespace('types');
    await fixture.make('typed', named('types'), renamed(secret, 'typed'));
    await fixture.untilCounts('typed', 1, 1, 0);
    await fixture.change('typed', { resource: { type: 'example.org/other' } });
    await fixture.untilCounts('typed', 1, 0, 1);
    expect(await fixture.conditionOf('typed', 2)).toMatchObject({ status: 'True', reason: expect.stringContaining('immutable') });
    await client.delete(secrets, at('types', 'typed'));
    await fixture.untilCounts('typed', 1, 1, 0);
    expect((await client.get(secrets, at('types', 'typed'))).type).toBe('example.org/other');
  });

  it('that is immutable stays as it is, and so does what the distribution says of it', async () => {
    await fixture.namespace('fixed');
    await fixture.make('fixed', named('fixed'), { ...renamed(secret, 'fixed'), immutable: true });
    await fixture.untilCounts('fixed', 1, 1, 0);
    const before = await versionOf(secrets, 'fixed', 'fixed');
    await fixture.change('fixed', { resource: { stringData: { password: 'other' } } });
    await fixture.untilCounts('fixed', 1, 0, 1);
    expect(await versionOf(secrets, 'fixed', 'fixed')).toBe(before);
    await fixture.change('fixed', { resource: { stringData: { password: 'hunter2' } } });
    await fixture.untilCounts('fixed', 1, 1, 0);
  });

  it('for a service account keeps the token that Kubernetes makes for each copy', async () => {
    await fixture.namespace('tokens');
    await fixture.namespace('tokens-too');
    const metadata = { name: 'account', annotations: { 'kubernetes.io/service-account.name': 'default' } };
    await eventually(
      async () => (await refusal(client.raw(urlPath`/api/v1/namespaces/tokens-too/serviceaccounts/default`))) === 'none',
      waitMs,
    );
    await fixture.make('account', named('tokens'), typed('kubernetes.io/service-account-token', { metadata }));
    const read = (): Promise<Secret | undefined> => unlessDeleted(client.get(secrets, at('tokens', 'account')));
    await eventually(async () => (await read())?.data?.['token'] !== undefined, waitMs);
    const before = await read();
    // A pass over all copies.
    await fixture.change('account', { targets: named('tokens', 'tokens-too') });
    await fixture.untilCounts('account', 2, 2, 0);
    expect(await read()).toEqual(before);
  });
});

describe('the control plane stops in the middle', () => {
  /** `npm run nightly` takes 150. */
  const count = Number(process.env['KRUISE_OUTAGE_NAMESPACES'] ?? 50);
  const names = Array.from({ length: count }, (_, i) => `outage-${String(i).padStart(3, '0')}`);
  const changed = async (): Promise<number> =>
    (await client.list(configMaps, { fieldSelector: 'metadata.name=outage' })).items.filter(({ data }) => data?.['color'] === 'green')
      .length;

  it('and the manager continues without a restart, to the same result', async () => {
    for (const name of names) await fixture.namespace(name, { team: 'outage' });
    const { pid } = manager;
    await fixture.make('outage', labelled('outage'), renamed(configMap, 'outage'));
    await eventually(async () => (await fixture.placesOf('outage')).length > 5, waitMs);
    await plane.killApiServer();
    await plane.startApiServer();
    await fixture.untilCounts('outage', names.length, names.length, 0);
    expect(await fixture.placesOf('outage')).toEqual(names);
    await fixture.change('outage', { resource: { data: { color: 'green' } } });
    await eventually(async () => (await changed()) > 5, waitMs);
    await plane.restartEtcd();
    await fixture.untilCounts('outage', names.length, names.length, 0);
    expect(await changed()).toBe(names.length);
    expect([manager.pid, manager.exits]).toEqual([pid, []]);
  });
});

describe('a manager whose clock is an hour', () => {
  const states = async (name: string): Promise<readonly string[]> => {
    const copies: readonly KubeObject[] = (await client.list(configMaps, { fieldSelector: `metadata.name=${name}` })).items;
    return [await fixture.read(name), ...copies].map(({ metadata }) => `${metadata.namespace ?? ''} ${metadata.resourceVersion ?? ''}`);
  };

  const clocks = [
    ['ahead', hour],
    ['behind', -hour],
  ] as const;

  it.each(sampleOf(clocks))('%s distributes as any, and one with the right clock has nothing to write', async (word, offsetMs) => {
    const [name, first, later] = [`clock-${word}`, `${word}-first`, `${word}-later`];
    await manager.signal('SIGTERM');
    await startManager({ env: withClock(dir, offsetMs) });
    await fixture.namespace(first);
    await fixture.make(name, named(first, later), renamed(configMap, name));
    await fixture.untilCounts(name, 2, 1, 1);
    await fixture.namespace(later);
    await fixture.untilCounts(name, 2, 2, 0);
    const before = await states(name);
    await manager.signal('SIGTERM');
    await startManager();
    // Comes after the passes over all that were there.
    await fixture.make(`${name}-last`, named(first), renamed(configMap, `${name}-last`));
    await fixture.untilCounts(`${name}-last`, 1, 1, 0);
    expect(await states(name)).toEqual(before);
  });
});

describe('the manager is killed', () => {
  const names = ['kill-1', 'kill-2', 'kill-3', 'kill-4', 'kill-5'];
  const writes = /\/namespaces\/kill-\d\/configmaps|\/resourcedistributions\/killed\/status/;

  it('at its writes, before and after they take effect, and it ends as if it had lived', async () => {
    for (const name of names) await fixture.namespace(name, { team: 'kill' });
    await client.create(configMaps, { metadata: at('kill-3', 'killed'), data: { of: 'somebody else' } });
    await manager.signal('SIGTERM');
    await using proxy = await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath });
    await startManager({ kubeconfigPath: proxy.kubeconfigPath });
    const isAt = async (color: string, places: number): Promise<boolean> => {
      const { metadata, status } = await fixture.read('killed');
      const { items } = await client.list(configMaps, { fieldSelector: 'metadata.name=killed' });
      return (
        status?.observedGeneration === metadata.generation &&
        status?.succeeded === places &&
        status.failed === 1 &&
        items.filter(({ data }) => data?.['color'] === color).length === places
      );
    };
    let kills = 0;
    for (const { act, isDone } of [
      { act: () => fixture.make('killed', labelled('kill'), renamed(configMap, 'killed')), isDone: () => isAt('blue', 4) },
      { act: () => fixture.change('killed', { resource: { data: { color: 'green' } } }), isDone: () => isAt('green', 4) },
      {
        act: () => fixture.change('killed', { targets: { namespaceSelector: null, ...named('kill-1', 'kill-3') } }),
        isDone: () => isAt('green', 1),
      },
    ]) {
      await eventually(() => manager.isReady(), waitMs);
      let begun: Promise<unknown> | undefined;
      // Each dies at its first write, which is lost or carried out in turn, so that it still gets on.
      for (;;) {
        const fault: Fault = { kind: kills % 2 === 0 ? 'Hang' : 'ResetAfterCommit' };
        const hasBegun = begun !== undefined;
        const killed = killAtWrite({ proxy, manager, path: writes, after: 0, fault, isDone: async () => hasBegun && (await isDone()) });
        // The fault is there before the first write can be.
        begun ??= act();
        const [isKilled] = await Promise.all([killed, begun]);
        if (!isKilled) break;
        kills += 1;
        manager.startOnly();
      }
    }
    expect(kills).toBeGreaterThan(8);
    const copies = (await client.list(configMaps, { fieldSelector: 'metadata.name=killed' })).items;
    expect(
      copies.map(({ metadata, data }) => [metadata.namespace, metadata.annotations?.[resourceDistributionAnnotations.from], data]),
    ).toEqual([
      ['kill-1', 'killed', { color: 'green' }],
      ['kill-3', undefined, { of: 'somebody else' }],
    ]);
    await manager.signal('SIGKILL');
  });
});
