/**
 * The manager over a long time in which much changes and nothing grows: a CloneSet whose Pods report, are annotated and are replaced, and
 * connections to the API server that break. A leak shows as a heap that is larger after each collection.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneSets, type CloneSet } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { pods } from '@kruise/objects';
import { ConnectionRelay, eventually, rssMiB, type ControlPlane } from '@kruise/testing';
import { ticks } from '../each.ts';
import { LiveObjects } from '../live-objects.ts';
import { Changes } from '../manager/churn-changes.ts';
import type { MeasuredManager } from '../manager/measured-manager.ts';
import { growthRows, memoryTable, type Sample } from '../manager/memory-growth.ts';
import { onPlane, startManager } from '../manager/plane.ts';
import { cloneSet, name, namespace } from '../objects/workloads.ts';
import type { Measure, ScenarioRun } from '../scenario.ts';
import { rowsAbout } from '../table.ts';

const cutEveryMs = 60_000;
const samples = 12;
const minuteMs = 60_000;
const rolloutMs = 600_000;
/** What the simulated kubelet calls its only node. */
const nodeName = 'simulated-0';

/** Without a scheduler: the Pods say themselves where they run. */
function boundCloneSet(replicas: number): CloneSet {
  const { spec, ...rest } = cloneSet(replicas);
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, nodeName } } } } as CloneSet;
}

const waitUntilReady = (client: Client, replicas: number): Promise<void> =>
  eventually(async () => (await client.get(cloneSets, { namespace, name })).status?.readyReplicas === replicas, rolloutMs);

/** The manager's own way to the API server. */
function kubeconfigVia(relay: ConnectionRelay, plane: ControlPlane, folder: string): string {
  const path = join(folder, 'relay.kubeconfig');
  const text = readFileSync(plane.kubeconfigPath, 'utf8').replaceAll(plane.server, `https://127.0.0.1:${relay.port}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function watchMemory(manager: MeasuredManager, { sizes: { minutes }, progress }: ScenarioRun): Promise<readonly Sample[]> {
  const taken: Sample[] = [];
  const began = performance.now();
  for await (const _ of ticks(samples / (minutes * 60), { count: samples + 1 })) {
    const minute = Math.round(((performance.now() - began) / minuteMs) * 10) / 10;
    const sample = { minute, rssMiB: rssMiB(manager.pid), heapMiB: await manager.heapMiB() };
    progress(JSON.stringify(sample));
    taken.push(sample);
  }
  return taken;
}

interface ChurnDetails {
  readonly samples: readonly Sample[];
  readonly changes: number;
  readonly replaced: number;
  readonly cuts: number;
}

/** Everything that happens to the manager at once; ends with the last sample. */
async function churn(client: Client, manager: MeasuredManager, relay: ConnectionRelay, run: ScenarioRun): Promise<ChurnDetails> {
  const ended = new AbortController();
  await using live = await LiveObjects.watch(client, pods, {});
  const changes = new Changes(client, live.store);
  const changing = changes.run(run.sizes.rate, ended.signal);
  let cuts = 0;
  const cutting = setInterval(() => {
    relay.dropAll();
    cuts++;
  }, cutEveryMs);
  try {
    const taken = await Promise.race([watchMemory(manager, run), changing.then(() => [])]);
    return { samples: taken, changes: changes.made, replaced: changes.replaced, cuts };
  } finally {
    clearInterval(cutting);
    ended.abort();
    await Promise.allSettled([changing]);
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
    const details = await churn(client, manager, relay, run);
    await waitUntilReady(client, count);
    const heldMiB = (details.samples[0]?.heapMiB ?? NaN) - emptyMiB;
    const happened = rowsAbout(`churn of ${minutes} min:`, {
      'changes made to Pods': details.changes,
      'Pods replaced': details.replaced,
      'times that all connections broke': details.cuts,
      [`heap per Pod, ${count} held (KiB)`]: (heldMiB * 1024) / count,
    });
    return { rows: [...happened, ...growthRows(details.samples)], tables: { 'churn-memory': memoryTable(details.samples) }, details };
  });
