/**
 * 64 evictions, deletions and updates at once, through two replicas of the webhook and on a real API server, while leaders are killed: never more Pods go
 * than the budget allows, and the budget comes back.
 *
 * KRUISE_RACE_ROUNDS: how many; as many as fit in 15 seconds, at least 5, by default; `npm run nightly` runs 5,000. What a round is not about costs it little: the Pods that are left go on to the
 * next, the new ones name their budget already, what the budget says is watched, and a replica that was killed starts while the others race on.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { podUnavailableBudgets, type PodUnavailableBudget } from '@kruise/api';
import { ApiError, createClient, Informers, loadClusterConfig, SystemClock, type Client, type Informer } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { events, namespaces, pods, validatingWebhookConfigurations, type KubeObject, type Pod, type ResourceType } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';
import { startInstalledPlane, type Manifest } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';
import { WebhookBalancer } from './processes/webhook-balancer.testing.ts';

const rounds = Number(process.env['KRUISE_RACE_ROUNDS'] ?? Infinity);
const roundsMs = Number.isFinite(rounds) ? Infinity : 15_000;

/** In every so many rounds a replica is killed. */
const killEvery = 20;

const namespace = 'race';
const count = 64;
const unavailable = 'unavailable-pod.kruise.io/race';

let dir: string;
let plane: ControlPlane;
let balancer: WebhookBalancer;
let client: Client;
let budgets: Informer<PodUnavailableBudget>;
const watching = new AbortController();
let watched: Promise<void>;
const running: ManagerProcess[] = [];
/** The replica that was killed last. */
let starting: Promise<void> | undefined;
let isStarting = false;
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
      // Short, because a killed leader is waited for; a busy machine still renews within it.
      '--leader-election-lease-duration=10s',
      '--leader-election-renew-deadline=8s',
      '--leader-election-retry-period=1s',
    ],
  });
  running.push(manager);
  await manager.start();
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

/** As soon as the budget's status `holds`, which is asked at every event. */
async function untilBudget(what: string, holds: (budget: PodUnavailableBudget) => boolean, withinMs = 120_000): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = budgets.store.subscribe(() => {
    const budget = budgets.store.get(budgetKey);
    if (budget !== undefined && holds(budget)) resolve();
  });
  const ending = new AbortController();
  try {
    await Promise.race([
      promise,
      sleep(withinMs, undefined, { signal: ending.signal }).then(() => {
        throw new Error(`${what}: not so after ${withinMs} ms, but ${JSON.stringify(budgets.store.get(budgetKey)?.status)}`);
      }),
    ]);
  } finally {
    end();
    ending.abort();
  }
}

const podsNow = async (): Promise<readonly Pod[]> => (await client.list(pods, { namespace, labelSelector: 'app=race' })).items;
const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[unavailable] === undefined &&
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');
const nameOf = ({ metadata }: Pod): string => metadata.name;

/** Without a node, so that only these tests write its status. */
async function createPod(annotations: Readonly<Record<string, string>>, app = 'race'): Promise<string> {
  const key = { namespace, name: `p-${++made}` };
  const metadata = { ...key, labels: { app }, annotations };
  await client.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'app:1' }] } });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await client.patch(pods, key, { status }, { type: 'merge', subresource: 'status' });
  return key.name;
}

const named = { 'pub.kruise.io/related-pub': 'race', 'kruise.io/related-pub': 'race' };

/**
 * As many ready Pods as there should be, and a budget that says how many of them may go. The first Pods get their names from the controller.
 *
 * @param before all Pods that there are
 * @returns their names
 */
async function prepare(allowed: number, before: readonly Pod[]): Promise<readonly string[]> {
  const annotations = before.length === 0 ? {} : named;
  const ready = before.filter(isReady).map(nameOf);
  const deleted = before.filter((pod) => !isReady(pod)).map(nameOf);
  const [made, { metadata }] = await Promise.all([
    Promise.all(Array.from({ length: count - ready.length }, () => createPod(annotations))),
    client.patch(podUnavailableBudgets, budgetKey, { spec: { maxUnavailable: allowed } }, { type: 'merge' }),
    ...deleted.map((name) => client.delete(pods, { namespace, name }, { gracePeriodSeconds: 0 })),
  ]);
  await untilBudget('the budget is whole again', ({ status }) =>
    [status?.observedGeneration === metadata.generation, status?.unavailableAllowed === allowed, status?.currentAvailable === count].every(
      Boolean,
    ),
  );
  if (annotations !== named)
    await until('all Pods name it', async () =>
      (await podsNow()).every((pod) => pod.metadata.annotations?.['pub.kruise.io/related-pub'] === 'race'),
    );
  return [...ready, ...made];
}

type Way = 'evict' | 'delete' | 'update';
const ways: readonly Way[] = ['evict', 'delete', 'update'];

function take(name: string, way: Way): Promise<unknown> {
  const key = { namespace, name };
  if (way === 'evict') return client.evict(key);
  if (way === 'delete') return client.delete(pods, key, { gracePeriodSeconds: 0 });
  return client.patch(pods, key, { metadata: { labels: { [unavailable]: '' } } }, { type: 'merge' });
}

/** Kills a replica in the middle of a round, about half the time the leader; it returns during the following rounds. */
async function kill(): Promise<void> {
  await starting;
  const [victim] = running;
  running.push(...running.splice(0, 1));
  await victim?.signal('SIGKILL');
  isStarting = true;
  starting = victim?.start().finally(() => (isStarting = false));
  starting?.catch(() => undefined); // reported where it is awaited
}

