/**
 * The manager over a long time in which much changes and nothing grows: a CloneSet whose Pods report, are annotated and are replaced, and
 * connections to the API server that break. A leak shows as a heap that is larger after each collection.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneSets, type CloneSet } from '@kruise/api';
import { isFailure, type Client, type StoreReader } from '@kruise/kube';
import { keyOf, pods, type ObjectKey, type Pod } from '@kruise/objects';
import { ConnectionRelay, eventually, rssMiB, type ControlPlane } from '@kruise/testing';
import { ticks } from '../each.ts';
import { LiveObjects } from '../live-objects.ts';
import type { MeasuredManager } from '../manager/measured-manager.ts';
import { growthRows, memoryTable, type Sample } from '../manager/memory-growth.ts';
import { launchManager, onPlane } from '../manager/plane.ts';
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

/** What may happen to a Pod. */
const changes = {
  report: (client: Client, key: ObjectKey, at: number) => {
    const condition = { type: 'example.com/Heartbeat', status: 'True', reason: 'Alive', message: `beat ${at}` };
    return client.patch(pods, key, { status: { conditions: [condition] } }, { type: 'strategic', subresource: 'status' });
  },
  annotate: (client: Client, key: ObjectKey, at: number) =>
    client.patch(pods, key, { metadata: { annotations: { 'example.com/mark': `mark-${at}` } } }, { type: 'merge' }),
  replace: (client: Client, key: ObjectKey) => client.delete(pods, key, { gracePeriodSeconds: 0 }),
};

/** Of twenty changes 16 are reports, 3 annotations, and the last one replaces the Pod. */
function changeAt(at: number): keyof typeof changes {
  const place = at % 20;
  if (place < 16) return 'report';
  return place < 19 ? 'annotate' : 'replace';
}

/** How often something happened. */
const noCounts = () => ({ report: 0, annotate: 0, replace: 0, cut: 0 });
type Counts = ReturnType<typeof noCounts>;

/** Changes one Pod after the other until `signal` aborts. @throws what a change fails with */
async function changePods(client: Client, store: StoreReader<Pod>, perSecond: number, counts: Counts, signal: AbortSignal): Promise<void> {
  let keys: readonly ObjectKey[] = [];
  for await (const at of ticks(perSecond, { signal })) {
    if (at % perSecond === 0) keys = store.list().map(keyOf);
    const key = keys[Math.floor(Math.random() * keys.length)];
    if (key === undefined) continue;
    try {
      await changes[changeAt(at)](client, key, at);
      counts[changeAt(at)]++;
    } catch (error) {
      if (!isFailure(error, 'NotFound')) throw error; // replaced since the list was made
    }
  }
}

async function watchMemory(manager: MeasuredManager, { sizes: { minutes }, progress, record }: ScenarioRun): Promise<readonly Sample[]> {
  const taken: Sample[] = [];
  const began = performance.now();
  for await (const _ of ticks(samples / (minutes * 60), { count: samples + 1 })) {
    const minute = Math.round(((performance.now() - began) / minuteMs) * 10) / 10;
    const sample = { minute, rssMiB: rssMiB(manager.pid), heapMiB: await manager.heapMiB() };
    progress(JSON.stringify(sample));
    record(sample);
    taken.push(sample);
  }
  return taken;
}

/** Everything that happens to the manager at once; ends with the last sample. */
async function churn(
  client: Client,
  manager: MeasuredManager,
  relay: ConnectionRelay,
  run: ScenarioRun,
): Promise<{ readonly taken: readonly Sample[]; readonly counts: Counts }> {
  const ended = new AbortController();
  await using live = await LiveObjects.watch(client, pods, {});
  const counts = noCounts();
  const changing = changePods(client, live.store, run.sizes.rate, counts, ended.signal);
  const cutting = setInterval(() => {
    relay.dropAll();
    counts.cut++;
  }, cutEveryMs);
  try {
    return { taken: await Promise.race([watchMemory(manager, run), changing.then(() => [])]), counts };
  } finally {
    clearInterval(cutting);
    ended.abort();
    await Promise.allSettled([changing]);
  }
}

/** The manager's own way to the API server. */
function kubeconfigVia(relay: ConnectionRelay, plane: ControlPlane, folder: string): string {
  const path = join(folder, 'relay.kubeconfig');
  const text = readFileSync(plane.kubeconfigPath, 'utf8').replaceAll(plane.server, `https://127.0.0.1:${relay.port}`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

export const measure: Measure = (run) =>
  onPlane({ simulatedNodes: 1 }, async ({ plane, client }) => {
    const { pods: count, minutes, rate } = run.sizes;
    const relay = new ConnectionRelay(Number(new URL(plane.server).port));
    await relay.listen();
    await using _ = { [Symbol.asyncDispose]: () => relay.refuse() };
    await using manager = await launchManager(run, { kubeconfigPath: kubeconfigVia(relay, plane, run.folder) });
    await manager.waitUntilLeading();
    const emptyMiB = await manager.heapMiB();
    run.progress(`creating ${count} Pods`);
    await client.create(cloneSets, boundCloneSet(count));
    await waitUntilReady(client, count);
    run.progress(`${rate} changes a second for ${minutes} min`);
    const { taken, counts } = await churn(client, manager, relay, run);
    await waitUntilReady(client, count);
    run.addTable('churn-memory', memoryTable(taken));
    const happened = rowsAbout(`churn of ${minutes} min:`, {
      'changes made to Pods': counts.report + counts.annotate + counts.replace,
      'Pods replaced': counts.replace,
      'times that all connections broke': counts.cut,
      [`heap per Pod, ${count} held (KiB)`]: (((taken[0]?.heapMiB ?? NaN) - emptyMiB) * 1024) / count,
    });
    return [...happened, ...growthRows(taken)];
  });
