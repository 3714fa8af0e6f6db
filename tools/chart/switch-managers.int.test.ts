/**
 * Creations while the replicas of OpenKruise's manager and ours replace each other behind one Service, on a real API server. The original is
 * what is specified of it; Helm writes the webhook configurations of both charts, and the managers write theirs.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mutatingConfigurationName } from '@kruise/admission';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { customResourceDefinitions, memberAt, mutatingWebhookConfigurations, namespaces } from '@kruise/objects';
import { ensureBinaries, eventually, silent, succeeds, type ControlPlane } from '@kruise/testing';
import { report, stormDuring, type Storm } from '../../apps/manager/src/int-tests/fixtures/pod-storm.testing.ts';
import { startInstalledPlane, type Manifest } from '../../apps/manager/src/int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { WebhookBalancer } from '../../apps/manager/src/int-tests/processes/webhook-balancer.testing.ts';
import { OriginalManager, writeOriginalWebhooks } from './original-manager.ts';
import { chartFolder, helm } from './render.ts';

const namespace = 'storm';
const perSecond = Number(process.env['KRUISE_STORM_PER_SECOND'] ?? 20);
/** Calls that were lost with a replica of OpenKruise, which ends without draining, as connections still reached it. */
const lostWithReplica =
  /failed to call webhook: Post .*: (EOF|write: broken pipe|.*connection (refused|reset by peer)|http: server closed)/;
/** The chart of OpenKruise contains no CA, and removes that in force; the managers that run write it again. */
const withoutAuthority = /x509: certificate signed by unknown authority/;
const otherRefusals = ({ refused }: Storm): readonly string[] => Object.keys(refused).filter((why) => !lostWithReplica.test(why));

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'x' }] } };
const selector = { matchLabels: { app: 'web' } };
const cloneSetSpec = { selector, template, updateStrategy: { type: 'ReCreate', partition: 0, maxUnavailable: '20%' } };
/** Their webhooks have other paths in the chart of OpenKruise. Nothing is left to defaults: one manager may default what the other validates. */
const workloads: readonly { readonly kind: string; readonly plural: string; readonly spec: object }[] = [
  { kind: 'CloneSet', plural: 'clonesets', spec: { ...cloneSetSpec, replicas: 0 } },
  {
    kind: 'UnitedDeployment',
    plural: 'uniteddeployments',
    spec: {
      replicas: 0,
      selector,
      template: { cloneSetTemplate: { metadata: template.metadata, spec: cloneSetSpec } },
      topology: { subsets: [{ name: 'one' }] },
    },
  },
  {
    kind: 'WorkloadSpread',
    plural: 'workloadspreads',
    spec: {
      targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
      subsets: [{ name: 'one', maxReplicas: 1 }, { name: 'two' }],
    },
  },
];

/** Leaves the CRDs of these kinds as the first upgrade does: stored in v1alpha1. The API server cannot reach the conversion here, and needs none. */
async function storeAlpha(client: Client): Promise<void> {
  for (const { plural } of workloads) {
    const key = { namespace: '', name: `${plural}.apps.kruise.io` };
    const versions = memberAt(await client.get(customResourceDefinitions, key), 'spec', 'versions') as readonly { readonly name: string }[];
    const stored = versions.map((version) => ({ ...version, storage: version.name === 'v1alpha1' }));
    const spec = { versions: stored, conversion: { strategy: 'None', webhook: null } };
    await client.patch(customResourceDefinitions, key, { spec }, { type: 'merge' });
  }
}

/** Writes the part of our chart that renders the webhook configurations, with the port of the Service. */
function writeOurWebhooks(dir: string, port: number): string {
  const folder = join(dir, 'ours');
  mkdirSync(join(folder, 'templates'), { recursive: true });
  writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v1\nname: kruise\nversion: 1.9.0\n');
  cpSync(join(chartFolder, 'values.yaml'), join(folder, 'values.yaml'));
  for (const file of ['_helpers.tpl', 'generated/gates', 'generated/webhooks', 'webhook-configurations.yaml'])
    cpSync(join(chartFolder, 'templates', file), join(folder, 'templates', file), { recursive: true });
  const lists = join(folder, 'templates/generated/webhooks');
  for (const file of readdirSync(lists)) {
    const text = readFileSync(join(lists, file), 'utf8');
    writeFileSync(join(lists, file), text.replaceAll(/^( +)name: kruise-webhook-service$/gm, `$&\n$1port: ${port}`));
  }
  return folder;
}

