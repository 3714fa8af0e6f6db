/** Deletion protection with a real API server and a manager process. @see spec/deletion-protection.md 9 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cloneSets,
  cloneSetsV1Alpha1,
  labels,
  statefulSets,
  statefulSetsV1Alpha1,
  unitedDeployments,
  unitedDeploymentsV1Alpha1,
} from '@kruise/api';
import { createClient, isFailure, loadClusterConfig, type Client, urlPath } from '@kruise/kube';
import {
  customResourceDefinitions,
  namespaces,
  persistentVolumeClaims,
  pods,
  validatingWebhookConfigurations,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import { eventually, expositionFault, type ControlPlane } from '@kruise/testing';
import { startInstalledPlane } from '../../int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../int-tests/processes/manager-process.testing.ts';
import { unspecifiedIn } from '../../metrics/specified.testing.ts';

const waitMs = 180_000;
const denial = 'forbidden by ResourcesProtectionDeletion';
const typeOf = (group: string, kind: string, plural: string, version = 'v1', namespaced = true): ResourceType => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
const deployments = typeOf('apps', 'Deployment', 'deployments');
const replicaSets = typeOf('apps', 'ReplicaSet', 'replicasets');
const builtInStatefulSets = typeOf('apps', 'StatefulSet', 'statefulsets');
const services = typeOf('', 'Service', 'services');
const ingresses = typeOf('networking.k8s.io', 'Ingress', 'ingresses');
const games = typeOf('example.org', 'Game', 'games');

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
const selector = { matchLabels: { app: 'web' } };
/** `serviceName` is a member of StatefulSets alone, and pruned elsewhere. */
const workload = (replicas: number): object => ({ spec: { replicas, selector, template, serviceName: 'web' } });
const united = (replicas: number): object => ({
  spec: {
    replicas,
    selector,
    template: { cloneSetTemplate: { metadata: { labels: { app: 'web' } }, spec: { selector, template } } },
    topology: { subsets: [{ name: 'a' }] },
  },
});

