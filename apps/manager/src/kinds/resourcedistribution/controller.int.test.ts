/** ResourceDistributions with a real API server, the namespace controller and garbage collector of Kubernetes, and a manager process. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  resourceDistributionAnnotations,
  resourceDistributions,
  resourceDistributionsV1Alpha1,
  type ResourceDistributionV1Alpha1,
} from '@kruise/api';
import { createClient, loadClusterConfig, unlessDeleted, type Client, urlPath } from '@kruise/kube';
import { configMaps, namespaces, secrets, type ConfigMap, type KubeObject } from '@kruise/objects';
import { ensureBinaries, eventually, silent, type ControlPlane } from '@kruise/testing';
import { parse, stringify } from 'yaml';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { key, named, RealDistributions, refusal, renamed } from './real-distributions.testing.ts';
import { configMap, list, secret } from '@kruise/kinds/resourcedistribution/testing';

const waitMs = 180_000;

/** The bytes of an answer, as a client that parses nothing receives them. */
async function rawText(kubeconfigPath: string, path: string): Promise<string> {
  const { clusters, users } = parse(readFileSync(kubeconfigPath, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } }[];
    readonly users: readonly { readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string } }[];
  };
  const [cluster, user] = [clusters[0]!.cluster, users[0]!.user];
  const from64 = (text: string): Buffer => Buffer.from(text, 'base64');
  const ca = from64(cluster['certificate-authority-data']);
  const [cert, key] = [from64(user['client-certificate-data']), from64(user['client-key-data'])];
  return new Promise((resolve, reject) => {
    get(new URL(path, cluster.server), { ca, cert, key, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    }).on('error', reject);
  });
}

let plane: ControlPlane;
beforeAll(async () => void (plane = await startInstalledPlane({ simulatedNodes: 0 })));
afterAll(() => plane.stop());

