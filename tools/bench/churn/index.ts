/**
 * The manager over a long time in which much changes and nothing grows: a CloneSet whose Pods report, are annotated and are replaced, and
 * connections to the API server that break. A leak shows as a heap that is larger after each collection.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets } from '@kruise/api';
import { Informers, SystemClock, type Client } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { ConnectionRelay, type ControlPlane } from '@kruise/testing';
import type { ManagerProcess } from '../manager/manager-process.ts';
import { onPlane, startManager } from '../manager/plane.ts';
import { cloneSet, name, namespace } from '../objects/workloads.ts';
import { rssMiB } from '../process-usage.ts';
import type { Measure, ScenarioRun } from '../scenario.ts';
import { silent } from '../silent.ts';
import { until } from '../until.ts';
import { Changes } from './changes.ts';
import { growthRows, memoryTable, type Sample } from './samples.ts';

interface ChurnDetails {
  readonly samples: readonly Sample[];
  readonly changes: number;
  readonly replaced: number;
  readonly cuts: number;
}

const cutEveryMs = 60_000;
const samples = 12;
const minuteMs = 60_000;
const rolloutMs = 600_000;
/** What the simulated kubelet calls its only node. */
const nodeName = 'simulated-0';

/** Without a scheduler: the Pods say themselves where they run. */
function boundCloneSet(replicas: number): ReturnType<typeof cloneSet> {
  const whole = cloneSet(replicas);
  const { template } = whole.spec;
  return { ...whole, spec: { ...whole.spec, template: { ...template, spec: { ...template.spec, nodeName } } } } as typeof whole;
}

const waitUntilReady = (client: Client, replicas: number): Promise<void> =>
  until(
    `all of ${replicas} Pods are ready`,
    async () => (await client.get(cloneSets, { namespace, name })).status?.readyReplicas === replicas,
    { timeoutMs: rolloutMs, everyMs: 1000 },
  );

/** The manager's own way to the API server. */
function kubeconfigVia(relay: ConnectionRelay, plane: ControlPlane, folder: string): string {
  const path = join(folder, 'relay.kubeconfig');
  writeFileSync(path, readFileSync(plane.kubeconfigPath, 'utf8').replaceAll(plane.server, `https://127.0.0.1:${relay.port}`), {
    mode: 0o600,
  });
  return path;
}

async function watchMemory(manager: ManagerProcess, { sizes: { minutes }, progress }: ScenarioRun): Promise<readonly Sample[]> {
  const taken: Sample[] = [];
  const began = performance.now();
  for (let at = 0; at <= samples; at++) {
    await sleep(Math.max(began + (at / samples) * minutes * minuteMs - performance.now(), 0));
    const minute = Math.round(((performance.now() - began) / minuteMs) * 10) / 10;
    const sample = { minute, rssMiB: rssMiB(manager.pid), heapMiB: await manager.heapMiB() };
    progress(JSON.stringify(sample));
    taken.push(sample);
  }
  return taken;
}

/** Everything that happens to the manager at once; ends with the last sample. */
async function churn(
  given: { readonly client: Client; readonly manager: ManagerProcess; readonly relay: ConnectionRelay },
  run: ScenarioRun,
): Promise<ChurnDetails> {
  const ended = new AbortController();
  const { signal } = ended;
  const informers = new Informers({ client: given.client, clock: new SystemClock(), logger: silent });
  const store = informers.store(pods);
  const reading = informers.run(signal);
  await informers.waitForSync(signal);
  const changes = new Changes(given.client, store);
  const changing = changes.run(run.sizes.rate, signal);
  let cuts = 0;
  const cutting = setInterval(() => {
    given.relay.dropAll();
    cuts++;
  }, cutEveryMs);
  try {
    const taken = await Promise.race([watchMemory(given.manager, run), changing.then(() => [])]);
    return { samples: taken, changes: changes.made, replaced: changes.replaced, cuts };
  } finally {
    clearInterval(cutting);
    ended.abort();
    await Promise.allSettled([changing, reading]);
  }
}

export const measure: Measure = (run) =>
  onPlane({ simulatedNodes: 1 }, async ({ plane, client }) => {
    const { pods: count, minutes, rate } = run.sizes;
    const relay = new ConnectionRelay(Number(new URL(plane.server).port));
    await relay.listen();
    await using _ = { [Symbol.asyncDispose]: () => relay.refuse() };
    await using manager = await startManager(run, kubeconfigVia(relay, plane, run.folder));
    const emptyMiB = await manager.heapMiB();
    run.progress(`creating ${count} Pods`);
    await client.create(cloneSets, boundCloneSet(count));
    await waitUntilReady(client, count);
    run.progress(`${rate} changes a second for ${minutes} min`);
    const details = await churn({ client, manager, relay }, run);
    await waitUntilReady(client, count);
    const heldMiB = (details.samples[0]?.heapMiB ?? NaN) - emptyMiB;
    return {
      rows: [
        { what: `churn of ${minutes} min: changes made to Pods`, ours: details.changes },
        { what: `churn of ${minutes} min: Pods replaced`, ours: details.replaced },
        { what: `churn of ${minutes} min: times that all connections broke`, ours: details.cuts },
        { what: `churn: heap per Pod, ${count} held (KiB)`, ours: (heldMiB * 1024) / count },
        ...growthRows(details.samples),
      ],
      tables: { 'churn-memory': memoryTable(details.samples) },
      details,
    };
  });
