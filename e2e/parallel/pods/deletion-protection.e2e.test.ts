/** What a label protects from deletion. @see docs/spec/deletion-protection.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneSets, labels, statefulSets, statefulSetsV1Alpha1, unitedDeployments, unitedDeploymentsV1Alpha1 } from '@kruise/api';
import { unlessDeleted, urlPath } from '@kruise/kube';
import {
  customResourceDefinitions,
  isPodReady,
  namespaces,
  persistentVolumeClaims,
  pods,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import { succeeds } from '@kruise/testing';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { kubectl } from '../../support/programs.ts';
import { validatingWebhookNames } from '../../support/webhooks.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const label = labels.deleteProtection;
const denial = 'forbidden by ResourcesProtectionDeletion';
const typeOf = (group: string, kind: string, plural: string, namespaced = true): ResourceType => ({
  group,
  version: 'v1',
  kind,
  plural,
  namespaced,
});
const deployments = typeOf('apps', 'Deployment', 'deployments');
const replicaSets = typeOf('apps', 'ReplicaSet', 'replicasets');
const builtInStatefulSets = typeOf('apps', 'StatefulSet', 'statefulsets');
const services = typeOf('', 'Service', 'services');
const ingresses = typeOf('networking.k8s.io', 'Ingress', 'ingresses');
const volumes = typeOf('', 'PersistentVolume', 'persistentvolumes', false);
const games = typeOf('protected.example.org', 'Game', 'games');

const app = { app: 'protected' };
const container = { name: 'main', image: images.first };
const podsOfApp = {
  selector: { matchLabels: app },
  template: { metadata: { labels: app }, spec: { terminationGracePeriodSeconds: 0, containers: [container] } },
};
const workload = (replicas: number): object => ({ replicas, ...podsOfApp });
/** The template of a UnitedDeployment. */
const united = { cloneSetTemplate: { metadata: { labels: app }, spec: podsOfApp } };

