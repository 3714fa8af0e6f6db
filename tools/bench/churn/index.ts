/**
 * The manager over a long time in which much changes and nothing grows: a CloneSet whose Pods report, are annotated and are replaced, and
 * connections to the API server that break. A leak shows as a heap that is larger after each collection.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets } from '@kruise/api';
import { createClient, Informers, loadClusterConfig, SystemClock, type Client, type Logger } from '@kruise/kube';
import { namespaces, pods } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { cloneSet, name, namespace } from '../manager/clone-set.ts';
import { install } from '../manager/install.ts';
import { buildManager, ManagerProcess } from '../manager/manager-process.ts';
import { rssMiB } from '../process-usage.ts';
import type { Row } from '../table.ts';
import { Changes } from './changes.ts';
import { ConnectionRelay } from './connection-relay.ts';
import { growthRows, type Sample } from './samples.ts';

export interface ChurnOptions {
  readonly pods: number;
  readonly minutes: number;
  readonly changesPerSecond: number;
  readonly progress: (line: string) => void;
}

export interface ChurnResult {
  readonly rows: readonly Row[];
  readonly details: { readonly samples: readonly Sample[]; readonly changes: number; readonly replaced: number; readonly cuts: number };
}

const cutEveryMs = 60_000;
const samples = 12;
const minuteMs = 60_000;
const rolloutMs = 600_000;
/** What the simulated kubelet calls its only node. */
const nodeName = 'simulated-0';

const nothing = (): void => undefined;
const silent: Logger = { error: nothing, warn: nothing, info: nothing, debug: nothing, child: () => silent };

/** Without a scheduler: the Pods say themselves where they run. */
function boundCloneSet(replicas: number): ReturnType<typeof cloneSet> {
  const whole = cloneSet(replicas);
  const { template } = whole.spec;
  return { ...whole, spec: { ...whole.spec, template: { ...template, spec: { ...template.spec, nodeName } } } } as typeof whole;
}

async function waitUntilReady(client: Client, replicas: number): Promise<void> {
  const deadline = performance.now() + rolloutMs;
  while ((await client.get(cloneSets, { namespace, name })).status?.readyReplicas !== replicas) {
    if (performance.now() > deadline) throw new Error(`not all of ${replicas} Pods are ready after ${rolloutMs / 1000} s`);
    await sleep(1000);
  }
}

/** The manager's own way to the API server. */
function kubeconfigVia(relay: ConnectionRelay, plane: ControlPlane, folder: string): string {
  const path = join(folder, 'relay.kubeconfig');
  writeFileSync(path, readFileSync(plane.kubeconfigPath, 'utf8').replaceAll(plane.server, relay.url), { mode: 0o600 });
  return path;
}

async function watchMemory(manager: ManagerProcess, { minutes, progress }: ChurnOptions): Promise<readonly Sample[]> {
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
  options: ChurnOptions,
): Promise<ChurnResult['details']> {
  const ended = new AbortController();
  const { signal } = ended;
  const informers = new Informers({ client: given.client, clock: new SystemClock(), logger: silent });
  const store = informers.store(pods);
  const reading = informers.run(signal);
  await informers.waitForSync(signal);
  const changes = new Changes(given.client, store);
  const changing = changes.run(options.changesPerSecond, signal);
  let cuts = 0;
  const cutting = setInterval(() => {
    given.relay.cut();
    cuts++;
  }, cutEveryMs);
  try {
    const taken = await Promise.race([watchMemory(given.manager, options), changing.then(() => [])]);
    return { samples: taken, changes: changes.made, replaced: changes.replaced, cuts };
  } finally {
    clearInterval(cutting);
    ended.abort();
    await Promise.allSettled([changing, reading]);
  }
}

async function measure(options: ChurnOptions, folder: string): Promise<ChurnResult> {
  const program = await buildManager(folder);
  options.progress('starting a control plane');
  await using plane = await startControlPlane({ simulatedNodes: 1 });
  await using relay = await ConnectionRelay.start(plane.server);
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
  try {
    await install(client, AbortSignal.timeout(60_000));
    await client.create(namespaces, { metadata: { name: namespace } });
    await using manager = await ManagerProcess.start({ program, folder, kubeconfig: kubeconfigVia(relay, plane, folder) });
    await manager.waitUntilReady();
    await manager.waitUntilLeading();
    const emptyMiB = await manager.heapMiB();
    options.progress(`creating ${options.pods} Pods`);
    await client.create(cloneSets, boundCloneSet(options.pods));
    await waitUntilReady(client, options.pods);
    options.progress(`${options.changesPerSecond} changes a second for ${options.minutes} min`);
    const details = await churn({ client, manager, relay }, options);
    await waitUntilReady(client, options.pods);
    return { rows: rows(options, details, emptyMiB), details };
  } finally {
    client.close();
  }
}

function rows({ pods: count, minutes }: ChurnOptions, details: ChurnResult['details'], emptyMiB: number): readonly Row[] {
  const heldMiB = (details.samples[0]?.heapMiB ?? Number.NaN) - emptyMiB;
  return [
    { what: `churn of ${minutes} min: changes made to Pods`, ours: details.changes },
    { what: `churn of ${minutes} min: Pods replaced`, ours: details.replaced },
    { what: `churn of ${minutes} min: times that all connections broke`, ours: details.cuts },
    { what: `churn: heap per Pod, ${count} held (KiB)`, ours: (heldMiB * 1024) / count },
    ...growthRows(details.samples),
  ];
}

export async function run(options: ChurnOptions): Promise<ChurnResult> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    return await measure(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
