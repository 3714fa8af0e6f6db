/**
 * The store beside the informers of @kubernetes/client-node and client-go: the same pods of the same API server, each in a process of
 * its own, one after the other.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@kruise/kube';
import { keyOf, pods } from '@kruise/objects';
import { peakRssMiB } from '@kruise/testing';
import { bundle } from '../../build/bundle.ts';
import { root } from '../../tasks/run-program.ts';
import { each } from '../each.ts';
import { LineProgram } from '../line-program.ts';
import { onBarePlane } from '../manager/plane.ts';
import { createPod, realisticPod } from '../objects/realistic-pod.ts';
import type { Filled, Watched } from '../peers/measure-informer.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';
import type { Row } from '../table.ts';

const events = 1_500;
/** Each program runs so often, in turns; medians are given. */
const rounds = 3;
const peersFolder = 'tools/bench/peers';

interface Result extends Filled, Watched {
  /** Until the program has listed the Pods. `maxRSS` of `getrusage` would include the process that started it: Linux keeps the maximum over `exec`. */
  readonly peakRssMB: number;
}

/** Fills a control plane of its own with pods and measures all programs on it; takes some minutes. */
export const measure: Measure = ({ sizes: { stored: objects }, progress, record, folder }) =>
  onBarePlane(async ({ plane, client }) => {
    progress(`creating ${objects} pods`);
    await each(objects, (at) => {
      const pod = realisticPod(at);
      return createPod(client, pod, pod.status);
    });
    const programs = await buildPrograms(folder);
    const results: Record<string, Result[]> = {};
    for (let round = 1; round <= rounds; round++) {
      for (const [name, command] of Object.entries(programs)) {
        progress(`round ${round}: ${name}`);
        using program = new LineProgram(name, [...command, plane.kubeconfigPath, String(objects), String(events)]);
        const result = await runOnce(program, client, objects);
        record({ name, ...result });
        (results[name] ??= []).push(result);
      }
    }
    return rowsOf(results);
  });

/** Node programs as they are shipped: each one bundle, no types to strip at the start. The client-go one only where Go is installed. @returns command lines by name */
async function buildPrograms(folder: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const entries = Object.fromEntries(['ours', 'client-node'].map((name) => [name, `${peersFolder}/informer-${name}.ts`]));
  const built = await bundle({ name: 'informers', entries }, root, folder, { minify: true, singleFiles: true });
  const node = [process.execPath, '--expose-gc'];
  const programs = {
    ours: [...node, '--max-semi-space-size=4', join(built.folder, 'ours.mjs')],
    'client-node': [...node, join(built.folder, 'client-node.mjs')],
  };
  const binary = join(folder, 'go-informer');
  const isBuilt = await promisify(execFile)('go', ['build', '-o', binary, '.'], { cwd: join(root, peersFolder, 'go-informer') }).then(
    () => true,
    () => false,
  );
  return isBuilt ? { ...programs, 'client-go': [binary] } : programs;
}

async function runOnce(program: LineProgram, client: Client, objects: number): Promise<Result> {
  const filled = JSON.parse(await program.next()) as Filled;
  if (filled.objects !== objects) throw new Error(`${program.name} holds ${filled.objects} of ${objects} pods`);
  const peakRssMB = peakRssMiB(program.pid);
  const mark = String(process.hrtime.bigint());
  await each(events, (at) => {
    const annotations = { 'bench/mark': `${mark}-${at}` };
    return client.patch(pods, keyOf(realisticPod((at * 7) % objects)), { metadata: { annotations } }, { type: 'merge' });
  });
  return { ...filled, peakRssMB, ...(JSON.parse(await program.next()) as Watched) };
}

type Member = 'cpuSeconds' | 'heapMB' | 'peakRssMB' | 'cpuMicrosPerEvent';

/** What is shown of each program, and the limits of the ratio to a peer. */
const measures: readonly { readonly of: Member; readonly what: string; readonly limits: Readonly<Record<string, number>> }[] = [
  { of: 'cpuSeconds', what: 'CPU to list and hold the pods (s)', limits: { 'client-node': 0.45 } },
  { of: 'heapMB', what: 'heap after garbage collection (MB)', limits: { 'client-node': 0.25, 'client-go': 0.6 } },
  { of: 'peakRssMB', what: 'peak RSS (MB)', limits: { 'client-node': 0.25, 'client-go': 0.6 } },
  { of: 'cpuMicrosPerEvent', what: 'CPU per watch event (us)', limits: { 'client-node': 0.6 } },
];

/** A row for each peer and measure. */
function rowsOf({ ours = [], ...peers }: Readonly<Record<string, readonly Result[]>>): readonly Row[] {
  const value = (results: readonly Result[], of: Member): number => median(results.map((result) => result[of]));
  return Object.entries(peers).flatMap(([name, results]) =>
    measures.map(({ of, what, limits }) => ({
      what,
      ours: value(ours, of),
      peer: { name, value: value(results, of) },
      limit: limits[name],
    })),
  );
}
