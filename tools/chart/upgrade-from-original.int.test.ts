/**
 * Upgrades of releases of the original chart to this one, and the return, on a real API server: no object is recreated, no Pod and no revision is
 * written to. The original is what is recorded of it. The manager runs as a process beside the cluster, and so does the job that migrates
 * the storage, with its rights.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { customResourceDefinitions, memberAt } from '@kruise/objects';
import { ensureBinaries, eventually, sampleOf, silent, startControlPlane, succeeds, type ControlPlane } from '@kruise/testing';
import { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { ManagerProcess } from '../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { forgetUrls } from './as-in-cluster.ts';
import { createOwnedObjects } from './owned-objects.ts';
import { originalValues, rbac, system, writeOriginalChart, type Json } from './original-release.ts';
import { chartFolder, helm, isServerSide, plainHelm } from './render.ts';
import { runHook } from './run-hook.ts';

const versions = ['1.8.3', '1.9.0'] as const;
const cloneSetsInBeta = 'clonesets.apps.kruise.io v1beta1';
const cloneSetsPath = '/apis/apps.kruise.io/v1alpha1/namespaces/shop/clonesets';
const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const kept = [
  `/api/v1/namespaces/${system}`,
  `/api/v1/namespaces/${system}/services/kruise-webhook-service`,
  `/api/v1/namespaces/${system}/secrets/kruise-webhook-certs`,
  `/apis/apps/v1/namespaces/${system}/deployments/kruise-controller-manager`,
  `/apis/apps/v1/namespaces/${system}/daemonsets/kruise-daemon`,
  `${crdsPath}/clonesets.apps.kruise.io`,
  `${crdsPath}/podunavailablebudgets.policy.kruise.io`,
  `/apis/${rbac}/v1/clusterrolebindings/kruise-manager-rolebinding`,
  `${cloneSetsPath}/web`,
];

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };
const cloneSet = (name: string, replicas = 3): object => ({
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: { name },
  spec: { replicas, selector: { matchLabels: { app: name } }, template: { ...template, metadata: { labels: { app: name } } } },
});

/** Values before a return; with the gate, the job may also write to copies of ResourceDistributions. */
const returning = [
  '--set',
  'crds.storageVersion=v1alpha1,crds.migrateStorage.enabled=true',
  '--set',
  'featureGates=ImagePullJobGate=true\\,ResourceDistributionGate=true',
];

/** The version that ends a trace changes with each write. */
const nameAndUid = (trace: string): string => trace.split(' ').slice(0, 2).join(' ');

