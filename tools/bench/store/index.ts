/**
 * The store beside the informers of @kubernetes/client-node and client-go: the same pods of the same API server, each in a process of
 * its own, one after the other.
 */
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { keyOf, namespaces, pods, type Pod } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { build } from 'esbuild';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { median } from '../statistics.ts';
import type { BenchRow } from './bench-row.ts';
import type { Filled, Watched } from './measure.ts';
import { benchNamespace, realisticPod } from './realistic-pod.ts';

export interface StoreBenchOptions {
  readonly objects?: number;
  readonly events?: number;
  /** Each program runs so often, in turns; medians are given. */
  readonly rounds?: number;
  readonly progress?: (line: string) => void;
}

interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

interface Result {
  readonly filled: Filled;
  readonly watched: Watched;
}

export interface StoreBenchResult {
  readonly rows: readonly BenchRow[];
  /** By program, a result a round. */
  readonly details: Readonly<Record<string, readonly Result[]>>;
}

const here = import.meta.dirname;
const runProgram = promisify(execFile);
const parallelWrites = 32;

/** Fills a control plane of its own with pods and measures all programs on it; takes some minutes. */
export async function run(options: StoreBenchOptions = {}): Promise<StoreBenchResult> {
  const { objects = 10_000, events = 1_500, rounds = 3, progress = () => undefined } = options;
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench-writer' });
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    progress(`creating ${objects} pods`);
    await fill(client, objects);
    const results = new Map<string, Result[]>();
    const all = await programs(folder);
    for (let round = 1; round <= rounds; round++) {
      for (const program of all) {
        progress(`round ${round}: ${program.name}`);
        const result = await measure(program, client, { kubeconfig: plane.kubeconfigPath, objects, events });
        progress(JSON.stringify(result));
        results.set(program.name, [...(results.get(program.name) ?? []), result]);
      }
    }
    return { rows: rows(results, objects), details: Object.fromEntries(results) };
  } finally {
    client.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Node programs as they are shipped: each one bundle, no types to strip at the start. */
async function programs(folder: string): Promise<readonly Program[]> {
  const bundle = (name: string): string => join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(here, 'ours.ts'), join(here, 'client-node-informer.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: "import { createRequire as requireMaker } from 'node:module'; const require = requireMaker(import.meta.url);" },
  });
  const node = process.execPath;
  const all: Program[] = [
    { name: 'ours', command: [node, '--expose-gc', '--max-semi-space-size=4', bundle('ours')] },
    { name: 'client-node', command: [node, '--expose-gc', bundle('client-node-informer')] },
  ];
  const binary = join(folder, 'go-informer');
  const isBuilt = await runProgram('go', ['build', '-o', binary, '.'], { cwd: join(here, 'go-informer') }).then(
    () => true,
    () => false,
  );
  return isBuilt ? [...all, { name: 'client-go', command: [binary] }] : all;
}

/** As controllers and kubelets would: the pod by one writer, its status by another, so that the server keeps managedFields of both. */
async function fill(client: Client, objects: number): Promise<void> {
  await client.create(namespaces, { metadata: { name: benchNamespace } });
  await inParallel(objects, async (at) => {
    const pod = realisticPod(at);
    const made = await client.create(pods, pod, { fieldManager: 'kube-controller-manager' });
    if (pod.status !== undefined) await client.updateStatus(pods, { ...made, status: pod.status }, { fieldManager: 'kubelet' });
  });
}

async function inParallel(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: parallelWrites }, worker));
}

async function measure(
  program: Program,
  client: Client,
  given: { readonly kubeconfig: string; readonly objects: number; readonly events: number },
): Promise<Result> {
  const [command, ...args] = program.command;
  const child = spawn(command, [...args, given.kubeconfig, String(given.objects), String(given.events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<Filled | Watched> => {
      const line = await lines.next();
      if (line.done === true) throw new Error(`${program.name} ended early`);
      return JSON.parse(line.value) as Filled | Watched;
    };
    const filled = await next();
    if (filled.phase !== 'filled' || filled.objects !== given.objects) throw new Error(`${program.name}: ${JSON.stringify(filled)}`);
    await change(client, given);
    const watched = await next();
    if (watched.phase !== 'watched') throw new Error(`${program.name} listed twice`);
    return { filled, watched };
  } finally {
    child.kill('SIGKILL');
  }
}

async function change(client: Client, { objects, events }: { readonly objects: number; readonly events: number }): Promise<void> {
  const mark = String(process.hrtime.bigint());
  await inParallel(events, async (at) => {
    const pod: Pod = realisticPod((at * 7) % objects);
    await client.patch(pods, keyOf(pod), { metadata: { annotations: { 'bench/mark': `${mark}-${at}` } } }, { type: 'merge' });
  });
}

const peers: readonly {
  readonly name: string;
  readonly limits: { readonly cpu?: number; readonly heap: number; readonly rss: number; readonly event?: number };
}[] = [
  { name: 'client-node', limits: { cpu: 0.45, heap: 0.25, rss: 0.25, event: 0.6 } },
  { name: 'client-go', limits: { heap: 0.6, rss: 0.6 } },
];

function rows(results: ReadonlyMap<string, readonly Result[]>, objects: number): readonly BenchRow[] {
  const of = (name: string, pick: (result: Result) => number): number => median((results.get(name) ?? []).map(pick));
  const many = objects.toLocaleString('en-US');
  const heap = of('ours', ({ filled }) => filled.heapMB);
  const all: BenchRow[] = [
    { what: `heap per pod (KB), ${many} held`, ours: (heap * 1024) / objects },
    { what: `heap with ${many} pods (MB)`, ours: heap, limit: 65 },
  ];
  for (const { name, limits } of peers) {
    if (!results.has(name)) continue;
    const row = (what: string, pick: (result: Result) => number, limit: number | undefined): BenchRow => ({
      what,
      ours: of('ours', pick),
      peer: { name, value: of(name, pick) },
      ...(limit === undefined ? {} : { limit }),
    });
    all.push(
      row(`CPU to list and hold ${many} pods (s)`, ({ filled }) => filled.cpuSeconds, limits.cpu),
      row(`wall time until they are held (s)`, ({ filled }) => filled.wallSeconds, undefined),
      row(`heap after garbage collection (MB)`, ({ filled }) => filled.heapMB, limits.heap),
      row(`peak RSS (MB)`, ({ filled }) => filled.peakRssMB, limits.rss),
      row(`CPU per watch event (us)`, ({ watched }) => watched.cpuMicrosPerEvent, limits.event),
    );
  }
  return all;
}