/** The answer to each request; undefined for success. */
const race = (all: readonly string[]): Promise<readonly (Error | undefined)[]> =>
  Promise.all(
    all.map((name, i) =>
      take(name, ways[i % ways.length] ?? 'evict').then(
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
  const informers = new Informers({ client, clock: new SystemClock(), logger: silentLogger() });
  budgets = informers.informer(podUnavailableBudgets, { namespace });
  watched = informers.run(watching.signal);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const service = {
    metadata: { name: 'kruise-webhook-service' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: balancer.port }] },
  };
  await plane.api.request('/api/v1/namespaces/kruise-system/services', { method: 'POST', body: service });
  await Promise.all([startReplica(), startReplica()]);
  await until('both replicas are ready', () => {
    const exits = running.flatMap((manager) => manager.exits);
    if (exits.length > 0) throw new Error(`a replica has ended: ${exits.join(', ')}`);
    return Promise.resolve(balancer.ready === 2);
  });
});
afterAll(async () => {
  await Promise.all(running.map((manager) => manager.signal('SIGKILL')));
  watching.abort();
  await watched;
  client.close();
  await balancer.close();
  await plane.stop();
  rmSync(dir, { recursive: true, force: true });
});

const disruptionBudgets: ResourceType = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

/** What Kubernetes answers when one of its own budgets lets no Pod go. */
async function refusalOfDisruptionBudget(): Promise<ApiError> {
  const app = 'of-kubernetes';
  const name = await createPod({}, app);
  const budget = await client.create(disruptionBudgets, {
    metadata: { namespace, name: app },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app } } },
  } as KubeObject);
  const status = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
  await client.updateStatus(disruptionBudgets, { ...budget, status } as KubeObject);
  return (await client.evict({ namespace, name }).catch((error: unknown) => error)) as ApiError;
}

/** What clients that evict look at. */
const membersOf = ({ code, reason, failure, causes }: ApiError): readonly unknown[] => [
  code,
  reason,
  failure,
  causes.map((cause) => cause.reason),
];

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
      const [preparing, racingFor]: [number[], number[]] = [[], []];
      let [done, left]: [number, readonly Pod[]] = [0, []];
      for (; done < rounds && (done < 5 || performance.now() - began < roundsMs); done++) {
        const allowed = 1 + (done % 5);
        const from = performance.now();
        const all = await prepare(allowed, left);
        expect(all).toHaveLength(count);
        const prepared = performance.now();
        const racing = race(all);
        const isKilling = done % killEvery === 2;
        if (isKilling) await kill();
        const answers = await racing;
        const taken = answers.filter((answer) => answer === undefined).length;
        left = await podsNow();
        if (done % 100 === 99) process.stderr.write(`${done + 1} rounds, ${balancer.connections.join(' and ')} connections\n`);
        preparing.push(prepared - from);
        racingFor.push(performance.now() - prepared);
        expect([done, taken <= allowed, left.filter(isReady).length >= count - allowed]).toEqual([done, true, true]);
        if (isKilling) {
          // Requests to the dead replica got no answer; now no request reaches it. After a slow round, it may already be back.
          await until('the dead replica is out of the way', () => Promise.resolve(balancer.ready < 2 || !isStarting));
        } else {
          expect([done, taken]).toEqual([done, allowed]);
          const codes = new Set(answers.map((answer) => (answer instanceof ApiError ? answer.code : 200)));
          expect([...codes].filter((code) => code !== 200 && code !== 403 && code !== 429)).toEqual([]);
        }
      }
      await starting;
      await until('both replicas are reached', () => Promise.resolve(balancer.ready === 2));
      expect(done).toBeGreaterThanOrEqual(5);
      expect(Math.min(...balancer.connections)).toBeGreaterThanOrEqual(10);
      const half = (times: readonly number[]): string => `${Math.round(times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0)} ms`;
      process.stderr.write(
        `${done} rounds of ${count}; half of them took up to ${half(preparing)} to prepare and ${half(racingFor)} to race; connections: ${balancer.connections.join(', ')}\n`,
      );
    },
    Number.isFinite(rounds) ? 86_400_000 : 900_000,
  );

  it('a refused eviction is reported with its cause, as an event and as a number', async () => {
    const [name = '', ...others] = await prepare(1, await podsNow());
    await race(others.slice(0, 8));
    const refusal = (await client.evict({ namespace, name }).catch((error: unknown) => error)) as ApiError;
    expect(membersOf(refusal)).toEqual([429, 'TooManyRequests', { kind: 'TooManyRequests', retryAfter: 0 }, ['DisruptionBudget']]);
    expect(membersOf(await refusalOfDisruptionBudget())).toEqual(membersOf(refusal));
    expect(refusal.causes[0]?.message).toMatch(/^The budget race needs 63 to be available and has 6[34]/);
    expect(refusal.message).toContain('podunavailablebudget.policy.kruise.io "race" is forbidden: pub unavailable allowed is negative');
    await until('the event is there', async () =>
      JSON.stringify((await client.list(events, { namespace })).items).includes('PubPreventPodDeletion'),
    );
    const metrics = await Promise.all(running.map((manager) => manager.metrics()));
    expect(metrics.join('\n')).toContain('pod_unavailable_budget{kind_namespace_name="unknown_race_p-');
  });

  it('with all managers dead, Pods without a budget can be deleted, and refusals contain the name of the budget', async () => {
    await prepare(5, await podsNow());
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