describe("an upgrade of the original's release", () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-original-'));
  const valuesFile = join(dir, 'values.json');
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;
  /** Its CloneSet is deleted after the return. */
  let leaving: CloneSetFixture;

  const toOriginal = (version: string, ...flags: readonly string[]): Promise<string> =>
    helm(['upgrade', 'kruise', join(dir, version), '--reset-values', ...flags], plane.kubeconfigPath);
  /** With the values that the users of the original have, and one by which simulated nodes may run the agent beside the manager. */
  const upgradeOf = (flags: readonly string[]): readonly string[] => {
    const values = ['--reset-values', '-f', valuesFile, '--set', 'installation.podSecurity=none'];
    return ['upgrade', 'kruise', chartFolder, ...values, ...flags];
  };
  const toOurs = (...flags: readonly string[]): Promise<string> => helm(upgradeOf(flags), plane.kubeconfigPath);
  /** The value of a flag that only Helm 4 has. */
  const serverSide = (isWanted: boolean): readonly string[] => (isServerSide ? [`--server-side=${isWanted}`] : []);
  const stop = async (): Promise<void> => {
    await manager.signal('SIGTERM');
    await forgetUrls(fixture.client);
  };
  const get = async (path: string): Promise<{ readonly metadata: { readonly uid: string; readonly generation?: number } } & Json> =>
    (await plane.api.request(path)) as never;
  /** Stored versions other than v1alpha1, by CRD. */
  const storedOtherwise = async (): Promise<readonly string[]> => {
    const { items } = await fixture.client.list(customResourceDefinitions);
    return items.flatMap((crd) => {
      const stored = memberAt(crd, 'status', 'storedVersions') as readonly string[];
      return stored.filter((version) => version !== 'v1alpha1').map((version) => `${crd.metadata.name} ${version}`);
    });
  };

  /**
   * The garbage collector looks for new versions every 30 s. Before that, it cannot read the owner of a Pod in a new version, and tries later, with
   * growing pauses. A Pod whose owner no longer has this version at that moment, because of a rollback, would be deleted.
   */
  const untilCollectorReadsBeta = async (): Promise<void> => {
    const path = '/api/v1/namespaces/shop/configmaps';
    const names = new Set<unknown>();
    // A new ConfigMap each time, as it pauses longer for one that it has tried before. It deletes the first whose owner it can look for.
    await eventually(async () => {
      const ownerReferences = [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'absent', uid: randomUUID() }];
      const made = await plane.api.request(path, { method: 'POST', body: { metadata: { generateName: 'owned-', ownerReferences } } });
      names.add(memberAt(made, 'metadata', 'name'));
      await sleep(500);
      const { items } = (await plane.api.request(path)) as { readonly items: readonly Json[] };
      return items.filter((item) => names.has(memberAt(item, 'metadata', 'name'))).length < names.size;
    }, 90_000);
  };

  /**
   * Until the garbage collector watches CloneSets in the new version, it repeatedly reads each that owns a Pod. A rollback in that time makes the
   * owner look deleted. Called when the collector can read the version, as it then no longer watches the former one.
   */
  const untilCollectorWatches = async (): Promise<void> => {
    const path = `${cloneSetsPath}/watched`;
    await plane.api.request(cloneSetsPath, { method: 'POST', body: cloneSet('watched', 0) });
    await plane.api.request(path, { method: 'DELETE', body: { propagationPolicy: 'Foreground' } });
    // Only a collector that watches it removes the finalizer of this policy.
    await eventually(async () => !(await succeeds(plane.api.request(path))), 90_000);
  };

  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    for (const version of versions) writeOriginalChart(dir, version);
    writeFileSync(valuesFile, JSON.stringify(originalValues));
    plane = await startControlPlane({ controllers: true, simulatedNodes: 2, simulation: { startDelayMs: 50, stopDelayMs: 50 } });
    await helm(['install', 'kruise', join(dir, versions[0])], plane.kubeconfigPath);
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'shop');
    leaving = await CloneSetFixture.create(plane.kubeconfigPath, 'leaving');
    const flags = ['--feature-gates=ImagePullJobGate=true,ResourceDistributionGate=true'];
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: join(dir, 'manager'), flags });
    const isServed = (): Promise<boolean> => succeeds(plane.api.request(cloneSetsPath));
    await eventually(isServed);
  });
  afterAll(async () => {
    for (const { client } of [fixture, leaving]) client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('changes every object where it is, and leaves the workloads as they are', async () => {
    await plane.api.request(cloneSetsPath, { method: 'POST', body: cloneSet('web') });
    const storedBefore = await storedOtherwise();
    const before = await Promise.all(kept.map(get));
    expect(await toOurs()).toContain('Objects are still stored in v1alpha1');
    const after = await Promise.all(kept.map(get));
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.at(-1)).toEqual(before.at(-1));
    expect(after[2]).toMatchObject({ data: { 'ca-cert.pem': 'YQ==' } });
    expect((after[1]?.['spec'] as Json)['clusterIP']).toBe((before[1]?.['spec'] as Json)['clusterIP']);
    // Until a manager can convert, the API server stores what it stored before, however often Helm upgrades.
    await forgetUrls(fixture.client);
    await plane.api.request(`${cloneSetsPath}?dryRun=All`, { method: 'POST', body: cloneSet('created-meanwhile') });
    await toOurs();
    expect(await storedOtherwise()).toEqual(storedBefore);
    await untilCollectorReadsBeta();
    await manager.start();
    await fixture.untilRolledOut('web');
    expect((await fixture.pods('web')).length).toBe(3);
    await untilCollectorWatches();
  });

  it('is undone by a rollback as long as nothing is stored in v1beta1', async () => {
    const before = await fixture.traces();
    await stop();
    await helm(['rollback', 'kruise', '1', ...serverSide(false)], plane.kubeconfigPath);
    expect((await get(`${crdsPath}/clonesets.apps.kruise.io`))['spec']).toMatchObject({ conversion: { strategy: 'None' } });
    expect(await get(`${cloneSetsPath}/web`)).toMatchObject({ spec: { replicas: 3 }, status: { updatedReadyReplicas: 3 } });
    await toOurs(...serverSide(true));
    await manager.start();
    await fixture.untilRolledOut('web');
    expect(await fixture.traces()).toEqual(before);
  });

  it('stores v1beta1 from the next upgrade on, as a manager converts', async () => {
    expect(await storedOtherwise()).not.toContain(cloneSetsInBeta);
    await stop();
    expect(await toOurs()).not.toContain('Objects are still stored in v1alpha1');
    await eventually(async () => (await storedOtherwise()).includes(cloneSetsInBeta));
    await manager.start();
  });

  it('cannot be undone by Helm alone, as the API server stores objects in a version that the original lacks', async () => {
    await stop();
    await expect(toOriginal('1.9.0')).rejects.toThrow(/status\.storedVersions/);
    await toOurs();
    await manager.start();
  });

  it.each(sampleOf(versions.toReversed()))(
    'is undone by the release %s once all objects are stored in v1alpha1, and done again, and no container restarts',
    async (version) => {
      await fixture.untilRolledOut('web');
      await leaving.apply({ name: 'web', replicas: 1, image: 'nginx:1' });
      await leaving.untilRolledOut('web');
      const ownerVersions = await createOwnedObjects(fixture.client, `owned-${version.replaceAll('.', '-')}`);
      const before = await fixture.traces();
      await stop();
      await toOurs(...returning, '--no-hooks', ...serverSide(true));
      await manager.start();
      expect(await runHook(plane, 'post-upgrade')).toMatchObject({ code: 0, stderr: '' });
      expect(await storedOtherwise()).toEqual([]);
      expect(await ownerVersions()).toEqual(['apps.kruise.io/v1alpha1']);
      // Only the metadata of Pods and revisions is written: the version in which they name their owner.
      const prepared = await fixture.traces();
      expect(prepared.map(nameAndUid)).toEqual(before.map(nameAndUid));
      for (const { metadata, status } of await fixture.pods('web')) {
        expect(metadata.ownerReferences?.map(({ apiVersion }) => apiVersion)).toEqual(['apps.kruise.io/v1alpha1']);
        expect(status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0]);
      }
      await stop();
      await toOriginal(version, ...serverSide(false));
      expect(await get(`${cloneSetsPath}/web`)).toMatchObject({ spec: { replicas: 3 }, status: { updatedReadyReplicas: 3 } });
      expect((await get(`${crdsPath}/clonesets.apps.kruise.io`))['spec']).toMatchObject({ conversion: { strategy: 'None' } });
      // The garbage collector finds the owners of Pods in the version that is still served. It looks for changed versions every 30 s, and when it starts.
      await plane.components.restart('kube-controller-manager');
      await plane.api.request(`${cloneSetsPath.replace('shop', leaving.namespace)}/web`, { method: 'DELETE' });
      await eventually(async () => (await leaving.traces()).length === 0);
      expect(await fixture.traces()).toEqual(prepared);

      await plainHelm(upgradeOf([]), plane.kubeconfigPath);
      await manager.start();
      await fixture.untilRolledOut('web');
      await fixture.keepsTraces(prepared, 3000);
    },
  );

  it('needs a manager for new objects in v1alpha1 only when it stores v1beta1', async () => {
    const spec = { replicas: 0, selector: { matchLabels: { app: 'new' } }, template: { metadata: { labels: { app: 'new' } }, spec: {} } };
    const create = (name: string): Promise<unknown> =>
      plane.api.request(cloneSetsPath, {
        method: 'POST',
        body: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', metadata: { name }, spec },
      });
    await stop();
    // The API server calls the deleted webhooks of the manager until it has seen that they are deleted.
    await eventually(() => succeeds(create('stored-as-v1alpha1')));
    await toOurs(...serverSide(true));
    await forgetUrls(fixture.client);
    const refusal = (): Promise<string> =>
      create('stored-as-v1beta1').then(
        () => 'none',
        (error: Error) => error.message,
      );
    await eventually(async () => !(await refusal()).includes('failed calling webhook'));
    expect(await refusal()).toMatch(/conversion webhook/);
    await toOurs('--set', 'crds.storageVersion=v1alpha1', ...serverSide(true));
    await forgetUrls(fixture.client);
    await create('stored-as-v1alpha1-again');
  });
});
