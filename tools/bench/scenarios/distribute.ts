/** A ResourceDistribution to many namespaces: what it costs, that it rests, and how soon a new namespace has its copy. */
import { setTimeout as sleep } from 'node:timers/promises';
import { resourceDistributions } from '@kruise/api';
import { inParallel, type Client } from '@kruise/kube';
import { configMaps, namespaces } from '@kruise/objects';
import { requestsAbout } from '../manager/api-server-requests.ts';
import { cpu, ownWork, rowsOf, wallTime, writesPer } from '../manager/measures.ts';
import type { Phase } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import { quantile } from '../statistics.ts';

const name = 'settings';
const parallelWrites = 32;
const idleSeconds = 30;
const settleMs = 5_000;
const later = 50;
const gate = '--feature-gates=ResourceDistributionGate=true';
const labels = { bench: 'yes' };

const key = { namespace: '', name };
/** What the controller reads or writes, events included. */
const concerned = ['configmaps', 'secrets', 'namespaces', 'resourcedistributions', 'events'];

function phasesOf(client: Client, count: number): readonly Phase[] {
  const resource = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'config.yaml': 'color: blue\n'.repeat(100) } };
  const isDone = async (): Promise<boolean> => {
    const { metadata, status } = await client.get(resourceDistributions, key);
    return status?.observedGeneration === metadata.generation && status?.succeeded === count;
  };
  const timeoutMs = 60_000 + count * 120;
  const of = (what: string): string => `ResourceDistribution, ${count} namespaces: ${what}`;
  return [
    {
      name: of('create'),
      begin: () =>
        client.create(resourceDistributions, {
          metadata: { name },
          spec: { resource, targets: { namespaceSelector: { matchLabels: labels } } },
        }),
      isOver: isDone,
      timeoutMs,
    },
    {
      name: of('new contents'),
      begin: () => client.patch(resourceDistributions, key, { spec: { resource: { data: { color: 'green' } } } }, { type: 'merge' }),
      isOver: isDone,
      timeoutMs,
    },
  ];
}

/** One namespace after the other. */
async function measureNewNamespaces(client: Client): Promise<readonly number[]> {
  const seen = new Map<string, () => void>();
  const stop = new AbortController();
  const { metadata } = await client.list(configMaps, { fieldSelector: `metadata.name=${name}`, limit: 1 });
  const watching = (async (): Promise<void> => {
    const { signal } = stop;
    const options = {
      signal,
      fieldSelector: `metadata.name=${name}`,
      ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    };
    for await (const event of client.watch(configMaps, options))
      if (event.type === 'ADDED') seen.get(event.object.metadata.namespace ?? '')?.();
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const delays: number[] = [];
  for (let at = 0; at < later; at++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    seen.set(`later-${at}`, resolve);
    const began = performance.now();
    await client.create(namespaces, { metadata: { name: `later-${at}`, labels } });
    await Promise.race([promise, watching.then(() => Promise.reject(new Error('the watch of copies ended')))]);
    delays.push(performance.now() - began);
  }
  stop.abort();
  await watching;
  return delays;
}

export const measure: Measure = (run) =>
  onStage(run, { pods: 0, simulatedNodes: 0, controllers: false, flags: [gate] }, async ({ client, phases: runPhases }) => {
    const { progress } = run;
    const count = run.sizes.namespaces;
    progress(`${count} namespaces`);
    const names = Array.from({ length: count }, (_, at) => `target-${at}`);
    await inParallel(names, parallelWrites, async (one) => void (await client.create(namespaces, { metadata: { name: one, labels } })));
    await sleep(settleMs);
    const phases = await runPhases(phasesOf(client, count));
    await sleep(settleMs);
    progress(`${idleSeconds} s in which nothing changes`);
    const before = await requestsAbout(client, concerned);
    await sleep(idleSeconds * 1000);
    const idleRequests = (await requestsAbout(client, concerned)) - before;
    progress(`${later} namespaces more, one after the other`);
    const delays = await measureNewNamespaces(client);
    const of = (what: string): string => `ResourceDistribution, ${count.toLocaleString('en-US')} namespaces: ${what}`;
    return {
      rows: [
        ...rowsOf(phases, [{ ...writesPer(count, 'namespace'), limit: 1.2 }, wallTime, cpu, ownWork]),
        { what: of(`requests in ${idleSeconds} s in which nothing changes`), ours: idleRequests, limit: 0 },
        { what: of('from the creation of one more to its copy, median (ms)'), ours: quantile(delays, 0.5) },
        { what: of('from the creation of one more to its copy, p99 (ms)'), ours: quantile(delays, 0.99), limit: 1000 },
      ],
      details: { phases, idleRequests, delays },
    };
  });
