/**
 * The Pod webhook is never the outage: Pods that no kind of this project concerns are created whatever happens to the managers, and the
 * others as long as one manager answers.
 *
 * KRUISE_STORM_ROTATIONS (1), KRUISE_STORM_KILLS (1) and KRUISE_STORM_PER_SECOND (20) make it longer and harder, e.g. 20, 30 and 100.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { type Client, createClient, loadClusterConfig } from '@kruise/kube';
import {
  events,
  memberAt,
  mutatingWebhookConfigurations,
  namespaces,
  type Pod,
  pods,
  secrets,
  validatingWebhookConfigurations,
  type KubeObject,
} from '@kruise/objects';
import { comesToRest, staysTrue, type ControlPlane } from '@kruise/testing';
import { type Manifest, startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { patiently } from './fixtures/patiently.testing.ts';
import {
  lostFirstCalls,
  otherRefusals,
  refusals,
  report,
  stormDuring,
  stormPod,
  workload,
  type Storm,
} from './fixtures/pod-storm.testing.ts';
import { WebhookBalancer } from './processes/webhook-balancer.testing.ts';

const rotations = Number(process.env['KRUISE_STORM_ROTATIONS'] ?? 1);
const kills = Number(process.env['KRUISE_STORM_KILLS'] ?? 1);
const perSecond = Number(process.env['KRUISE_STORM_PER_SECOND'] ?? 20);

interface Webhook {
  readonly name: string;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly { readonly expression: string }[];
  readonly clientConfig: { readonly caBundle?: string; readonly service?: { readonly path?: string } };
}
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const namespace = 'storm';
const validatingKey = { namespace: '', name: 'kruise-validating-webhook-configuration' };
const configurationKey = { namespace: '', name: 'kruise-mutating-webhook-configuration' };

const podOf = (ownerReferences: readonly object[], name: string): Pod => stormPod(namespace, name, ownerReferences);

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
  return { ...manifest, webhooks: webhooks.map((webhook) => ({ ...webhook, timeoutSeconds: 15, clientConfig: at(webhook) })) } as Manifest;
}

async function startReplica(): Promise<ManagerProcess> {
  const folder = join(dir, `replica-${++started}`);
  const manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir: folder, env: { WEBHOOK_HOST: '' } });
  running.add(manager);
  await manager.start();
  balancer.add(manager);
  return manager;
}

async function stopReplica(manager: ManagerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  running.delete(manager);
  await manager.signal(signal);
}

const configuration = (): Promise<Configuration> => client.get<Configuration>(mutatingWebhookConfigurations, configurationKey);

async function until(what: string, holds: () => Promise<boolean>, withinMs = 120_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${withinMs} ms`);
    await sleep(50);
  }
}

const during = (work: (created: () => number) => Promise<unknown>): Promise<Storm> => stormDuring({ client, namespace, perSecond }, work);

const create = (pod: Pod): Promise<Pod> => client.create(pods, pod, { dryRun: true });
const refusalOf = (pod: Pod): Promise<string | undefined> =>
  create(pod).then(
    () => undefined,
    (error: unknown) => String(error),
  );

const isNarrowed = async (): Promise<boolean> =>
  (await configuration()).webhooks?.some(({ name }) => name === 'kruise-workload.mpod.kb.io') ?? false;

const podPart = /(^|\.)mpod\.kb\.io$/;
const partsNow = async (): Promise<readonly string[]> =>
  ((await configuration()).webhooks ?? []).map(({ name }) => name).filter((name) => podPart.test(name));

const labelled: Pod = { ...podOf([], 'labelled'), metadata: { name: 'labelled', namespace, labels: { app: 'sidecars' } } };
const sidecarSet: SidecarSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'mesh' },
  spec: { selector: { matchLabels: { app: 'sidecars' } }, containers: [{ name: 'mesh', image: 'x' }] },
};
/** Never changed, so that it is known since when it selects. */
const steadySet: SidecarSet = {
  ...sidecarSet,
  metadata: { name: 'steady' },
  spec: { selector: { matchLabels: { app: 'steady' } }, containers: [{ name: 'steady', image: 'x' }] },
};
const steady: Pod = { ...podOf([], 'steady'), metadata: { name: 'steady', namespace, labels: { app: 'steady' } } };
/** It gets the label only later, when the API server would no longer call the webhook for it. */
const relabelled: Pod = { ...podOf([], 'relabelled'), metadata: { name: 'relabelled', namespace, labels: { app: 'other' } } };
const ordered = (): Pod => {
  const containers = ['a', 'b'].map((name, index) => ({
    name,
    image: 'x',
    env: [{ name: 'KRUISE_CONTAINER_PRIORITY', value: String(index) }],
  }));
  const pod = podOf([], 'ordered');
  return { ...pod, spec: { ...pod.spec, containers } };
};

