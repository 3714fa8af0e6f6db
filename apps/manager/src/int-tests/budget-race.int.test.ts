/**
 * 64 evictions, deletions and updates at once, through two replicas of the webhook and on a real API server, while leaders are killed: never more Pods go
 * than the budget allows, and the budget comes back.
 *
 * KRUISE_RACE_ROUNDS: how many; as many as fit in a minute unless told.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, type PodUnavailableBudget } from '@kruise/api';
import { ApiError, createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { events, namespaces, pods, validatingWebhookConfigurations, type KubeObject, type Pod } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { startInstalledPlane, type Manifest } from './installed-plane.testing.ts';
import { ManagerProcess } from './manager-process.testing.ts';
import { WebhookBalancer } from './webhook-balancer.testing.ts';

const rounds = Number(process.env['KRUISE_RACE_ROUNDS'] ?? Infinity);
const roundsMs = Number.isFinite(rounds) ? Infinity : 60_000;

const namespace = 'race';
const count = 64;
const unavailable = 'unavailable-pod.kruise.io/race';

let dir: string;
let plane: ControlPlane;
let balancer: WebhookBalancer;
let client: Client;
const running: ManagerProcess[] = [];
let [started, made] = [0, 0];

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service?: object };
}

const throughBalancer = (manifest: Manifest): Manifest => {
  const { webhooks } = manifest as unknown as { readonly webhooks?: readonly Webhook[] };
  if (webhooks === undefined) return manifest;
  const at = ({ clientConfig }: Webhook): object => ({ ...clientConfig, service: { ...clientConfig.service, port: balancer.port } });
  return { ...manifest, webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: at(webhook) })) } as Manifest;
};

async function startReplica(): Promise<void> {
  const manager = await ManagerProcess.create({
    kubeconfigPath: plane.kubeconfigPath,
    dir: join(dir, `replica-${++started}`),
    env: { WEBHOOK_HOST: '' },
    flags: [
      '--feature-gates=PodUnavailableBudgetUpdateGate=true',
      '--leader-election-lease-duration=4s',
      '--leader-election-renew-deadline=3s',
      '--leader-election-retry-period=500ms',
    ],
  });
  running.push(manager);
  await manager.start(180_000);
  balancer.add(manager);
}

async function until(what: string, holds: () => Promise<boolean>, withinMs = 120_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${withinMs} ms`);
    await sleep(20);
  }
}

const budgetKey = { namespace, name: 'race' };
const budgetNow = (): Promise<PodUnavailableBudget> => client.get(podUnavailableBudgets, budgetKey);
const podsNow = async (): Promise<readonly Pod[]> => (await client.list(pods, { namespace })).items;
const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[unavailable] === undefined &&
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');

/** Of no node, so that nobody but these tests has a say in its status. */
async function createPod(): Promise<void> {
  const key = { namespace, name: `p-${++made}` };
  const metadata = { ...key, labels: { app: 'race' } };
  await client.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'app:1' }] } });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await client.patch(pods, key, { status }, { type: 'merge', subresource: 'status' });
}

/** As many ready Pods as there should be, and a budget that says how many of them may go. */
async function prepare(allowed: number): Promise<readonly Pod[]> {
  const before = await podsNow();
  const gone = before.filter((pod) => !isReady(pod));
  await Promise.all(gone.map(({ metadata }) => client.delete(pods, { namespace, name: metadata.name }, { gracePeriodSeconds: 0 })));
  await Promise.all(Array.from({ length: count - before.length + gone.length }, createPod));
  const { metadata } = await client.patch(podUnavailableBudgets, budgetKey, { spec: { maxUnavailable: allowed } }, { type: 'merge' });
  await until('the budget is whole again', async () => {
    const { status } = await budgetNow();
    return (
      status?.observedGeneration === metadata.generation && status?.unavailableAllowed === allowed && status.currentAvailable === count
    );
  });
  await until('all Pods name it', async () =>
    (await podsNow()).every((pod) => pod.metadata.annotations?.['pub.kruise.io/related-pub'] === 'race'),
  );
  return (await podsNow()).filter(isReady);
}

type Way = 'evict' | 'delete' | 'update';
const ways: readonly Way[] = ['evict', 'delete', 'update'];

function take({ metadata: { name } }: Pod, way: Way): Promise<unknown> {
  const key = { namespace, name };
  if (way === 'evict') return client.evict(key);
  if (way === 'delete') return client.delete(pods, key, { gracePeriodSeconds: 0 });
  return client.patch(pods, key, { metadata: { labels: { [unavailable]: '' } } }, { type: 'merge' });
}

