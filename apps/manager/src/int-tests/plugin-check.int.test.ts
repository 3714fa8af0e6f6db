/** `kubectl kruise check` against a real API server, with a manager that runs, one that has died, and one that is not installed as it should be. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds } from '@kruise/api';
import { eventually, programFile, shippedFlags, type ControlPlane } from '@kruise/testing';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const plugin = programFile('kubectl-kruise');

interface Report {
  readonly result: string;
  readonly checks: readonly { readonly name: string; readonly result: string; readonly message: string }[];
}

let plane: ControlPlane;
let manager: ManagerProcess;

/** Runs `check` as a process. */
function run(
  words: string,
  kubeconfig = plane.kubeconfigPath,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    const args = [...shippedFlags('manager'), plugin, 'check', ...words.split(' ').filter((word) => word !== '')];
    execFile(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: kubeconfig } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    );
  });
}

async function report(words = ''): Promise<Report & { readonly code: number }> {
  const { code, out, err } = await run(`-o json ${words}`);
  if (out === '') throw new Error(err);
  return { ...(JSON.parse(out) as Report), code };
}

/** Runs `check` until every fact was read in time: the API server of a busy machine may answer late. */
async function completeReport(): Promise<Report & { readonly code: number }> {
  let found = await report();
  await eventually(async () => !found.checks.some(({ result }) => result === 'Unknown') || ((found = await report()), false));
  return found;
}

const named = ({ checks }: Report, result: string): readonly string[] =>
  checks.filter((one) => one.result === result).map(({ name }) => name);
const messageOf = ({ checks }: Report, name: string): string => checks.find((one) => one.name === name)?.message ?? '';

const system = '/apis/apps/v1/namespaces/kruise-system/deployments';

beforeAll(async () => {
  plane = await startInstalledPlane({ simulatedNodes: 2, controllers: false });
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: mkdtempSync(join(tmpdir(), 'plugin-check-')) });
  await manager.start();
});

afterAll(async () => {
  await manager.signal('SIGKILL');
  await plane.stop();
});

describe('check', () => {
  it('finds nothing wrong while the manager runs, and asks it about every kind', async () => {
    // The first answers of an API server on a busy machine may come later than the plugin waits for one.
    const found = await report('--wait --timeout=2m');
    expect(found.checks.filter(({ result }) => result === 'Fault' || result === 'Unknown')).toEqual([]);
    expect(found.code).toBe(0);
    expect(named(found, 'Advice')).toEqual([]);
    expect(messageOf(found, 'admission-objects')).toBe(`${allKinds.length} kinds`);
    expect(messageOf(found, 'conversion')).toMatch(/^\d+ kinds$/);
    expect(messageOf(found, 'manager-clock')).toBe('within 10 s');
  });

  it('reports that the result is unknown without rights, and names them', async () => {
    const { code, out } = await run('', plane.kubeconfigFor('powerless'));
    expect(code).toBe(2);
    expect(out).toContain('User "powerless" cannot list resource "deployments" in API group "apps" at the cluster scope');
  });

  it('requests the rights of the ServiceAccount', async () => {
    const labels = { 'control-plane': 'controller-manager' };
    const template = {
      metadata: { labels },
      spec: { serviceAccountName: 'nobody', containers: [{ name: 'manager', image: 'manager:v1.9.0' }] },
    };
    await plane.api.request(system, {
      method: 'POST',
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'kruise-controller-manager' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template },
      },
    });
    const found = await completeReport();
    expect(found.code).toBe(1);
    expect(named(found, 'Fault')).toEqual(['manager', 'manager-rights', 'agent']);
    expect(messageOf(found, 'manager-rights')).toContain('The manager may not update leases.coordination.k8s.io in kruise-system');
    expect(named(await report('--pre'), 'Fault')).toEqual([]);
    await plane.api.request(`${system}/kruise-controller-manager`, { method: 'DELETE' });
  });

  it('finds what an uninstall would delete', async () => {
    const web = { matchLabels: { app: 'web' } };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
    await plane.api.request('/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets', {
      method: 'POST',
      body: {
        apiVersion: 'apps.kruise.io/v1alpha1',
        kind: 'CloneSet',
        metadata: { name: 'web' },
        spec: { replicas: 0, selector: web, template },
      },
    });
    const found = await report('--uninstall');
    expect(named(found, 'Fault')).toEqual(['no-workloads']);
    expect(messageOf(found, 'no-workloads')).toBe('Uninstalling would delete 1 CloneSet, and their Pods.');
  });

  it('names a manager that does not answer, and waits for it no longer than it may', async () => {
    await manager.signal('SIGKILL');
    const found = await report();
    expect(found.code).toBe(1);
    expect(named(found, 'Fault')).toContain('admission-webhooks');
    expect(messageOf(found, 'admission-webhooks')).toContain('connection refused');
    const waited = await run('--wait --timeout=1s');
    expect(waited.code).toBe(3);
    expect(waited.err).toContain('timed out waiting for a sound installation');
  });
});
