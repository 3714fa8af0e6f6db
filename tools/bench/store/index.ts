/**
 * The store beside the informers of @kubernetes/client-node and client-go: the same pods of the same API server, each in a process of
 * its own, one after the other.
 */
import { createClient, inParallel, loadClusterConfig, type Client } from '@kruise/kube';
import { keyOf, namespaces, pods, type Pod } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { build } from 'esbuild';
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';
import type { Row } from '../table.ts';
import type { Filled, Watched } from './measure.ts';
import { benchNamespace, realisticPod } from './realistic-pod.ts';

const events = 1_500;
/** Each program runs so often, in turns; medians are given. */
const rounds = 3;

interface Program {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

interface Result {
  readonly filled: Filled;
  readonly watched: Watched;
}

const here = import.meta.dirname;
const runProgram = promisify(execFile);
const parallelWrites = 32;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Fills a control plane of its own with pods and measures all programs on it; takes some minutes. */
export const measure: Measure = async ({ sizes: { stored: objects }, progress, folder }) => {
  await using plane = await startControlPlane({});
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench-writer' });
  try {
    progress(`creating ${objects} pods`);
    await fill(client, objects);
    const results = new Map<string, Result[]>();
    const all = await programs(folder);
    for (let round = 1; round <= rounds; round++) {
      for (const program of all) {
        progress(`round ${round}: ${program.name}`);
        const result = await runOnce(program, client, { kubeconfig: plane.kubeconfigPath, objects });
        progress(JSON.stringify(result));
        results.set(program.name, [...(results.get(program.name) ?? []), result]);
      }
    }
    return { rows: rows(results, objects), details: Object.fromEntries(results) };
  } finally {
    client.close();
  }
};

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
  await inParallel(numbers(objects), parallelWrites, async (at) => {
    const pod = realisticPod(at);
    const made = await client.create(pods, pod, { fieldManager: 'kube-controller-manager' });
    if (pod.status !== undefined) await client.updateStatus(pods, { ...made, status: pod.status }, { fieldManager: 'kubelet' });
  });
}

async function runOnce(
  program: Program,
  client: Client,
  given: { readonly kubeconfig: string; readonly objects: number },
): Promise<Result> {
  const [command, ...args] = program.command;
  const child = spawn(command, [...args, given.kubeconfig, String(given.objects), String(events)], {
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
    await change(client, given.objects);
    const watched = await next();
    if (watched.phase !== 'watched') throw new Error(`${program.name} listed twice`);
    return { filled, watched };
  } finally {
    child.kill('SIGKILL');
  }
}

async function change(client: Client, objects: number): Promise<void> {
  const mark = String(process.hrtime.bigint());
  await inParallel(numbers(events), parallelWrites, async (at) => {
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

function rows(results: ReadonlyMap<string, readonly Result[]>, objects: number): readonly Row[] {
  const of = (name: string, pick: (result: Result) => number): number => median((results.get(name) ?? []).map(pick));
  const many = objects.toLocaleString('en-US');
  const heap = of('ours', ({ filled }) => filled.heapMB);
  const all: Row[] = [
    { what: `heap per pod (KB), ${many} held`, ours: (heap * 1024) / objects },
    { what: `heap with ${many} pods (MB)`, ours: heap, limit: 65 },
  ];
  for (const { name, limits } of peers) {
    if (!results.has(name)) continue;
    const row = (what: string, pick: (result: Result) => number, limit: number | undefined): Row => ({
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