describe('an object with the label', () => {
  let fixture: CloneSetFixture;
  const inner = 'protected-inner';
  beforeAll(async () => {
    await kubectl('label', 'namespace', inner, `${label}-`).catch(() => undefined);
    await kubectl('delete', 'namespace', inner, '--ignore-not-found', '--timeout=120s');
    fixture = await openFixture('protected');
  });
  afterAll(() => closeFixture(fixture));

  const at = (name: string, namespace = fixture.namespace): ObjectKey => ({ namespace, name });
  const make = (type: ResourceType, name: string, spec: object, namespace = fixture.namespace): Promise<KubeObject> =>
    fixture.client.create(type, { metadata: { name, ...(type.namespaced ? { namespace } : {}) }, spec } as KubeObject);
  const protect = (type: ResourceType, key: ObjectKey, value: string | null): Promise<KubeObject> =>
    fixture.client.patch(type, key, { metadata: { labels: { [label]: value } } }, { type: 'merge' });
  const refusal = (type: ResourceType, key: ObjectKey, options: object = {}): Promise<string> =>
    fixture.client.delete(type, key, options).then(
      () => 'none',
      (error: Error) => error.message,
    );
  const asked = (args: readonly string[]): Promise<string> =>
    kubectl(...args).catch((error: Error & { stderr?: string }) => error.stderr ?? error.message);

  it('is a namespace: it stays for Always, then for its Pods and its claims, in dry runs as well (1, 2, 10, 12)', async () => {
    const key = at(inner, '');
    await fixture.client.create(namespaces, { metadata: { name: inner, labels: { [label]: 'Always' } } });
    expect(await refusal(namespaces, key)).toContain(denial);
    expect(await refusal(namespaces, key, { dryRun: true })).toContain(denial);
    const refusalsOf = (user: string): Promise<number> =>
      refusedCount('namespace_deletion_protection', `name="${inner}",username="${user}"`);
    for (const user of ['jane', 'bob']) {
      const before = [await refusalsOf('jane'), await refusalsOf('bob')];
      expect(await asked(['delete', 'namespace', inner, '--as', user, '--as-group', 'system:masters'])).toContain(denial);
      const after = [await refusalsOf('jane'), await refusalsOf('bob')];
      expect(after.map((count, i) => count - (before[i] ?? 0))).toEqual(user === 'jane' ? [1, 0] : [0, 1]);
    }
    await protect(namespaces, key, 'Cascading');
    await make(pods, 'p', { terminationGracePeriodSeconds: 0, containers: [container] }, inner);
    await fixture.eventually(async () => isPodReady(await fixture.client.get(pods, at('p', inner))), 'the Pod is ready');
    expect(await refusal(namespaces, key)).toContain('=Cascading and active pods 1>0');
    const capacity = { storage: '1Gi' };
    const claim = { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeName: inner, resources: { requests: capacity } };
    await make(persistentVolumeClaims, 'c', claim, inner);
    await make(volumes, inner, {
      capacity,
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/tmp/protected' },
      claimRef: { namespace: inner, name: 'c' },
    });
    const phaseOf = async (): Promise<unknown> =>
      ((await fixture.client.get(persistentVolumeClaims, at('c', inner))) as { readonly status?: { readonly phase?: string } }).status
        ?.phase;
    await fixture.eventually(async () => (await phaseOf()) === 'Bound', 'the claim is bound');
    await fixture.client.delete(pods, at('p', inner));
    await fixture.eventually(async () => (await unlessDeleted(fixture.client.get(pods, at('p', inner)))) === undefined, 'the Pod is gone');
    expect(await refusal(namespaces, key)).toContain('=Cascading and "Bound" status pvc 1>0');
    await fixture.client.delete(persistentVolumeClaims, at('c', inner));
    expect(await refusal(namespaces, key)).toBe('none');
    await fixture.client.delete(volumes, at(inner, ''));
  });

  /** Over all managers: which of them is asked is up to the Service. */
  async function refusedCount(metric: string, labelsText: string): Promise<number> {
    const { items } = await fixture.client.list(pods, { namespace: 'kruise-system', labelSelector: 'control-plane=controller-manager' });
    let sum = 0;
    for (const { metadata } of items) {
      const text = await fixture.client.raw(urlPath`/api/v1/namespaces/kruise-system/pods/${metadata.name}:8080/proxy/metrics`);
      const line = String(text)
        .split('\n')
        .find((one) => one.startsWith(`${metric}{${labelsText}}`));
      sum += Number(line?.split(' ').at(-1) ?? 0);
    }
    return sum;
  }

  it('is a CRD: it stays for Always and for its objects, and may go with the next request (3)', async () => {
    const key = at('games.protected.example.org', '');
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const names = { plural: 'games', singular: 'game', kind: 'Game', listKind: 'GameList' };
    await fixture.client.delete(customResourceDefinitions, key).catch(() => undefined);
    await fixture.eventually(
      async () => (await unlessDeleted(fixture.client.get(customResourceDefinitions, key))) === undefined,
      'it is not there',
    );
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    await make(customResourceDefinitions, key.name, { group: games.group, scope: 'Namespaced', names, versions });
    await protect(customResourceDefinitions, key, 'Always');
    expect(await refusal(customResourceDefinitions, key)).toContain(denial);
    await protect(customResourceDefinitions, key, 'Cascading');
    await fixture.eventually(() => succeeds(make(games, 'one', {})), 'an object is made');
    expect(await refusal(customResourceDefinitions, key)).toContain('=Cascading and active CRs 1>0');
    await fixture.client.delete(games, at('one'));
    expect(await refusal(customResourceDefinitions, key)).toBe('none');
  });

  it.each<{ name: string; type: ResourceType; more: object }>([
    { name: 'CloneSet', type: cloneSets, more: {} },
    { name: 'UnitedDeployment', type: unitedDeployments, more: { template: united, topology: { subsets: [{ name: 'a' }] } } },
    {
      name: 'UnitedDeployment in v1alpha1',
      type: unitedDeploymentsV1Alpha1,
      more: { template: united, topology: { subsets: [{ name: 'a' }] } },
    },
    { name: 'Advanced StatefulSet', type: statefulSets, more: { serviceName: 'any' } },
    { name: 'Advanced StatefulSet in v1alpha1', type: statefulSetsV1Alpha1, more: { serviceName: 'any' } },
    { name: 'Deployment', type: deployments, more: {} },
    { name: 'StatefulSet', type: builtInStatefulSets, more: { serviceName: 'any' } },
    { name: 'ReplicaSet', type: replicaSets, more: {} },
  ])(
    'is a $name: it is kept with Always, and with Cascading while it has replicas, and is deleted with an invalid value (5, 11)',
    async ({ name, type, more }) => {
      const key = at(name.toLowerCase().replaceAll(' ', '-'));
      await make(type, key.name, { ...workload(0), ...more });
      await protect(type, key, 'Always');
      expect(await refusal(type, key)).toContain('=Always');
      await protect(type, key, 'Cascading');
      await fixture.client.patch(type, key, { spec: { replicas: 2 } }, { type: 'merge' });
      expect(await refusal(type, key)).toContain('=Cascading and replicas 2>0');
      await fixture.client.patch(type, key, { spec: { replicas: 0 } }, { type: 'merge' });
      expect(await refusal(type, key, { dryRun: true })).toBe('none');
      await protect(type, key, 'Weird');
      expect(
        await asked(['-n', fixture.namespace, 'delete', `${type.plural}.${type.version}.${type.group}`, key.name, '--dry-run=server']),
      ).not.toContain(denial);
      expect(await refusal(type, key)).toBe('none');
    },
  );

  it('is a Service or an Ingress: it stays for Always alone (6)', async () => {
    // They are put back once the gate is on that was off in the tests of `gates/`.
    const areBack = async (): Promise<boolean> => {
      const names = await validatingWebhookNames(fixture.client);
      return ['vservice.kb.io', 'vingress.kb.io'].every((name) => names.includes(name));
    };
    await fixture.eventually(areBack, 'the webhooks are there');
    await make(services, 's', { ports: [{ port: 80 }] });
    await make(ingresses, 'i', { defaultBackend: { service: { name: 's', port: { number: 80 } } } });
    for (const [type, name] of [
      [services, 's'],
      [ingresses, 'i'],
    ] as const) {
      await protect(type, at(name), 'Always');
      expect(await refusal(type, at(name))).toContain('=Always');
      await protect(type, at(name), 'Cascading');
      expect(await refusal(type, at(name), { dryRun: true })).toBe('none');
      await protect(type, at(name), null);
      expect(await refusal(type, at(name))).toBe('none');
    }
  });

  it('is already terminating: nothing delays it (7)', async () => {
    await make(services, 'going', { ports: [{ port: 80 }] });
    await fixture.client.patch(services, at('going'), { metadata: { finalizers: ['example.org/held'] } }, { type: 'merge' });
    expect(await refusal(services, at('going'))).toBe('none');
    await protect(services, at('going'), 'Always');
    expect(await refusal(services, at('going'))).toBe('none');
    await fixture.client.patch(services, at('going'), { metadata: { finalizers: null } }, { type: 'merge' });
    await fixture.eventually(async () => (await unlessDeleted(fixture.client.get(services, at('going')))) === undefined, 'it is gone');
  });

  it('delays the end of its namespace until the label is removed', async () => {
    const going = 'protected-going';
    await fixture.client.create(namespaces, { metadata: { name: going } });
    await make(services, 'kept', { ports: [{ port: 80 }] }, going);
    await make(services, 'free', { ports: [{ port: 80 }] }, going);
    await protect(services, at('kept', going), 'Always');
    await fixture.client.delete(namespaces, at(going, ''));
    const conditionsOf = async (): Promise<string> => JSON.stringify(await fixture.client.get<KubeObject>(namespaces, at(going, '')));
    await fixture.eventually(async () => (await conditionsOf()).includes(denial), 'the namespace says what holds it up');
    expect((await fixture.client.list(services, { namespace: going })).items.map(({ metadata }) => metadata.name)).toContain('kept');
    await protect(services, at('kept', going), null);
    await fixture.eventually(async () => (await unlessDeleted(fixture.client.get(namespaces, at(going, '')))) === undefined, 'it is gone');
  });

  it('is asked about whatever the way of its deletion', async () => {
    await make(services, 'held', { ports: [{ port: 80 }] });
    await protect(services, at('held'), 'Always');
    for (const way of [['--force', '--grace-period=0'], ['--cascade=orphan'], ['--cascade=foreground']])
      expect(await asked(['-n', fixture.namespace, 'delete', 'service', 'held', ...way])).toContain(denial);
    expect(await asked(['-n', fixture.namespace, 'delete', 'services', '--all'])).toContain(denial);
    await protect(services, at('held'), null);
    expect(await refusal(services, at('held'))).toBe('none');
  });
});