/** What each of them was told: undefined for what was done. */
const race = (all: readonly Pod[]): Promise<readonly (Error | undefined)[]> =>
  Promise.all(
    all.map((pod, i) =>
      take(pod, ways[i % ways.length] ?? 'evict').then(
        () => undefined,
        (error: unknown) => error as Error,
      ),
    ),
  );

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-race-'));
  balancer = await WebhookBalancer.start();
  plane = await startInstalledPlane({ simulatedNodes: 0, controllers: false, edit: throughBalancer });
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const service = {
    metadata: { name: 'kruise-webhook-service' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: balancer.port }] },
  };
  await plane.api.request('/api/v1/namespaces/kruise-system/services', { method: 'POST', body: service });
  await Promise.all([startReplica(), startReplica()]);
  await until('both replicas are reached', () => Promise.resolve(balancer.ready === 2));
}, 240_000);
afterAll(async () => {
  await Promise.all(running.map((manager) => manager.signal('SIGKILL')));
  client.close();
  await balancer.close();
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

const validating = { namespace: '', name: 'kruise-validating-webhook-configuration' };
const parts = async (): Promise<readonly string[]> => {
  const { webhooks = [] } = await client.get<KubeObject & { readonly webhooks?: readonly Webhook[] }>(
    validatingWebhookConfigurations,
    validating,
  );
  return webhooks.map(({ name }) => name).filter((name) => /vpod(eviction)?\.kb\.io$/.test(name));
};

describe('a budget on a real API server', () => {
  it('nothing is asked about Pods as long as there is none, and the webhooks are widened before the first is there', async () => {
    await until('narrowed to nothing', async () => (await parts()).join() === 'again.vpod.kb.io,again.vpodeviction.kb.io');
    await client.create(podUnavailableBudgets, {
      metadata: budgetKey,
      spec: { selector: { matchLabels: { app: 'race' } }, maxUnavailable: 1, protectTotalReplicas: count },
    });
    expect(await parts()).toEqual(expect.arrayContaining(['budget-race.vpod.kb.io', 'budget-race.vpodeviction.kb.io']));
  });

  it(
    'is never overdrawn by 64 at once, through both replicas, while leaders are killed',
    async () => {
      const began = performance.now();
      let done = 0;
      for (; done < rounds && (done < 3 || performance.now() - began < roundsMs); done++) {
        const allowed = 1 + (done % 5);
        const all = await prepare(allowed);
        expect(all).toHaveLength(count);
        const racing = race(all);
        // Once in a while a replica is gone in the middle of it, the leader as often as not.
        const victim = done % 10 === 2 ? running[0] : undefined;
        if (victim !== undefined) await victim.signal('SIGKILL');
        const answers = await racing;
        const taken = answers.filter((answer) => answer === undefined).length;
        const left = (await podsNow()).filter(isReady).length;
        expect([done, taken <= allowed, left >= count - allowed]).toEqual([done, true, true]);
        if (victim === undefined) {
          expect([done, taken]).toEqual([done, allowed]);
          const codes = new Set(answers.map((answer) => (answer instanceof ApiError ? answer.code : 200)));
          expect([...codes].filter((code) => code !== 200 && code !== 403 && code !== 429)).toEqual([]);
        } else {
          running.push(...running.splice(0, 1));
          await victim.start(180_000);
          await until('both replicas are reached', () => Promise.resolve(balancer.ready === 2));
        }
      }
      expect(done).toBeGreaterThanOrEqual(3);
      process.stderr.write(`${done} rounds of ${count}\n`);
    },
    Number.isFinite(rounds) ? 86_400_000 : 900_000,
  );

  it('an eviction that is refused is told with its cause, as an event and as a number', async () => {
    const [pod] = await prepare(1);
    await race((await podsNow()).slice(0, 8));
    const refusal = (await client.evict({ namespace, name: pod?.metadata.name ?? '' }).catch((error: unknown) => error)) as ApiError;
    expect([refusal.code, refusal.failure.kind]).toEqual([429, 'TooManyRequests']);
    expect(refusal.message).toContain('podunavailablebudget.policy.kruise.io "race" is forbidden: pub unavailable allowed is negative');
    await until('the event is there', async () =>
      JSON.stringify((await client.list(events, { namespace })).items).includes('PubPreventPodDeletion'),
    );
    const metrics = await Promise.all(running.map((manager) => manager.metrics()));
    expect(metrics.join('\n')).toContain('pod_unavailable_budget{kind_namespace_name="unknown_race_p-');
  });

  it('with all managers dead, Pods without a budget go, and what is kept is told with the name of the budget', async () => {
    await prepare(5);
    await client.create(pods, { metadata: { namespace, name: 'free' }, spec: { containers: [{ name: 'main', image: 'app:1' }] } });
    const [protectedPod, other] = (await podsNow()).filter(({ metadata }) => metadata.annotations !== undefined);
    await Promise.all(running.map((manager) => manager.signal('SIGKILL')));
    const key = { namespace, name: protectedPod?.metadata.name ?? '' };
    const refusalOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => String(error),
      );
    expect(await refusalOf(client.delete(pods, { namespace, name: 'free' }))).toBe('done');
    expect(await refusalOf(client.delete(pods, key))).toMatch(/failed calling webhook "budget-race\.vpod\.kb\.io"/);
    expect(await refusalOf(client.evict(key))).toMatch(/failed calling webhook "budget-race\.vpodeviction\.kb\.io"/);
    expect(await refusalOf(client.patch(pods, key, { metadata: { labels: { free: '' } } }, { type: 'merge' }))).toBe('done');
    expect(await refusalOf(client.patch(pods, key, { metadata: { labels: { [unavailable]: '' } } }, { type: 'merge' }))).toMatch(
      /budget-race/,
    );
    const otherKey = { namespace, name: other?.metadata.name ?? '' };
    await client.patch(
      pods,
      otherKey,
      { metadata: { annotations: { 'pub.kruise.io/related-pub': null, 'kruise.io/related-pub': null } } },
      { type: 'merge' },
    );
    expect(await refusalOf(client.delete(pods, otherKey))).toBe('done');
  });
});