describe('creations while managers are switched', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-switch-'));
  const managers: ManagerProcess[] = [];
  const originals: OriginalManager[] = [];
  let plane: ControlPlane;
  let balancer: WebhookBalancer;
  let client: Client;
  let [ours, original] = ['', ''];

  const createWorkload = async (index: number): Promise<undefined> => {
    const { kind, plural, spec } = workloads[index % workloads.length] ?? { kind: '', plural: '', spec: {} };
    await plane.api.request(`/apis/apps.kruise.io/v1alpha1/namespaces/${namespace}/${plural}?dryRun=All`, {
      method: 'POST',
      body: { apiVersion: 'apps.kruise.io/v1alpha1', kind, metadata: { name: `w-${index}` }, spec },
    });
    return undefined;
  };
  /** Creates Pods, and a third as many workloads. */
  async function during(work: () => Promise<unknown>): Promise<{ readonly pods: Storm; readonly workloads: Storm }> {
    const settings = { client, namespace, perSecond };
    const results: Storm[] = [];
    const pods = await stormDuring(settings, async () => {
      results.push(await stormDuring({ ...settings, perSecond: Math.ceil(perSecond / 3), create: createWorkload }, work));
    });
    const [of] = results;
    if (of === undefined) throw new Error('no workload was created');
    return { pods, workloads: of };
  }

  async function startOriginal(): Promise<void> {
    const replica = await OriginalManager.start(client);
    originals.push(replica);
    balancer.add(replica);
  }
  async function startOurs(): Promise<void> {
    const folder = join(dir, `replica-${managers.length}-${originals.length}`);
    const manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: folder, env: { WEBHOOK_HOST: '' } });
    managers.push(manager);
    await manager.start();
    balancer.add(manager);
  }
  const areReady = (count: number): Promise<void> => eventually(() => Promise.resolve(balancer.ready === count));
  const webhookNames = async (): Promise<readonly unknown[]> => {
    const live = await client.get(mutatingWebhookConfigurations, { namespace: '', name: mutatingConfigurationName });
    return (memberAt(live, 'webhooks') as readonly object[]).map((webhook) => memberAt(webhook, 'name'));
  };

  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    balancer = await WebhookBalancer.start();
    [ours, original] = [writeOurWebhooks(dir, balancer.port), writeOriginalWebhooks(dir, balancer.port)];
    // Helm installs the webhook configurations.
    const edit = (manifest: Manifest): Manifest | undefined => (manifest.kind === 'CustomResourceDefinition' ? manifest : undefined);
    plane = await startInstalledPlane({ simulatedNodes: 0, controllers: false, edit });
    client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
    await storeAlpha(client);
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const body = {
      metadata: { name: 'kruise-webhook-service' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: balancer.port }] },
    };
    await plane.api.request('/api/v1/namespaces/kruise-system/services', { method: 'POST', body });
    await helm(['install', 'kruise', original], plane.kubeconfigPath);
    await startOriginal();
    await startOriginal();
    await areReady(2);
    await eventually(() => succeeds(createWorkload(0)));
  });
  afterAll(async () => {
    await Promise.all([...managers.map((manager) => manager.signal('SIGKILL')), ...originals.map((replica) => replica.stop())]);
    client.close();
    await balancer.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('refuses only what an ending replica of OpenKruise was asked about', async () => {
    const { pods, workloads } = await during(async () => {
      await helm(['upgrade', 'kruise', ours], plane.kubeconfigPath);
      for (const old of originals.splice(0)) {
        await startOurs();
        await areReady(3);
        await old.stop();
        await areReady(2);
      }
      await eventually(async () => (await webhookNames()).includes('first.mpod.kb.io'));
    });
    report('Pods, from OpenKruise', pods);
    report('workloads, from OpenKruise', workloads);
    expect([otherRefusals(pods), otherRefusals(workloads)]).toEqual([[], []]);
    expect(pods.created).toBeGreaterThan(perSecond);
    expect(workloads.created).toBeGreaterThan(perSecond / 3);
  });

  it('creates everything again once OpenKruise has returned', async () => {
    const { pods, workloads } = await during(async () => {
      await helm(['rollback', 'kruise', '1'], plane.kubeconfigPath);
      for (const old of managers.splice(0)) {
        await startOriginal();
        await areReady(3);
        await old.signal('SIGTERM');
        await areReady(2);
      }
    });
    report('Pods, to OpenKruise', pods);
    report('workloads, to OpenKruise', workloads);
    expect([otherRefusals(pods), otherRefusals(workloads)].flat().filter((why) => !withoutAuthority.test(why))).toEqual([]);
    expect(pods.created).toBeGreaterThan(perSecond);
    const settled = await during(() => eventually(() => succeeds(createWorkload(0))));
    expect([settled.pods.refused, settled.workloads.refused]).toEqual([{}, {}]);
  });
});
