/** `kubectl kruise check` against a real API server, with a manager that runs, one that has died, and one that is not installed as it should be. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds, imagePullJobFinalizer, podProbeMarkerFinalizer } from '@kruise/api';
import { ensureBinaries, eventually, silent, type ControlPlane } from '@kruise/testing';
import { checksWith, completeReport, messageOf, readReport, runCheck, type CheckReport } from './processes/check-process.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

let plane: ControlPlane;
let manager: ManagerProcess;

const run = (words: string, kubeconfig = plane.kubeconfigPath): ReturnType<typeof runCheck> => runCheck(words, kubeconfig);
const report = (words = ''): Promise<CheckReport> => readReport(words, plane.kubeconfigPath);

/** Runs a command of the report as a user does. @throws with what it wrote to stderr */
async function shell(command: string): Promise<void> {
  const { kubectl } = await ensureBinaries(['kubectl'], silent);
  const path = `${dirname(kubectl)}${delimiter}${process.env['PATH'] ?? ''}`;
  await promisify(execFile)('sh', ['-c', command], { env: { ...process.env, PATH: path, KUBECONFIG: plane.kubeconfigPath } });
}

const webhookService = { namespace: 'kruise-system', name: 'kruise-webhook-service', port: 443 };

const apis = '/apis/apps.kruise.io';

/** Creates objects that an uninstall cleans up, because only a manager removes their finalizers. */
async function createHeld(): Promise<void> {
  const selector = { matchLabels: { app: 'web' } };
  const probe = { name: 'up', containerName: 'main', probe: { exec: { command: ['true'] } }, podConditionType: 'example.org/up' };
  const marker = {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'PodProbeMarker',
    metadata: { name: 'held', finalizers: [podProbeMarkerFinalizer] },
    spec: { selector, probes: [probe] },
  };
  const job = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: { name: 'held', finalizers: [imagePullJobFinalizer] },
    spec: { image: 'x', completionPolicy: { type: 'Never' } },
  };
  await plane.api.request(`${apis}/v1alpha1/namespaces/default/podprobemarkers`, { method: 'POST', body: marker });
  await plane.api.request(`${apis}/v1beta1/namespaces/default/imagepulljobs`, { method: 'POST', body: job });
}

/** Has the webhooks name the Service, as those of a manager in the cluster do. */
async function asLeftByAnUninstall(): Promise<void> {
  for (const kind of ['mutating', 'validating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/kruise-${kind}-webhook-configuration`;
    const found = (await plane.api.request(path)) as { readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[] };
    const webhooks = found.webhooks.map(({ clientConfig, ...entry }) => ({
      ...entry,
      clientConfig: { service: { ...webhookService, path: new URL(clientConfig.url).pathname } },
    }));
    await plane.api.request(path, { method: 'PUT', body: { ...found, webhooks } });
  }
}

const system = '/apis/apps/v1/namespaces/kruise-system/deployments';

beforeAll(async () => {
  plane = await startInstalledPlane({ simulatedNodes: 2, controllers: false });
  const flags = ['--feature-gates=ImagePullJobGate=true'];
  manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: mkdtempSync(join(tmpdir(), 'plugin-check-')), flags });
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
    expect(checksWith(found, 'Advice')).toEqual([]);
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
    const found = await completeReport(plane.kubeconfigPath);
    expect(found.code).toBe(1);
    expect(checksWith(found, 'Fault')).toEqual(['manager', 'manager-rights', 'agent']);
    expect(messageOf(found, 'manager-rights')).toContain('The manager may not update leases.coordination.k8s.io in kruise-system');
    expect(checksWith(await report('--pre'), 'Fault')).toEqual([]);
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
    await createHeld();
    const found = await report('--uninstall');
    expect(checksWith(found, 'Fault')).toEqual(['no-workloads']);
    expect(checksWith(found, 'Advice')).toEqual([]);
    expect(messageOf(found, 'no-workloads')).toBe('Uninstalling would delete 1 CloneSet, and their Pods.');
  });

  it('names a manager that does not answer, and waits for it no longer than it may', async () => {
    await manager.signal('SIGKILL');
    const found = await report();
    expect(found.code).toBe(1);
    expect(checksWith(found, 'Fault')).toContain('admission-webhooks');
    expect(messageOf(found, 'admission-webhooks')).toContain('connection refused');
    const waited = await run('--wait --timeout=1s');
    expect(waited.code).toBe(3);
    expect(waited.err).toContain('timed out waiting for a sound installation');
  });

  it('ends deletions that wait for a manager which no longer exists, by the commands that it prints', async () => {
    await asLeftByAnUninstall();
    const job = `${apis}/v1beta1/namespaces/default/imagepulljobs/held`;
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podprobemarkers.apps.kruise.io';
    const exists = (path: string): Promise<boolean> =>
      plane.api.request(path).then(
        () => true,
        () => false,
      );
    await plane.api.request(job, { method: 'DELETE' });
    await plane.api.request(definition, { method: 'DELETE' });
    // The API server deletes the objects of a CRD, and then waits for their finalizers.
    const waiting = async (): Promise<boolean> => /^Deletions wait.*,/.test(messageOf(await report('--uninstall'), 'no-finalizers'));
    await eventually(waiting);
    const { checks } = await report('--uninstall');
    const [next, nextOfDefinition] = ['no-finalizers', 'no-definitions'].map((name) => checks.find((one) => one.name === name)?.next ?? '');
    expect(nextOfDefinition).toBe(next);
    const [deleteWebhooks = '', ...patches] = (next ?? '').split('\n');
    expect(patches).toHaveLength(2);
    // The order matters: while the configurations exist, no finalizer can be removed.
    for (const command of patches) await expect(shell(command)).rejects.toThrow(/failed calling webhook/);
    await shell(deleteWebhooks);
    for (const command of patches) await shell(command);
    await eventually(async () => (await Promise.all([job, definition].map(exists))).every((one) => !one));
    expect(checksWith(await report('--uninstall'), 'Fault')).toEqual(['no-workloads', 'no-left-conversion']);
  });
});
