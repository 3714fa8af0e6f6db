/** The whole program as a process, beside a real API server with the kinds of the chart. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds, customResourceDefinition } from '@kruise/api';
import { createClient, discoverGroupVersion, loadClusterConfig, type Client } from '@kruise/kube';
import { customResourceDefinitions, namespaces, type KubeObject, type ResourceType } from '@kruise/objects';
import { eventually, expositionFault, findFreePorts, startControlPlane, type ControlPlane } from '@kruise/testing';
import { ExporterProcess } from './exporter-process.testing.ts';
import { resourceKinds } from './families/all-kinds.ts';
import { anObjectOf } from './families/objects.testing.ts';
import type { ResourceKind } from './families/resource-kind.ts';

/** Is not installed. */
const absent = 'podprobemarkers';
const installed = resourceKinds.filter(({ resource }) => resource !== absent);
const everyResource = `--resources=${resourceKinds.map(({ resource }) => resource).join(',')}`;

let plane: ControlPlane;
let client: Client;
const exporters: ExporterProcess[] = [];

async function installKinds(): Promise<void> {
  const wanted = allKinds.filter(({ plural }) => installed.some(({ resource }) => resource === plural));
  for (const declaration of wanted)
    await client.create(customResourceDefinitions, customResourceDefinition({ ...declaration, conversion: 'None' }));
  for (const { group, plural, versions } of wanted)
    await eventually(async () => {
      const served = await Promise.all(versions.map(({ name }) => discoverGroupVersion(client, { group, version: name })));
      return served.every((resources) => resources?.some(({ name }) => name === plural) === true);
    });
}

async function create({ types, namespaced, resource }: ResourceKind, name: string, namespace: string): Promise<KubeObject> {
  const type = types[0] as ResourceType<KubeObject & { readonly status?: unknown }>;
  const { metadata, status, ...rest } = anObjectOf[resource]!;
  const { labels } = metadata;
  const created = await client.create(type, { metadata: { name, labels, ...(namespaced ? { namespace } : {}) }, ...rest } as KubeObject);
  return client.updateStatus(type, { ...created, status } as KubeObject);
}

async function launch(...flags: readonly string[]): Promise<ExporterProcess> {
  const exporter = await ExporterProcess.launch([`--kubeconfig=${plane.kubeconfigPath}`, ...flags]);
  exporters.push(exporter);
  return exporter;
}

const namesIn = async (exporter: ExporterProcess, family: string): Promise<readonly string[]> =>
  (await exporter.samples(family)).map(({ labels }) => labels.map(([, value]) => value).join('/')).toSorted();

const showsAll = (exporter: ExporterProcess, family: string, names: readonly string[]): Promise<void> =>
  eventually(async () => (await namesIn(exporter, family)).join() === names.join());

const cloneSetKind = resourceKinds.find(({ resource }) => resource === 'clonesets')!;
const cloneSets = cloneSetKind.types[0]!;
const created = 'kruise_cloneset_created';

beforeAll(async () => {
  plane = await startControlPlane({});
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
  await installKinds();
  for (const name of ['n', 'm']) await client.create(namespaces, { metadata: { name } });
  for (const kind of installed) await create(kind, 'first', 'n');
});
afterEach(async () => {
  await Promise.all(exporters.splice(0).map((exporter) => exporter.stop()));
});
afterAll(async () => {
  client?.close();
  await plane.stop();
});

