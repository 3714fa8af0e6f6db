/** The finder on a real API server, which decides which kinds are served, and what a Scale contains. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CachingClient, createClient, Informers, loadClusterConfig, SystemClock, type Client } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { customResourceDefinitions, pods, type KubeObject, type ResourceType } from '@kruise/objects';
import { eventually, startControlPlane, succeeds, type ControlPlane } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { UnknownKind } from './kind-mapper.ts';
import { WorkloadFinder } from './workload-finder.ts';
import { deployments, replicaSets } from '@kruise/workloads';

const namespace = 'default';
const signal = AbortSignal.timeout(600_000);
const kindOf = (kind: string): ResourceType => ({
  group: 'g.example.com',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});
const [scaled, plain] = [kindOf('Scaled'), kindOf('Plain')];

function crdOf({ group, version, kind, plural }: ResourceType, isScaled: boolean): KubeObject {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  const subresources = isScaled ? { subresources: { status: {}, scale } } : {};
  const versions = [{ name: version, served: true, storage: true, schema, ...subresources }];
  const names = { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` };
  return { metadata: { name: `${plural}.${group}` }, spec: { group, names, scope: 'Namespaced', versions } } as KubeObject;
}

describe('the workload finder on a real API server', () => {
  let plane: ControlPlane;
  let client: Client;
  let finder: WorkloadFinder;
  const stop = new AbortController();
  let running: Promise<void>;

  beforeAll(async () => {
    plane = await startControlPlane();
    client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
    const clock = new SystemClock();
    const informers = new Informers({ client, clock, logger: silentLogger() });
    running = informers.run(stop.signal);
    finder = new WorkloadFinder({
      client: new CachingClient(client, informers),
      caches: new Caches(informers, ''),
      clock,
      installed: () => false,
      gates: { StatefulSetStartOrdinal: false },
      listed: { reading: { kind: 'Read', kinds: [] }, storeOf: () => undefined },
    });
    await client.create(customResourceDefinitions, crdOf(scaled, true));
    await client.create(customResourceDefinitions, crdOf(plain, false));
    for (const type of [scaled, plain]) await eventually(() => succeeds(client.list(type, { namespace })));
  });
  afterAll(async () => {
    stop.abort();
    await running;
    client.close();
    await plane.stop();
  });

  const refer = ({ group, version, kind }: ResourceType, name: string) => ({ apiVersion: `${group}/${version}`, kind, namespace, name });
  const podTemplate = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'x' }] } };

  it('reads a kind with the subresource scale, its replicas and selector, and its Pods by selector', async () => {
    const made = await client.create(scaled, {
      apiVersion: 'g.example.com/v1',
      kind: 'Scaled',
      metadata: { name: 'web', namespace },
      spec: { replicas: 3 },
    } as KubeObject);
    await client.updateStatus(scaled, { ...made, status: { replicas: 3, selector: 'app=web' } } as KubeObject);
    await client.create(pods, {
      metadata: { name: 'web-a', namespace, labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    });
    const found = await finder.find(refer(scaled, 'web'), signal);
    expect(found).toMatchObject({ uid: made.metadata.uid, replicas: 3, isBeingDeleted: false });
    expect(found?.selector?.matches({ app: 'web' })).toBe(true);
    const { pods: selected } = await finder.podsOf(refer(scaled, 'web'), { active: true }, signal);
    expect(selected.map(({ metadata }) => metadata.name)).toEqual(['web-a']);
    expect(await finder.find(refer(scaled, 'none'), signal)).toBeUndefined();
  });

  it('knows of a kind without it that the object is there', async () => {
    const made = await client.create(plain, {
      apiVersion: 'g.example.com/v1',
      kind: 'Plain',
      metadata: { name: 'web', namespace },
      spec: { replicas: 3 },
    } as KubeObject);
    const found = await finder.find(refer(plain, 'web'), signal);
    expect(found).toMatchObject({ uid: made.metadata.uid, metadata: { name: 'web' } });
    expect(found?.replicas).toBeUndefined();
    expect(await finder.find(refer(plain, 'none'), signal)).toBeUndefined();
  });

  it('says which kind is not served', async () => {
    await expect(finder.find(refer(kindOf('Nobody'), 'web'), signal)).rejects.toThrow(UnknownKind);
    await expect(finder.find({ ...refer(plain, 'web'), apiVersion: 'none.example.com/v1' }, signal)).rejects.toThrow(
      'kind Plain of none.example.com/v1 is not served',
    );
  });

  it('climbs from a ReplicaSet to its Deployment, of whatever version it is said to be', async () => {
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: podTemplate };
    const deployment = await client.create(deployments, { metadata: { name: 'web', namespace }, spec });
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: deployment.metadata.uid ?? '', controller: true };
    await client.create(replicaSets, { metadata: { name: 'web-1', namespace, ownerReferences: [owner] }, spec } as KubeObject);
    expect(await finder.find({ ...refer(replicaSets, 'web-1'), apiVersion: 'apps/v1beta2' }, signal)).toMatchObject({
      kind: 'Deployment',
      replicas: 2,
    });
    await client.delete(deployments, { namespace, name: 'web' });
    await eventually(async () => (await finder.find(refer(replicaSets, 'web-1'), signal)) === undefined);
  });
});