/** How many reviews of Pods a replica has answered. */
async function reviewsOf(manager: ManagerProcess): Promise<number> {
  const count = /^controller_runtime_webhook_requests_total\{webhook="\/mutate-pod",code="200"\} (\d+)$/m;
  return Number(count.exec(await manager.metrics())?.[1] ?? 0);
}

/** How many reviews of Pods the replicas have answered. */
async function reviews(): Promise<number> {
  const counts = await Promise.all([...running].map(reviewsOf));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How often the replicas are asked about a Pod. A busy machine may answer too late, and is asked again: then it is tried once more. */
async function timesAsked(pod: Pod): Promise<number> {
  for (;;) {
    const [lost, before] = [await lostFirstCalls(client), await reviews()];
    await create(pod);
    const asked = (await reviews()) - before;
    if ((await lostFirstCalls(client)) === lost) return asked;
    await comesToRest('the number of reviews', reviews, 1_000);
  }
}

/** Both replicas; first the one that has answered more reviews, as all connections may be those of one. */
async function busiestFirst(): Promise<readonly [ManagerProcess, ManagerProcess]> {
  const [one, other] = [...running];
  if (one === undefined || other === undefined) throw new Error('no two replicas run');
  return (await reviewsOf(one)) >= (await reviewsOf(other)) ? [one, other] : [other, one];
}

/** Of an answer to an empty body. */
function statusOf(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', rejectUnauthorized: false };
    const request = httpsRequest({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject).end('');
  });
}

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
  await until('both replicas are reached', () => Promise.resolve(balancer.ready === 2));
});
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
    expect(webhooks.filter(({ name }) => podPart.test(name)).map(({ name, failurePolicy }) => [name, failurePolicy])).toEqual([
      ['again.mpod.kb.io', 'Fail'],
      ['first.mpod.kb.io', 'Ignore'],
      ['container-launch-priority.mpod.kb.io', 'Fail'],
      ['kruise-workload.mpod.kb.io', 'Fail'],
    ]);
    const template = JSON.parse(metadata.annotations?.['template'] ?? '[]') as readonly Webhook[];
    expect(template.filter(({ name }) => name.endsWith('mpod.kb.io'))).toMatchObject([{ name: 'mpod.kb.io' }]);
    expect(JSON.stringify(template)).not.toContain('needed.kruise.io');
    expect(await refusalOf(podOf([workload], 'needed'))).toBeUndefined();
  });

  it('has no field that a manager owns, a moment after the last write, so that an installer can change each', async () => {
    const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/kruise-mutating-webhook-configuration';
    const owners = async (): Promise<string> => JSON.stringify(memberAt(await plane.api.request(path), 'metadata', 'managedFields'));
    await until('released', async () => !(await owners()).includes('"kruise-manager"'), 20_000);
    expect(await isNarrowed()).toBe(true);
  });

  it('is in the configuration only with paths that are served: any other would refuse everything', async () => {
    const [replica] = [...running];
    const both = [await configuration(), await client.get<Configuration>(validatingWebhookConfigurations, validatingKey)];
    const paths = new Set(both.flatMap(({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig.service?.path ?? '')));
    expect(paths).toContain('/mutate-pod');
    for (const path of paths) expect([path, await statusOf(replica?.ports.webhook ?? 0, path)]).toEqual([path, 200]);
    expect(await statusOf(replica?.ports.webhook ?? 0, '/no-such-path')).toBe(404);
  });

  it('asks about the Pods of a SidecarSet before the SidecarSet is there, and no longer soon after it is paused', async () => {
    await patiently(() => client.create(sidecarSets, sidecarSet));
    expect(await partsNow()).toEqual(expect.arrayContaining(['sidecarset.mpod.kb.io']));
    const isAsked = async (): Promise<boolean> => (await partsNow()).includes('sidecarset.mpod.kb.io');
    // For as long as what was widened ahead counts, and longer.
    await staysTrue('the webhook is asked', isAsked, 5500);
    const pause = (paused: boolean): Promise<unknown> =>
      patiently(() =>
        client.patch(sidecarSets, { namespace: '', name: 'mesh' }, { spec: { injectionStrategy: { paused } } }, { type: 'merge' }),
      );
    await pause(true);
    const began = performance.now();
    await until('narrowed', async () => !(await partsNow()).includes('sidecarset.mpod.kb.io'));
    if (process.env['KRUISE_STORM_REPORT'] !== undefined)
      process.stderr.write(`narrowed ${Math.round(performance.now() - began)} ms after a change\n`);
    await pause(false);
    expect(await partsNow()).toEqual(expect.arrayContaining(['sidecarset.mpod.kb.io']));
  });

  it('is called once about each Pod that it changes', async () => {
    await patiently(() => client.create(sidecarSets, steadySet));
    await until('injected', async () => (await create(labelled)).spec.containers.length === 2);
    for (const pod of [podOf([workload], 'needed'), labelled, ordered(), podOf([], 'unrelated')])
      expect([pod.metadata.name, await timesAsked(pod)]).toEqual([pod.metadata.name, pod.metadata.name === 'unrelated' ? 0 : 1]);
  });

  it('leaves a Pod without containers to the API server', async () => {
    for (const containers of [[], null])
      expect(await refusalOf({ ...podOf([], 'x'), spec: { containers } } as unknown as Pod)).toMatch(/spec\.containers: Required value/);
  });

  it('is written no more once all replicas agree', async () => {
    const version = async (): Promise<string | undefined> => (await configuration()).metadata.resourceVersion;
    const atRest = await comesToRest('the configuration', version, 3000);
    expect(await version()).toBe(atRest);
  });

  it('refuses no Pod while the replicas are replaced one after the other', async () => {
    expect(running.size).toBe(2);
    const storm = await during(async () => {
      for (const old of [...running]) {
        await startReplica();
        await until('the new replica is reached', () => Promise.resolve(balancer.ready === running.size));
        await stopReplica(old, 'SIGTERM');
        await until('the old replica is out of the way', () => Promise.resolve(balancer.ready === running.size));
      }
    });
    report('rolling upgrade', storm);
    expect(storm.refused).toEqual({});
    expect(storm.created).toBeGreaterThan(perSecond);
  });

  it(
    'refuses no Pod while certificates and their authority are replaced',
    async () => {
      const bundle = async (): Promise<string | undefined> => (await configuration()).webhooks?.[0]?.clientConfig.caBundle;
      const storm = await during(async () => {
        for (let rotation = 0; rotation < rotations; rotation++) {
          const before = await bundle();
          await client.delete(secrets, { namespace: 'kruise-system', name: 'kruise-webhook-certs' });
          await until('a new authority is trusted', async () => (await bundle()) !== before);
          await sleep(2500);
        }
      });
      report(`${rotations} new authorities`, storm);
      expect(storm.refused).toEqual({});
      expect(storm.created).toBeGreaterThan(perSecond * rotations);
    },
    600_000 + rotations * 15_000,
  );

  // Both calls may meet the dead replica as long as new connections reach it, which the balancer notices after 0.2 s as a node does.
  it(
    'refuses Pods only of which both calls were lost when a replica is killed, and none that comes when new connections reach it no more',
    async () => {
      for (let kill = 1; kill <= kills; kill++) {
        const [first, second] = await busiestFirst();
        const before = await lostFirstCalls(client);
        let outAt = -Infinity;
        const storm = await during(async () => {
          expect(await reviewsOf(first)).toBeGreaterThan(0);
          await stopReplica(first, 'SIGKILL');
          expect([first.isRunning, first.exits.at(-1)]).toEqual([false, 'SIGKILL']);
          await until('the dead replica is out of the way', () => Promise.resolve(balancer.ready === 1));
          outAt = performance.now();
          const answered = await reviewsOf(second);
          await until('the other replica goes on answering', async () => (await reviewsOf(second)) - answered > perSecond);
          await startReplica();
        });
        const lost = (await lostFirstCalls(client)) - before;
        report(`SIGKILL ${kill} of ${kills}, ${lost} first calls lost`, storm);
        expect(otherRefusals(storm)).toEqual([]);
        expect(refusals(storm)).toBeLessThanOrEqual(lost);
        expect(storm.lastRefusedBegan).toBeLessThan(outAt);
        expect(storm.created).toBeGreaterThan(perSecond);
        await until('both replicas are reached', () => Promise.resolve(balancer.ready === 2));
      }
    },
    600_000 + kills * 60_000,
  );

  it('waits no longer than its timeouts for a replica that hangs, and continues with the other', async () => {
    const [first] = await busiestFirst();
    const stopped = first.pid;
    // 0 would be this very process and all of its group.
    if (stopped === undefined) throw new Error('no replica runs');
    const before = await lostFirstCalls(client);
    const storm = await during(async (created) => {
      process.kill(stopped, 'SIGSTOP');
      const hasMetIt = async (): Promise<boolean> => (await lostFirstCalls(client)) > before;
      await until('calls meet the replica, and others go on', async () => created() > perSecond * 4 && (await hasMetIt()));
    }).finally(() => process.kill(stopped, 'SIGCONT'));
    const lost = (await lostFirstCalls(client)) - before;
    report(`SIGSTOP, ${lost} first calls lost`, storm);
    // What met it was asked about once more after 3 s. All calls ended before the replica went on.
    expect(storm.slowestMs).toBeGreaterThan(2500);
    expect(otherRefusals(storm)).toEqual([]);
    expect(refusals(storm)).toBeLessThanOrEqual(lost);
    expect(storm.created).toBeGreaterThan(perSecond * 2);
  });

  it('lets every other Pod pass when all replicas are dead, and names the reason to those that it refuses', async () => {
    await Promise.all([...running].map((manager) => stopReplica(manager, 'SIGKILL')));
    expect(await refusalOf(podOf([], 'unrelated'))).toBeUndefined();
    expect(await refusalOf(podOf([workload], 'needed'))).toMatch(/failed calling webhook "kruise-workload\.mpod\.kb\.io"/);
    expect(await refusalOf(ordered())).toMatch(/"container-launch-priority\.mpod\.kb\.io"/);
    expect(await refusalOf(labelled)).toMatch(/"sidecarset\.mpod\.kb\.io"/);

    const { webhooks = [], ...rest } = await configuration();
    await client.update(mutatingWebhookConfigurations, {
      ...rest,
      webhooks: webhooks.filter(({ name }) => !podPart.test(name)),
    } as Configuration);
    await until('nobody is asked', async () => (await refusalOf(steady)) === undefined);
    await client.create(pods, steady);
    await client.create(pods, relabelled);
    await sleep(3000);
    await client.patch(pods, { namespace, name: 'relabelled' }, { metadata: { labels: { app: 'steady' } } }, { type: 'merge' });

    await startReplica();
    await until('the Pod is created again', async () => (await refusalOf(podOf([workload], 'needed'))) === undefined);
  });

  it('finds Pods that were created past it, and does not take one for such that was labelled later', async () => {
    const reported = async (): Promise<readonly unknown[]> => {
      const { items } = await client.list(events, { namespace, fieldSelector: 'reason=PodWebhookMissed' });
      const reported = items.filter((event) => JSON.stringify(event).includes('lacks the sidecars of steady'));
      return reported.map((event) => memberAt(event, 'involvedObject', 'name'));
    };
    await until('the Pod is reported', async () => (await reported()).length > 0);
    // Both were looked at together.
    await sleep(2000);
    expect(await reported()).toEqual(['steady']);
    const texts = await Promise.all([...running].map((manager) => manager.metrics()));
    expect(texts.join('\n')).toMatch(/^kruise_pod_webhook_missed_total\{reason="sidecarset"\} 1$/m);
  });

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
    await manager.start();
    const { webhooks = [] } = await configuration();
    expect(webhooks.filter(({ name }) => name.endsWith('mpod.kb.io')).map(({ name }) => name)).toEqual(['mpod.kb.io']);
    expect(webhooks.every(({ matchConditions }) => matchConditions === undefined)).toBe(true);
  });
});