describe('ResourceDistributions', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  const open = (path: string): Client => createClient(loadClusterConfig({ path }), { userAgent: 'integration-test' });
  let manager: ManagerProcess;
  let client: Client;
  let fixture: RealDistributions;

  beforeAll(async () => {
    client = open(plane.kubeconfigPath);
    fixture = new RealDistributions(client);
    manager = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir,
      flags: ['--feature-gates=ResourceDistributionGate=true', '--enable-leader-election=false'],
    });
    for (const name of ['ns-1', 'ns-2', 'ns-3', 'ns-4']) await fixture.namespace(name, { group: 'one' });
    await fixture.namespace('ns-5');
    await manager.start();
    await fixture.untilRefusals();
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    client.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('copies are where they should be, with the hash of the bytes of the API server in both versions (2, 13, 14)', async () => {
    const data = { html: '<a href="x">&</a>', separators: '\u2028\u2029', text: 'grüße 😀', '10': 'ten', '2': 'two' };
    const targets = {
      ...named('ns-1', 'ns-2', 'ns-5'),
      namespaceSelector: { matchLabels: { group: 'one' } },
      excludedNamespaces: list('ns-4'),
    };
    await fixture.make('first', targets, { ...configMap, metadata: { name: 'first' }, data });
    await fixture.untilPlaces('first', ['ns-1', 'ns-2', 'ns-3', 'ns-5']);
    await fixture.untilCounts('first', 4, 4, 0);
    const { status } = await fixture.read('first');
    expect(status?.conditions?.map((one) => `${one.status} ${one.reason}`)).toEqual(Array.from({ length: 6 }, () => 'False Succeeded'));
    expect(status).not.toHaveProperty('failed');
    const copy = await client.get(configMaps, { namespace: 'ns-3', name: 'first' });
    for (const version of ['v1alpha1', 'v1beta1']) {
      // The value of spec.resource as it came over the wire: objects are printed with sorted members, and `targets` is the next.
      const text = await rawText(plane.kubeconfigPath, `/apis/apps.kruise.io/${version}/resourcedistributions/first`);
      const from = text.indexOf('"resource":') + '"resource":'.length;
      const bytes = text.slice(from, text.indexOf(',"targets":', from));
      expect(JSON.parse(bytes)).toMatchObject({ kind: 'ConfigMap', data });
      expect(copy.metadata.annotations?.[resourceDistributionAnnotations.hash]).toBe(
        createHash('sha256').update(bytes, 'utf8').digest('hex'),
      );
    }
    expect(copy.metadata.annotations?.[resourceDistributionAnnotations.from]).toBe('first');
  });

  it('copies come to new namespaces and labels, are restored, and go with labels and targets (3, 4, 6)', async () => {
    await fixture.make('second', { namespaceSelector: { matchLabels: { group: 'one' } } }, renamed(configMap, 'second'));
    await fixture.untilPlaces('second', ['ns-1', 'ns-2', 'ns-3', 'ns-4']);
    await fixture.namespace('ns-6', { group: 'one' });
    await client.patch(namespaces, key('ns-5'), { metadata: { labels: { group: 'one' } } }, { type: 'merge' });
    await fixture.untilPlaces('second', ['ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-5', 'ns-6']);
    await client.patch(namespaces, key('ns-5'), { metadata: { labels: { group: null } } }, { type: 'merge' });
    await fixture.untilPlaces('second', ['ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-6']);
    const copy = { namespace: 'ns-1', name: 'second' };
    await client.patch(configMaps, copy, { data: { color: 'red' }, metadata: { labels: { mine: '1' } } }, { type: 'merge' });
    await client.delete(configMaps, { namespace: 'ns-2', name: 'second' });
    await fixture.untilPlaces('second', ['ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-6']);
    await eventually(async () => (await client.get(configMaps, copy)).data?.['color'] === 'blue', waitMs);
    expect((await client.get(configMaps, copy)).metadata.labels).toEqual({ mine: '1' });
    await client.patch(
      resourceDistributions,
      key('second'),
      { spec: { targets: { namespaceSelector: null, ...named('ns-3') } } },
      { type: 'merge' },
    );
    await fixture.untilPlaces('second', ['ns-3']);
    await fixture.untilCounts('second', 1, 1, 0);
  });

  it('a namespace that is deleted is reported, and served again when it is created again (5)', async () => {
    await fixture.namespace('short-lived');
    await fixture.make('third', named('short-lived', 'ns-1'), renamed(configMap, 'third'));
    await fixture.untilCounts('third', 2, 2, 0);
    await client.delete(namespaces, key('short-lived'));
    await fixture.untilCounts('third', 2, 1, 1);
    expect(await fixture.conditionOf('third', 5)).toMatchObject({
      status: 'True',
      failedNamespaces: ['short-lived'],
      reason: 'namespace not found or is terminating',
    });
    await eventually(async () => (await unlessDeleted(client.get(namespaces, key('short-lived')))) === undefined, waitMs);
    await fixture.namespace('short-lived');
    await fixture.untilCounts('third', 2, 2, 0);
    await fixture.untilPlaces('third', ['ns-1', 'short-lived']);
  });

  it('the object of another owner stays unchanged, and is replaced when it is deleted (9)', async () => {
    await client.create(configMaps, { metadata: { namespace: 'ns-2', name: 'fourth' }, data: { of: 'somebody else' } });
    await fixture.make('fourth', named('ns-1', 'ns-2'), renamed(configMap, 'fourth'));
    await fixture.untilCounts('fourth', 2, 1, 1);
    expect(await fixture.conditionOf('fourth', 4)).toMatchObject({ status: 'True', failedNamespaces: ['ns-2'] });
    expect((await client.get(configMaps, { namespace: 'ns-2', name: 'fourth' })).data).toEqual({ of: 'somebody else' });
    await client.delete(configMaps, { namespace: 'ns-2', name: 'fourth' });
    await fixture.untilCounts('fourth', 2, 2, 0);
  });

  it('all namespaces get a Secret but those of the system, and it is deleted with its distribution (7, 8, 16)', async () => {
    await fixture.make('fifth', { allNamespaces: true, ...named('kube-system') }, secret);
    const all = (await client.list(namespaces)).items.map(({ metadata }) => metadata.name);
    const targets = all.filter((name) => !['kube-system', 'kube-public'].includes(name)).toSorted();
    await fixture.untilPlaces('token', targets, secrets);
    await fixture.untilCounts('fifth', targets.length, targets.length, 0);
    const version = async (): Promise<string | undefined> =>
      (await client.get(secrets, { namespace: 'ns-1', name: 'token' })).metadata.resourceVersion;
    const before = await version();
    await client.patch(resourceDistributions, key('fifth'), { spec: { targets: { excludedNamespaces: list('ns-5') } } }, { type: 'merge' });
    await fixture.untilCounts('fifth', targets.length - 1, targets.length - 1, 0);
    expect(await version()).toBe(before);
    await client.delete(resourceDistributions, key('fifth'), { propagationPolicy: 'Background' });
    await fixture.untilPlaces('token', [], secrets);
  });

  it('what cannot be is refused (10, 11, 12)', async () => {
    await fixture.make('sixth', named('ns-1'), renamed(configMap, 'sixth'));
    for (const resource of [{ metadata: { name: 'other' } }, { kind: 'Secret' }, { apiVersion: 'v2' }])
      expect(await refusal(fixture.change('sixth', { resource }))).toContain('resource apiVersion, kind, and name are immutable');
    expect(await refusal(fixture.make('bad', {}, { ...configMap, kind: 'Service' }))).toContain(
      'unknown or unsupported resource GroupKind',
    );
    expect(await refusal(fixture.make('bad', {}, renamed(configMap, 'BADNAME')))).toContain('spec.resource is invalid: ');
    expect(await refusal(fixture.make('bad', {}, { ...configMap, data: { a: 1 } }))).toContain('spec.resource is invalid: ');
    expect(await refusal(fixture.make('bad', {}, { ...configMap, apiVersion: 'v2' }))).toContain(
      'failed to dry-run validate spec.resource',
    );
    expect(await refusal(fixture.make('bad', {}, { ...configMap, metadata: { name: 'x', resourceVersion: '1', uid: 'u' } }))).toContain(
      'spec.resource is invalid',
    );
    expect(await refusal(fixture.make('bad', { ...named('a'), excludedNamespaces: list('a') }, configMap))).toContain('ambiguous targets');
    expect(await fixture.placesOf('settings')).toEqual([]);
  });

  it('v1alpha1 and v1beta1 say the same (13, 15)', async () => {
    const alpha: ResourceDistributionV1Alpha1 = {
      metadata: { name: 'seventh' },
      spec: {
        resource: { ...configMap, metadata: { name: 'seventh', namespace: 'ignored' } },
        targets: { namespaceLabelSelector: { matchLabels: { group: 'none' } }, ...named('ns-1') },
      },
    };
    await client.create(resourceDistributionsV1Alpha1, alpha);
    await fixture.untilPlaces('seventh', ['ns-1']);
    expect((await fixture.read('seventh')).spec.targets).toEqual({
      namespaceSelector: { matchLabels: { group: 'none' } },
      ...named('ns-1'),
    });
    const back = await client.get(resourceDistributionsV1Alpha1, key('seventh'));
    expect(back.spec.targets).toEqual(alpha.spec.targets);
    const owner = (await client.get(configMaps, { namespace: 'ns-1', name: 'seventh' })).metadata.ownerReferences?.[0];
    expect(owner).toMatchObject({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ResourceDistribution', name: 'seventh', controller: true });
  });

  it.each([
    { version: 'v1alpha1', way: 'client-side', flags: [] },
    { version: 'v1alpha1', way: 'server-side', flags: ['--server-side'] },
    { version: 'v1beta1', way: 'client-side', flags: [] },
    { version: 'v1beta1', way: 'server-side', flags: ['--server-side'] },
  ])('the same manifest twice by kubectl changes nothing: in $version, $way', async ({ version, way, flags }) => {
    const { kubectl } = await ensureBinaries(['kubectl'], silent);
    const run = async (...args: readonly string[]): Promise<string> =>
      (await promisify(execFile)(kubectl, ['--kubeconfig', plane.kubeconfigPath, ...args])).stdout.trim();
    const name = `twice-${version}-${way}`;
    const selector = version === 'v1alpha1' ? 'namespaceLabelSelector' : 'namespaceSelector';
    const object = {
      apiVersion: `apps.kruise.io/${version}`,
      kind: 'ResourceDistribution',
      metadata: { name },
      // Without a type, which the API server fills in where copies are, and with contents that it folds into others.
      spec: { resource: renamed(secret, name), targets: { ...named('ns-1'), [selector]: { matchLabels: { group: 'none' } } } },
    };
    const file = join(dir, `${name}.yaml`);
    writeFileSync(file, stringify(object));
    await run('apply', ...flags, '-f', file);
    await fixture.untilCounts(name, 1, 1, 0);
    const place = { namespace: 'ns-1', name };
    const [before, copy] = [await fixture.read(name), await client.get(secrets, place)];
    expect(await run('apply', ...flags, '-f', file)).toMatch(way === 'server-side' ? / serverside-applied$/ : / unchanged$/);
    expect(await run('diff', ...flags, '-f', file)).toBe('');
    // Enqueues a pass over the same targets.
    await client.patch(resourceDistributions, key(name), { spec: { targets: { excludedNamespaces: list('nowhere') } } }, { type: 'merge' });
    await fixture.untilCounts(name, 1, 1, 0);
    expect(before.metadata.generation).toBe(1);
    expect(await client.get(secrets, place)).toEqual(copy);
  });

  describe('attempts to bypass it', () => {
    let tenant: Client;
    beforeAll(async () => {
      tenant = open(plane.kubeconfigFor('tenant'));
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' };
      // All that Kubernetes lets an administrator of a namespace do.
      const binding = {
        metadata: { name: 'tenant' },
        roleRef,
        subjects: [{ kind: 'User', name: 'tenant', apiGroup: 'rbac.authorization.k8s.io' }],
      };
      for (const namespace of ['ns-1', 'ns-5'])
        await client.raw(urlPath`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
          method: 'POST',
          body: binding,
        });
      await fixture.make('guarded', named('ns-1', 'ns-2'), { ...secret, metadata: { name: 'guarded' } });
      await fixture.untilPlaces('guarded', ['ns-1', 'ns-2'], secrets);
    });
    afterAll(() => tenant.close());

    const forged = async (namespace: string, more: object = {}): Promise<KubeObject> => {
      const { uid = '' } = (await fixture.read('guarded')).metadata;
      const ownerReferences = [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'ResourceDistribution', name: 'guarded', uid, controller: true },
      ];
      return { metadata: { name: 'guarded', namespace, ownerReferences, ...more } };
    };

    it.each<{ name: string; attempt: () => Promise<unknown>; refused: RegExp }>([
      {
        name: 'makes one',
        attempt: () =>
          tenant.create(resourceDistributions, { metadata: { name: 'mine' }, spec: { resource: secret, targets: named('ns-5') } }),
        refused: /forbidden/,
      },
      {
        name: 'makes one in v1alpha1',
        attempt: () =>
          tenant.create(resourceDistributionsV1Alpha1, { metadata: { name: 'mine' }, spec: { resource: secret, targets: {} } }),
        refused: /forbidden/,
      },
      {
        name: 'widens one',
        attempt: () => tenant.patch(resourceDistributions, key('guarded'), { spec: { targets: named('ns-5') } }, { type: 'merge' }),
        refused: /forbidden/,
      },
      {
        name: 'applies one',
        attempt: () =>
          tenant.patch(
            resourceDistributions,
            key('guarded'),
            {
              apiVersion: 'apps.kruise.io/v1beta1',
              kind: 'ResourceDistribution',
              metadata: { name: 'guarded' },
              spec: { targets: named('ns-5') },
            },
            { type: 'apply', fieldManager: 'x', force: true },
          ),
        refused: /forbidden/,
      },
      { name: 'reads one', attempt: () => tenant.get(resourceDistributions, key('guarded')), refused: /forbidden/ },
      { name: 'lists them', attempt: () => tenant.list(resourceDistributions), refused: /forbidden/ },
      { name: 'deletes one', attempt: () => tenant.delete(resourceDistributions, key('guarded')), refused: /forbidden/ },
      {
        name: 'writes its status',
        attempt: async () => tenant.updateStatus(resourceDistributions, { ...(await fixture.read('guarded')), status: { desired: 9 } }),
        refused: /forbidden/,
      },
      {
        name: 'labels a namespace',
        attempt: () => tenant.patch(namespaces, key('ns-5'), { metadata: { labels: { group: 'one' } } }, { type: 'merge' }),
        refused: /forbidden/,
      },
      {
        name: 'makes a namespace',
        attempt: () => tenant.create(namespaces, { metadata: { name: 'ns-9', labels: { group: 'one' } } }),
        refused: /forbidden/,
      },
      {
        name: 'reads the copy of another namespace',
        attempt: () => tenant.get(secrets, { namespace: 'ns-2', name: 'guarded' }),
        refused: /forbidden/,
      },
    ])('no tenant $name', async ({ attempt, refused }) => {
      await expect(attempt()).rejects.toThrow(refused);
    });

    it('a forged copy in a namespace that is no target gets nothing, and is taken away as any that is no target', async () => {
      const made = await tenant.create(secrets, await forged('ns-5'));
      await client.patch(
        resourceDistributions,
        key('guarded'),
        { spec: { targets: { excludedNamespaces: list('ns-5') } } },
        { type: 'merge' },
      );
      await fixture.untilPlaces('guarded', ['ns-1', 'ns-2'], secrets);
      expect(made).not.toHaveProperty('data');
    });

    it('a forged annotation makes no copy', async () => {
      await tenant.create(secrets, {
        metadata: { name: 'guarded', namespace: 'ns-5', annotations: { [resourceDistributionAnnotations.from]: 'guarded' } },
      });
      await client.patch(resourceDistributions, key('guarded'), { metadata: { labels: { touched: '1' } } }, { type: 'merge' });
      await fixture.untilCounts('guarded', 2, 2, 0);
      const mine = await client.get(secrets, { namespace: 'ns-5', name: 'guarded' });
      expect(mine.data).toBeUndefined();
      await client.delete(secrets, { namespace: 'ns-5', name: 'guarded' });
    });

    it('a copy whose owner a tenant takes away is theirs from then on: a conflict, and nothing is overwritten', async () => {
      await tenant.patch(secrets, { namespace: 'ns-1', name: 'guarded' }, { metadata: { ownerReferences: null } }, { type: 'merge' });
      await fixture.untilCounts('guarded', 2, 1, 1);
      expect(await fixture.conditionOf('guarded', 4)).toMatchObject({ failedNamespaces: ['ns-1'] });
      await tenant.delete(secrets, { namespace: 'ns-1', name: 'guarded' });
      await fixture.untilCounts('guarded', 2, 2, 0);
    });

    it('an edit of a copy is put right, one with a finalizer too', async () => {
      const at = { namespace: 'ns-1', name: 'guarded' };
      await tenant.patch(secrets, at, { data: { password: 'eA==' }, metadata: { finalizers: ['example.org/held'] } }, { type: 'merge' });
      await eventually(
        async () => (await client.get(secrets, at)).data?.['password'] === Buffer.from('hunter2').toString('base64'),
        waitMs,
      );
      await tenant.delete(secrets, at);
      await tenant.patch(secrets, at, { metadata: { finalizers: null } }, { type: 'merge' });
      await fixture.untilPlaces('guarded', ['ns-1', 'ns-2'], secrets);
      await fixture.untilCounts('guarded', 2, 2, 0);
      expect(await fixture.conditionOf('guarded', 4)).toMatchObject({ status: 'False' });
    });
  });

  it('100 namespaces cost at most 1.2 writes each', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `many-${i}`);
    for (const name of names) await fixture.namespace(name, { many: 'yes' });
    const requests = async (method: string): Promise<number> =>
      (await manager.metrics())
        .split('\n')
        .filter((line) => line.startsWith('rest_client_requests_total{') && line.includes(`method="${method}"`))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    const before = [await requests('POST'), await requests('PUT'), await requests('PATCH'), await requests('DELETE')];
    await fixture.make('many', { namespaceSelector: { matchLabels: { many: 'yes' } } }, renamed(configMap, 'many'));
    await fixture.untilCounts('many', 100, 100, 0);
    const after = [await requests('POST'), await requests('PUT'), await requests('PATCH'), await requests('DELETE')];
    // A status, and another one for a pass that began before the last namespace was seen.
    expect(after.reduce((sum, count, at) => sum + count - (before[at] ?? 0), 0)).toBeLessThanOrEqual(120);
    expect((after[0] ?? 0) - (before[0] ?? 0)).toBe(100);
  });

  it('a restarted manager writes nothing while nothing changes', async () => {
    const versions = async (): Promise<readonly string[]> => {
      const all: readonly KubeObject[] = [
        ...(await client.list(resourceDistributions)).items,
        ...(await client.list<ConfigMap>(configMaps)).items.filter(
          ({ metadata }) => metadata.annotations?.[resourceDistributionAnnotations.from] !== undefined,
        ),
      ];
      return all.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name} ${metadata.resourceVersion ?? ''}`);
    };
    const before = await versions();
    expect(before.length).toBeGreaterThan(10);
    await manager.signal('SIGTERM');
    await manager.start();
    // Enqueues every pass, and its end shows that all of them have been.
    await fixture.make('last', named('ns-1'), renamed(configMap, 'last'));
    await fixture.untilCounts('last', 1, 1, 0);
    expect((await versions()).filter((one) => !one.includes('last'))).toEqual(before);
  });
});

describe('with the gate off', () => {
  it('every write is refused, deletions are not, and copies stay (1)', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
    const flags = ['--enable-leader-election=false'];
    const off = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags });
    const on = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir,
      flags: [...flags, '--feature-gates=ResourceDistributionGate=true'],
    });
    const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
    const fixture = new RealDistributions(client);
    const denial = 'feature-gate ResourceDistributionGate is not enabled';
    try {
      await on.start();
      await fixture.untilRefusals();
      await fixture.make('held', named('default'), configMap);
      await fixture.untilPlaces('settings', ['default']);
      await on.signal('SIGTERM');
      await off.start();
      await eventually(async () => (await refusal(fixture.make('x', {}, configMap))).includes(denial), waitMs);
      expect(await refusal(fixture.change('held', { targets: named('kruise-system') }))).toContain(denial);
      expect(await fixture.placesOf('settings')).toEqual(['default']);
      expect(await refusal(client.delete(resourceDistributions, key('held')))).toBe('none');
    } finally {
      await on.signal('SIGKILL');
      await off.signal('SIGKILL');
      client.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