describe('deletion protection', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-manager-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let client: Client;

  beforeAll(async () => {
    plane = await startInstalledPlane({ simulatedNodes: 0, controllers: false });
    client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
    // The Pod webhook is off: the guards must not care.
    const gates = 'ResourcesDeletionProtection=true,DeletionProtectionForCRDCascadingGate=true,PodWebhook=false';
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags: [`--feature-gates=${gates}`] });
    await manager.start();
    await client.create(namespaces, { metadata: { name: 'work' } });
    // The API server learns a moment later where the manager answers. This one is refused by the manager alone.
    const spec = { replicas: 0, selector: { matchLabels: { app: 'other' } }, template };
    const faulty = { metadata: { name: 'faulty', namespace: 'work' }, spec } as KubeObject;
    const isRefused = (): Promise<boolean> =>
      client.create<KubeObject>(cloneSets, faulty, { dryRun: true }).then(
        () => false,
        (error: Error) => error.message.includes('spec.template.metadata.labels'),
      );
    await eventually(isRefused, waitMs);
  });
  afterAll(async () => {
    await manager.signal('SIGKILL');
    client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const label = (type: ResourceType, key: ObjectKey, value: string | null): Promise<KubeObject> =>
    client.patch(type, key, { metadata: { labels: { [labels.deleteProtection]: value } } }, { type: 'merge' });
  const refusal = (type: ResourceType, key: ObjectKey, options: object = {}): Promise<string> =>
    client.delete(type, key, options).then(
      () => 'none',
      (error: Error) => error.message,
    );
  const at = (name: string, namespace = 'work'): ObjectKey => ({ namespace, name });
  const make = (type: ResourceType, name: string, more: object = {}, metadata: object = {}): Promise<KubeObject> =>
    client.create(type, { metadata: { name, ...(type.namespaced ? { namespace: 'work' } : {}), ...metadata }, ...more });

  it('a namespace stays for its label, its Pods and its claims (1, 2, 10, 12)', async () => {
    const key = at('guarded', '');
    await make(namespaces, 'guarded', {}, { labels: { [labels.deleteProtection]: 'Always' } });
    expect(await refusal(namespaces, key)).toContain(`${denial} for ${labels.deleteProtection}=Always`);
    expect(await refusal(namespaces, key, { dryRun: true })).toContain(denial);
    const metrics = await manager.metrics();
    expect(await expositionFault(metrics)).toBe('');
    expect(unspecifiedIn(metrics)).toEqual([]);
    expect(metrics).toMatch(/namespace_deletion_protection\{name="guarded",username="admin"\} 2/);
    await label(namespaces, key, 'Cascading');
    await make(pods, 'p', { spec: { containers: template.spec.containers } }, { namespace: 'guarded' });
    await client.patch(pods, at('p', 'guarded'), { status: { phase: 'Running' } }, { type: 'merge', subresource: 'status' });
    expect(await refusal(namespaces, key)).toContain('=Cascading and active pods 1>0');
    await client.patch(pods, at('p', 'guarded'), { status: { phase: 'Succeeded' } }, { type: 'merge', subresource: 'status' });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await make(persistentVolumeClaims, 'c', { spec }, { namespace: 'guarded' });
    await client.patch(
      persistentVolumeClaims,
      at('c', 'guarded'),
      { status: { phase: 'Bound' } },
      { type: 'merge', subresource: 'status' },
    );
    expect(await refusal(namespaces, key)).toContain('=Cascading and "Bound" status pvc 1>0');
    await client.patch(persistentVolumeClaims, at('c', 'guarded'), { status: { phase: 'Lost' } }, { type: 'merge', subresource: 'status' });
    expect(await refusal(namespaces, key)).toBe('none');
    // The manager answers first and appends to the log afterwards.
    const logged = (): readonly string[] => readFileSync(join(dir, 'protection.log'), 'utf8').trim().split('\n');
    await eventually(() => logged().length >= 4, waitMs);
    const lines = logged();
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      Event: 'DeletionProtection',
      Kind: 'Namespace',
      Namespace: '',
      Name: 'guarded',
      UserAgent: 'admin',
    });
    expect(lines).toHaveLength(4);
  });

  it('a CRD stays for its label and its objects, and is deleted with the very next request (3)', async () => {
    const key = at('games.example.org', '');
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const names = { plural: 'games', singular: 'game', kind: 'Game', listKind: 'GameList' };
    await make(customResourceDefinitions, key.name, { spec: { group: 'example.org', scope: 'Namespaced', names, versions } });
    await label(customResourceDefinitions, key, 'Always');
    expect(await refusal(customResourceDefinitions, key)).toContain(denial);
    await label(customResourceDefinitions, key, 'Cascading');
    await eventually(
      async () =>
        make(games, 'one').then(
          () => true,
          (error: unknown) => isFailure(error, 'AlreadyExists'),
        ),
      waitMs,
    );
    expect(await refusal(customResourceDefinitions, key)).toContain('=Cascading and active CRs 1>0');
    await client.delete(games, at('one'));
    expect(await refusal(customResourceDefinitions, key)).toBe('none');
  });

  it.each<{ name: string; type: ResourceType; object: (replicas: number) => object }>([
    { name: 'Deployment', type: deployments, object: workload },
    { name: 'ReplicaSet', type: replicaSets, object: workload },
    { name: 'StatefulSet', type: builtInStatefulSets, object: workload },
    { name: 'CloneSet', type: cloneSets, object: workload },
    { name: 'CloneSet in v1alpha1', type: cloneSetsV1Alpha1, object: workload },
    { name: 'Advanced StatefulSet', type: statefulSets, object: workload },
    { name: 'Advanced StatefulSet in v1alpha1', type: statefulSetsV1Alpha1, object: workload },
    { name: 'UnitedDeployment', type: unitedDeployments, object: united },
    { name: 'UnitedDeployment in v1alpha1', type: unitedDeploymentsV1Alpha1, object: united },
  ])(
    '$name: it stays for its label and its replicas, and can be deleted when it is already terminating (5, 7, 11)',
    async ({ name, type, object }) => {
      const key = at(name.toLowerCase().replaceAll(' ', '-'));
      await make(type, key.name, object(2));
      await label(type, key, 'Always');
      expect(await refusal(type, key)).toContain('=Always');
      await label(type, key, 'Cascading');
      expect(await refusal(type, key)).toContain('=Cascading and replicas 2>0');
      await client.patch(type, key, { spec: { replicas: 0 } }, { type: 'merge' });
      expect(await refusal(type, key, { dryRun: true })).toBe('none');
      await label(type, key, 'Weird');
      await client.patch(type, key, { metadata: { finalizers: ['example.org/held'] } }, { type: 'merge' });
      expect(await refusal(type, key)).toBe('none');
      // Going, and held back by its finalizer.
      await label(type, key, 'Always');
      expect(await refusal(type, key)).toBe('none');
      await client.patch(type, key, { metadata: { finalizers: null } }, { type: 'merge' });
    },
  );

  it('the garbage collector is refused as anybody is: what a label keeps outlives its owner until it is unlabelled', async () => {
    const owner = await make(deployments, 'owner', workload(0));
    const metadata = {
      labels: { [labels.deleteProtection]: 'Always' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'owner', uid: owner.metadata.uid ?? '', controller: true }],
    };
    await make(replicaSets, 'owned', workload(0), metadata);
    await client.delete(deployments, at('owner'), { propagationPolicy: 'Background' });
    const username = 'system:serviceaccount:kube-system:generic-garbage-collector';
    const collector = createClient(loadClusterConfig({ path: plane.kubeconfigFor(username) }), { userAgent: 'garbage-collector' });
    await expect(collector.delete(replicaSets, at('owned'), { propagationPolicy: 'Background' })).rejects.toThrow(denial);
    collector.close();
    expect(await manager.metrics()).toContain(
      `workload_deletion_protection{kind_namespace_name="ReplicaSet_work_owned",username="${username}"} 1`,
    );
    await label(replicaSets, at('owned'), null);
    expect(await refusal(replicaSets, at('owned'))).toBe('none');
  });

  it('Services and Ingresses stay for Always alone (6)', async () => {
    await make(services, 's', { spec: { ports: [{ port: 80 }] } });
    await make(ingresses, 'i', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } });
    for (const [type, name] of [
      [services, 's'],
      [ingresses, 'i'],
    ] as const) {
      await label(type, at(name), 'Always');
      expect(await refusal(type, at(name))).toContain('=Always');
      await label(type, at(name), 'Cascading');
      expect(await refusal(type, at(name), { dryRun: true })).toBe('none');
      await label(type, at(name), null);
      expect(await refusal(type, at(name))).toBe('none');
    }
    expect(await manager.metrics()).toMatch(/workload_deletion_protection\{kind_namespace_name="Service_work_s",username="admin"\} 1/);
  });

  it('no way around the label: force, grace, propagation and collections are asked about, too', async () => {
    await make(services, 'held', { spec: { ports: [{ port: 80 }] } });
    await label(services, at('held'), 'Always');
    for (const options of [
      { gracePeriodSeconds: 0 },
      { propagationPolicy: 'Orphan' },
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Background' },
    ])
      expect(await refusal(services, at('held'), options)).toContain(denial);
    const collection = client.raw(urlPath`/api/v1/namespaces/work/services`, { method: 'DELETE' });
    await expect(collection).rejects.toThrow(denial);
    await label(services, at('held'), null);
  });

  it('with the gate off everything may go, and two webhooks are not there (8)', async () => {
    const names = async (): Promise<readonly string[]> => {
      const held = await client.get(validatingWebhookConfigurations, at('kruise-validating-webhook-configuration', ''));
      return (held as KubeObject & { readonly webhooks: readonly { readonly name: string }[] }).webhooks.map(({ name }) => name);
    };
    expect(await names()).toEqual(expect.arrayContaining(['vservice.kb.io', 'vingress.kb.io', 'vnamespace.kb.io']));
    await make(services, 'free', { spec: { ports: [{ port: 80 }] } });
    await label(services, at('free'), 'Always');
    await make(cloneSets, 'unlabelled', workload(1));
    await manager.signal('SIGTERM');
    // No replica answers: labelled objects stay, others can be deleted (9).
    expect(await refusal(services, at('free'))).not.toBe('none');
    await make(services, 'unlabelled', { spec: { ports: [{ port: 80 }] } });
    expect(await refusal(services, at('unlabelled'))).toBe('none');
    expect(await refusal(cloneSets, at('unlabelled'))).toBe('none');
    const off = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: join(dir, 'off') });
    try {
      await off.start();
      expect(off.log).toContain('Deletion protection is off');
      await eventually(async () => !(await names()).includes('vservice.kb.io'), waitMs);
      expect(await names()).toContain('vnamespace.kb.io');
      // The API server reads the configuration a moment later than it shows it.
      await eventually(async () => (await refusal(services, at('free'))) === 'none', waitMs);
      await make(namespaces, 'free', {}, { labels: { [labels.deleteProtection]: 'Always' } });
      expect(await refusal(namespaces, at('free', ''))).toBe('none');
    } finally {
      await off.signal('SIGKILL');
    }
  });
});