describe('kruise-state-metrics', () => {
  it('exports every installed kind, its changes and deletions, and looks for one that is absent', async () => {
    const exporter = await launch(everyResource, '--metric-labels-allowlist=clonesets=[app.kubernetes.io/partOf]');
    for (const { label, namespaced } of installed) await showsAll(exporter, `kruise_${label}_created`, [namespaced ? 'n/first' : '/first']);
    expect((await exporter.families()).map(({ name }) => name)).toEqual(
      resourceKinds.flatMap(({ families }) => families.map(({ name }) => name)),
    );
    expect(await expositionFault(await exporter.text())).toBe('');
    expect(await expositionFault(await exporter.metrics())).toBe('');
    expect(exporter.log).toContain('Kind is not installed; checking again every minute');
    expect(await namesIn(exporter, 'kruise_cloneset_labels')).toEqual(['n/first/shop']);
    expect((await exporter.samples('kruise_cloneset_status_replicas_unavailable')).map(({ value }) => value)).toEqual([2]);

    const key = { namespace: 'n', name: 'second' };
    await create(cloneSetKind, key.name, key.namespace);
    await showsAll(exporter, created, ['n/first', 'n/second']);
    await client.patch(cloneSets, key, { spec: { replicas: 9 } }, { type: 'merge' });
    await eventually(async () => (await exporter.samples('kruise_cloneset_spec_replicas')).some(({ value }) => value === 9));
    await client.delete(cloneSets, key);
    await showsAll(exporter, created, ['n/first']);

    const own = await exporter.metrics();
    expect(own).toMatch(/^kube_state_metrics_list_total\{result="success",resource="\*v1alpha1\.CloneSet"\} [1-9]/m);
    expect(own).toContain('kruise_state_metrics_total_shards 1');
    expect(await exporter.ask('/healthz')).toEqual([200, 'OK']);
    expect(await exporter.stop()).toBe('code 0');
  });

  it('exports only the namespaces that it is given, each object from exactly one shard', async () => {
    for (const namespace of ['n', 'm']) for (let at = 0; at < 5; at++) await create(cloneSetKind, `shared-${at}`, namespace);
    const flags = ['--namespaces=m', '--total-shards=2'];
    const shards = [await launch(...flags, '--shard=0'), await launch(...flags, '--shard=1')];
    const wanted = Array.from({ length: 5 }, (_, at) => `m/shared-${at}`);
    await eventually(async () => {
      const seen = await Promise.all(shards.map((shard) => namesIn(shard, created)));
      return seen.flat().length === wanted.length;
    });
    const [first = [], second = []] = await Promise.all(shards.map((shard) => namesIn(shard, created)));
    expect([...first, ...second].toSorted()).toEqual(wanted);
    // A cluster-scoped kind is in one of them, too, whatever the namespaces are.
    await eventually(
      async () => (await Promise.all(shards.map((shard) => namesIn(shard, 'kruise_sidecarset_created')))).flat().join() === '/first',
    );
  });

  it('exports the other kinds when it may not read one, counts the errors, and follows again after a restart of the API server', async () => {
    await grant(
      'reader',
      installed.filter(({ resource }) => resource !== 'sidecarsets'),
    );
    const exporter = await launch(`--kubeconfig=${plane.kubeconfigFor('reader')}`, '--resources=sidecarsets,daemonsets');
    await showsAll(exporter, 'kruise_daemonset_created', ['n/first']);
    const failures = /^kruise_state_metrics_list_total\{result="error",resource="\*v1alpha1\.SidecarSet"\} [1-9]/m;
    await eventually(async () => failures.test(await exporter.metrics()));
    expect(await namesIn(exporter, 'kruise_sidecarset_created')).toEqual([]);
    await plane.restartApiServer();
    expect(await namesIn(exporter, 'kruise_daemonset_created')).toEqual(['n/first']);
    await create(
      resourceKinds.find(({ resource }) => resource === 'daemonsets')!,
      'second',
      'n',
    );
    await showsAll(exporter, 'kruise_daemonset_created', ['n/first', 'n/second']);
  });

  it('ends with code 1 when the API server cannot be reached at the start, or an option is wrong', async () => {
    const [port = 0] = await findFreePorts(1);
    const unreachable = await ExporterProcess.launch([`--apiserver=http://127.0.0.1:${port}`]);
    const unknown = await ExporterProcess.launch(['--resources=foo']);
    expect([await unreachable.ended, await unknown.ended]).toEqual(['code 1', 'code 1']);
    expect(unreachable.log).toContain('the API server cannot be reached');
    expect(unknown.log).toContain('resource foo does not exist. Available resources: ');
  });
});

const rbac = (kind: string, plural: string): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});

/** The right to read these kinds, and no other. */
async function grant(user: string, kinds: readonly ResourceKind[]): Promise<void> {
  const rules = kinds.map(({ types, resource }) => ({ apiGroups: [types[0]!.group], resources: [resource], verbs: ['list', 'watch'] }));
  await client.create(rbac('ClusterRole', 'clusterroles'), { metadata: { name: user }, rules } as KubeObject);
  const binding = {
    metadata: { name: user },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
  };
  await client.create(rbac('ClusterRoleBinding', 'clusterrolebindings'), binding);
}
