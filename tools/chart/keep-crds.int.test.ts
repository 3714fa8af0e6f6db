/**
 * What an uninstall leaves with `crds.keep`, on a real API server: the CRDs, and every object with its Pods, which the next install takes over
 * without a write to them. The manager runs as a process beside the cluster, and so does the hook, with its rights.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imagePullJobFinalizer, imagePullJobs } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { FakeClock } from '@kruise/kube/testing';
import { customResourceDefinitions, namespaces, pods, type Pod } from '@kruise/objects';
import { ensureBinaries, eventually, silent, startControlPlane, type ControlPlane } from '@kruise/testing';
import { cleanUp, type CleanedUp } from '../../apps/helm-hook/src/clean-up.ts';
import { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { ManagerProcess } from '../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { forgetUrls } from './as-in-cluster.ts';
import { chartFolder, helm, valueFlags, type Values } from './render.ts';
import { asHook, runHook, runHookProgram } from './run-hook.ts';

const system = { namespace: '', name: 'kruise-system' };
/** The images do not exist here, and the simulated kubelets run whatever they get. */
const values: Values = { 'installation.podSecurity': 'none', featureGates: 'KruiseDaemon=false' };

/** Does not wait for a manager that removes the finalizers. */
async function cleanUpAtOnce(client: Client): Promise<CleanedUp> {
  const clock = new FakeClock();
  let hasEnded = false;
  const done = cleanUp({ client, clock, signal: AbortSignal.timeout(60_000) }).finally(() => {
    hasEnded = true;
  });
  await eventually(async () => {
    await clock.step(31_000);
    return hasEnded;
  });
  return done;
}

describe('an uninstall that keeps the CRDs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-keep-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  const install = (): Promise<string> => helm(['install', 'kruise', chartFolder, ...valueFlags(values)], plane.kubeconfigPath);
  const stop = async (): Promise<void> => {
    await manager.signal('SIGTERM');
    await forgetUrls(fixture.client);
  };
  const crds = async (): Promise<readonly string[]> =>
    (await fixture.client.list(customResourceDefinitions)).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.endsWith('kruise.io'));

  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    plane = await startControlPlane({ controllers: true, simulatedNodes: 2, simulation: { startDelayMs: 50, stopDelayMs: 50 } });
    await install();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags: ['--feature-gates=KruiseDaemon=false'] });
    await manager.start();
    fixture = await CloneSetFixture.create(plane.kubeconfigPath, 'kept');
    await fixture.apply({ name: 'web', replicas: 3, image: 'registry.example/app:1' });
    await fixture.untilRolledOut('web');
  });
  afterAll(async () => {
    fixture.client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is let pass by the hook although workloads exist', async () => {
    const stays = expect.stringContaining('definitions and objects stay');
    expect(await runHook(plane, 'pre-delete')).toMatchObject({ code: 0, stderr: '', stdout: stays });
    const unknown = expect.stringContaining('unknown command "kept"');
    expect(await runHookProgram(plane.kubeconfigPath, ['kept'])).toMatchObject({ code: 2, stderr: unknown });
  });

  it('leaves CloneSet, Pods and revisions as they are, and Pods can be created meanwhile', async () => {
    const before = await fixture.traces();
    await stop();
    await helm(['uninstall', 'kruise', '--no-hooks', '--wait'], plane.kubeconfigPath);
    expect(await crds()).toHaveLength(18);
    expect(await fixture.traces()).toEqual(before);
    const labels = { app: 'web' };
    const pod = { metadata: { name: 'other', namespace: 'kept', labels }, spec: { containers: [{ name: 'main', image: 'x' }] } } as Pod;
    expect(await fixture.client.create(pods, pod, { dryRun: true })).toMatchObject({ metadata: { name: 'other' } });
    expect(await fixture.get('web')).toMatchObject({ status: { readyReplicas: 3 } });
  });

  it('is followed by an install that takes over everything without a write to a Pod or revision', async () => {
    const before = await fixture.traces();
    await fixture.eventually(
      async () => (await fixture.client.list(namespaces)).items.every(({ metadata }) => metadata.name !== system.name),
      'the former namespace is deleted',
    );
    await install();
    await manager.start();
    await fixture.keepsTraces(before, 5000);
    await fixture.patch('web', { spec: { replicas: 4 } });
    await fixture.untilRolledOut('web');
    expect(await fixture.traces()).toEqual(expect.arrayContaining([...before]));
  });

  it('can be undone: with crds.keep=false the hook stops an uninstall that would delete workloads, else the CRDs are deleted', async () => {
    await stop();
    // Only a manager removes this finalizer.
    const metadata = { namespace: 'kept', name: 'held', finalizers: [imagePullJobFinalizer] };
    await fixture.client.create(imagePullJobs, { metadata, spec: { image: 'x', completionPolicy: { type: 'Never' } } });
    await helm(['upgrade', 'kruise', chartFolder, ...valueFlags({ ...values, 'crds.keep': false })], plane.kubeconfigPath);
    await manager.start();
    const stopped = expect.stringContaining('there still exists some clonesets in the cluster');
    expect(await runHook(plane, 'pre-delete')).toMatchObject({ code: 1, stderr: stopped });
    await fixture.remove('web');
    await manager.signal('SIGTERM');
    const refused = expect.stringMatching(/^imagepulljobs kept\/held: .*failed calling webhook/);
    expect(await asHook(plane, 'pre-delete', cleanUpAtOnce)).toEqual({ forced: [], failures: [refused] });
    await forgetUrls(fixture.client);
    await eventually(async () => (await asHook(plane, 'pre-delete', cleanUpAtOnce)).failures.length === 0);
    expect(await runHook(plane, 'pre-delete')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('cluster is clean') });
    await helm(['uninstall', 'kruise', '--no-hooks'], plane.kubeconfigPath);
    await fixture.eventually(async () => (await crds()).length === 0, 'the CRDs are deleted');
    expect(await crds()).toEqual([]);
  });
});
