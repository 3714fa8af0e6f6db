/**
 * What an uninstall leaves with `crds.keep`, on a real API server: the CRDs, and every object with its Pods, which the next install takes over
 * without a write to them. The manager and the program of the hook run as processes beside the cluster.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { customResourceDefinitions, namespaces, pods, type Pod } from '@kruise/objects';
import { ensureBinaries, programFile, shippedFlags, silent, startControlPlane, type ControlPlane } from '@kruise/testing';
import { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { ManagerProcess } from '../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { forgetUrls } from './as-in-cluster.ts';
import { chartFolder, helm, valueFlags, type Values } from './render.ts';

const system = { namespace: '', name: 'kruise-system' };
/** The images do not exist here, and the simulated kubelets run whatever they get. */
const values: Values = { 'installation.podSecurity': 'none', featureGates: 'KruiseDaemon=false' };

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('an uninstall that keeps the CRDs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-keep-'));
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let fixture: CloneSetFixture;

  const install = (): Promise<string> => helm(['install', 'kruise', chartFolder, ...valueFlags(values)], plane.kubeconfigPath);
  const hook = (...command: readonly string[]): Promise<Ended> =>
    promisify(execFile)(process.execPath, [...shippedFlags('helm_hook'), programFile('helm-hook'), ...command], {
      env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: plane.kubeconfigPath },
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: Ended) => error,
    );
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

  it('is let pass by the hook although workloads exist, and stopped by it without crds.keep', async () => {
    expect(await hook('keep')).toMatchObject({ code: 0, stdout: expect.stringContaining('definitions and objects stay') });
    expect(await hook()).toMatchObject({ code: 1, stderr: expect.stringContaining('there still exists some clonesets in the cluster') });
    expect(await hook('kept')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown command "kept"') });
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

  it('can be undone: with crds.keep=false the CRDs are deleted with the release', async () => {
    await fixture.remove('web');
    await stop();
    await helm(['upgrade', 'kruise', chartFolder, ...valueFlags({ ...values, 'crds.keep': false })], plane.kubeconfigPath);
    await helm(['uninstall', 'kruise', '--no-hooks'], plane.kubeconfigPath);
    await fixture.eventually(async () => (await crds()).length === 0, 'the CRDs are deleted');
    expect(await crds()).toEqual([]);
  });
});
