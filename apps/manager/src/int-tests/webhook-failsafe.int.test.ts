/**
 * The Pod webhook is never the outage: Pods that nobody of ours has anything to do with are created whatever happens to the managers, and the
 * others as long as one of them answers.
 *
 * KRUISE_STORM_ROTATIONS (2) and KRUISE_STORM_PER_SECOND (30) make it longer and harder, e.g. 20 and 100.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, createClient, loadClusterConfig } from '@kruise/kube';
import { mutatingWebhookConfigurations, namespaces, type Pod, pods, secrets, type KubeObject } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { type Manifest, startInstalledPlane } from './installed-plane.testing.ts';
import { ManagerProcess } from './manager-process.testing.ts';
import { WebhookBalancer } from './webhook-balancer.testing.ts';

const rotations = Number(process.env['KRUISE_STORM_ROTATIONS'] ?? 2);
const perSecond = Number(process.env['KRUISE_STORM_PER_SECOND'] ?? 30);

interface Webhook {
  readonly name: string;
  readonly matchConditions?: readonly { readonly expression: string }[];
  readonly clientConfig: { readonly caBundle?: string; readonly service?: object };
}
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const namespace = 'storm';
const configurationKey = { namespace: '', name: 'kruise-mutating-webhook-configuration' };

const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: '0', controller: true };
const podOf = (ownerReferences: readonly object[], name: string): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ownerReferences },
    spec: { containers: [{ name: 'main', image: 'x' }] },
  }) as unknown as Pod;

let dir: string;
let plane: ControlPlane;
let balancer: WebhookBalancer;
let client: Client;
const running = new Set<ManagerProcess>();
let started = 0;

/** The webhooks of all configurations are reached through the balancer, as if that were the Service. */
function throughBalancer(manifest: Manifest): Manifest {
  const { webhooks } = manifest as unknown as { readonly webhooks?: readonly Webhook[] };
  if (webhooks === undefined) return manifest;
  const at = ({ clientConfig }: Webhook): object => ({ ...clientConfig, service: { ...clientConfig.service, port: balancer.port } });
  return { ...manifest, webhooks: webhooks.map((webhook) => ({ ...webhook, timeoutSeconds: 5, clientConfig: at(webhook) })) } as Manifest;
}

async function startReplica(): Promise<ManagerProcess> {
  const folder = join(dir, `replica-${++started}`);
  const manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: folder, env: { WEBHOOK_HOST: '' } });
  running.add(manager);
  await manager.start(60_000);
  balancer.add(manager);
  return manager;
}

async function stopReplica(manager: ManagerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  running.delete(manager);
  await manager.signal(signal);
}

const configuration = (): Promise<Configuration> => client.get<Configuration>(mutatingWebhookConfigurations, configurationKey);

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after 20 s`);
    await sleep(50);
  }
}

const create = (pod: Pod): Promise<Pod> => client.create(pods, pod, { dryRun: true });
const refusalOf = (pod: Pod): Promise<string | undefined> =>
  create(pod).then(
    () => undefined,
    (error: unknown) => String(error),
  );

const isNarrowed = async (): Promise<boolean> =>
  (await configuration()).webhooks?.some(({ name }) => name === 'kruise-workload.mpod.kb.io') ?? false;

interface Storm {
  readonly created: number;
  /** How often each refusal was heard. */
  readonly refused: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

const countOf = (refused: Storm['refused']): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** Creates Pods that need us until the work is done. */
async function stormDuring(work: () => Promise<unknown>): Promise<Storm> {
  const done = new AbortController();
  const calls: Promise<void>[] = [];
  const refused: Record<string, number> = {};
  const note = (why: string): void => void (refused[why] = (refused[why] ?? 0) + 1);
  let slowestMs = 0;
  const one = async (index: number): Promise<void> => {
    const began = performance.now();
    try {
      const pod = await create(podOf([owner], `p-${index}`));
      if (!JSON.stringify(pod.spec.readinessGates ?? []).includes('KruisePodReady')) note('came without the readiness gate');
    } catch (error) {
      note(String(error));
    }
    slowestMs = Math.max(slowestMs, performance.now() - began);
  };
  const loop = async (): Promise<void> => {
    const began = performance.now();
    for (let index = 0; !done.signal.aborted; index++) {
      const wait = began + (index * 1000) / perSecond - performance.now();
      if (wait > 0) await sleep(wait);
      calls.push(one(index));
    }
  };
  const storm = loop();
  await sleep(500);
  try {
    await work();
    await sleep(500);
  } finally {
    done.abort();
    await storm;
    await Promise.all(calls);
  }
  return { created: calls.length - countOf(refused), refused, slowestMs: Math.round(slowestMs) };
}

/** For the page on webhook safety. */
const report = (what: string, { created, refused, slowestMs }: Storm): void => {
  if (process.env['KRUISE_STORM_REPORT'] !== undefined)
    process.stderr.write(`${what}: ${created} created, ${countOf(refused)} refused, slowest ${slowestMs} ms\n`);
};

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-failsafe-'));
  balancer = await WebhookBalancer.start();
  plane = await startInstalledPlane({ simulatedNodes: 0, edit: throughBalancer });
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const service = {
    metadata: { name: 'kruise-webhook-service' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: balancer.port }] },
  };
  await plane.api.request('/api/v1/namespaces/kruise-system/services', { method: 'POST', body: service });
  await Promise.all([startReplica(), startReplica()]);
}, 180_000);
afterAll(async () => {
  await Promise.all([...running].map((manager) => stopReplica(manager, 'SIGKILL')));
  client.close();
  await balancer.close();
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

describe('the Pod webhook', () => {
  it('is narrowed to what is needed, and the template stays as installed', async () => {
    await until('narrowed', isNarrowed);
    const { webhooks = [], metadata } = await configuration();
    expect(webhooks.find(({ name }) => name === 'mpod.kb.io')?.matchConditions?.map(({ expression }) => expression)).toEqual(['false']);
    const template = JSON.parse(metadata.annotations?.['template'] ?? '[]') as readonly Webhook[];
    expect(template.filter(({ name }) => name.endsWith('mpod.kb.io'))).toMatchObject([{ name: 'mpod.kb.io' }]);
    expect(JSON.stringify(template)).not.toContain('needed.kruise.io');
    expect(await refusalOf(podOf([owner], 'needed'))).toBeUndefined();
  });

  it('is written no more once all replicas agree', async () => {
    await sleep(1000);
    const { resourceVersion } = (await configuration()).metadata;
    await sleep(2000);
    expect((await configuration()).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('refuses no Pod while the replicas are replaced one after the other', async () => {
    const storm = await stormDuring(async () => {
      for (const old of [...running]) {
        await startReplica();
        await sleep(500);
        await stopReplica(old, 'SIGTERM');
      }
    });
    report('rolling upgrade', storm);
    expect(storm.refused).toEqual({});
    expect(storm.created).toBeGreaterThan(perSecond);
  }, 120_000);

  it(
    'refuses no Pod while certificates and their authority are replaced',
    async () => {
      const bundle = async (): Promise<string | undefined> => (await configuration()).webhooks?.[0]?.clientConfig.caBundle;
      const storm = await stormDuring(async () => {
        for (let rotation = 0; rotation < rotations; rotation++) {
          const before = await bundle();
          await client.delete(secrets, { namespace: 'kruise-system', name: 'kruise-webhook-certs' });
          await until('a new authority is trusted', async () => (await bundle()) !== before);
          await sleep(2500);
        }
      });
      report(`${rotations} new authorities`, storm);
      expect(storm.refused).toEqual({});
    },
    60_000 + rotations * 15_000,
  );

  it('refuses no more than what was on its way to a replica that is killed', async () => {
    const [first] = [...running];
    const storm = await stormDuring(async () => {
      if (first !== undefined) await stopReplica(first, 'SIGKILL');
      await sleep(2000);
      await startReplica();
    });
    report('SIGKILL', storm);
    expect(countOf(storm.refused)).toBeLessThanOrEqual(Math.ceil(perSecond * 0.4));
    expect(storm.created).toBeGreaterThan(perSecond);
  }, 120_000);

  it('waits no longer than its timeout for a replica that is stopped, and goes on with the other', async () => {
    const [first] = [...running];
    const stopped = first?.pid ?? 0;
    const storm = await stormDuring(async () => {
      process.kill(stopped, 'SIGSTOP');
      await sleep(8000);
    }).finally(() => process.kill(stopped, 'SIGCONT'));
    report('SIGSTOP', storm);
    expect(storm.slowestMs).toBeLessThan(8000);
    expect(storm.created).toBeGreaterThan(perSecond * 2);
  }, 120_000);

  it('lets every other Pod pass when all replicas are dead, and names the reason to those that it refuses', async () => {
    await Promise.all([...running].map((manager) => stopReplica(manager, 'SIGKILL')));
    expect(await refusalOf(podOf([], 'unrelated'))).toBeUndefined();
    expect(await refusalOf(podOf([owner], 'needed'))).toMatch(/failed calling webhook "kruise-workload\.mpod\.kb\.io"/);
    const ordered = podOf([], 'ordered');
    const containers = ['a', 'b'].map((name, index) => ({
      name,
      image: 'x',
      env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: String(index) }],
    }));
    expect(await refusalOf({ ...ordered, spec: { ...ordered.spec, containers } })).toMatch(/"container-launch-priority\.mpod\.kb\.io"/);

    await startReplica();
    await until('the Pod is created again', async () => (await refusalOf(podOf([owner], 'needed'))) === undefined);
  }, 120_000);

  it("is asked by the installer's rules once the gate is off", async () => {
    await Promise.all([...running].map((manager) => stopReplica(manager, 'SIGKILL')));
    const flags = ['--feature-gates=PodWebhookNarrowing=false'];
    const manager = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir: join(dir, 'static'),
      flags,
      env: { WEBHOOK_HOST: '' },
    });
    running.add(manager);
    await manager.start(60_000);
    const { webhooks = [] } = await configuration();
    expect(webhooks.filter(({ name }) => name.endsWith('mpod.kb.io')).map(({ name }) => name)).toEqual(['mpod.kb.io']);
    expect(webhooks.every(({ matchConditions }) => matchConditions === undefined)).toBe(true);
  }, 120_000);
});
