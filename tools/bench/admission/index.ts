/** Pod admission with many SidecarSets: how many reviews a core answers, how long each takes, and what stays in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { createClient, loadClusterConfig, type Client } from '@kruise/kube';
import { namespaces } from '@kruise/objects';
import { startControlPlane } from '@kruise/testing';
import { AdmissionLoad } from '../manager/admission-load.ts';
import { install } from '../manager/install.ts';
import { buildManager, ManagerProcess } from '../manager/manager-process.ts';
import { cpuSecondsOf, rssMiB } from '../process-usage.ts';
import { quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { matchingLabels, namespace, reviewedPod, sidecarSet } from './subjects.ts';

export interface AdmissionBenchOptions {
  readonly reviews: number;
  readonly progress: (line: string) => void;
}

const allSets = 200;
const matchingSets = 20;
const parallelReviews = 8;
const steadyPerSecond = 200;
const steadySeconds = 15;
const warmUp = 2000;

async function createSets(client: Client): Promise<void> {
  for (let index = 0; index < allSets; index++) {
    const labels = index < matchingSets ? matchingLabels : { app: `other-${index}` };
    await client.create<SidecarSet>(sidecarSets, sidecarSet(`set-${index}`, labels));
  }
}

interface Measured {
  readonly reviewsPerCpuSecond: number;
  readonly steadyMs: readonly number[];
  readonly rssBeforeMiB: number;
  readonly rssAfterMiB: number;
}

async function measure(manager: ManagerProcess, { reviews, progress }: AdmissionBenchOptions): Promise<Measured> {
  const target = { port: manager.ports.webhook, certificateAuthority: manager.certificateAuthority };
  const load = await AdmissionLoad.connect(target, [reviewedPod()]);
  try {
    await load.burst(warmUp, parallelReviews);
    const rssBeforeMiB = rssMiB(manager.pid);
    progress(`${reviews} reviews, ${parallelReviews} at a time`);
    const cpu = cpuSecondsOf(manager.pid);
    await load.burst(reviews, parallelReviews);
    const reviewsPerCpuSecond = reviews / (cpuSecondsOf(manager.pid) - cpu);
    const rssAfterMiB = rssMiB(manager.pid);
    progress(`${steadyPerSecond} reviews a second`);
    load.take();
    load.start(steadyPerSecond);
    await sleep(steadySeconds * 1000);
    const steadyMs = [...load.take().values()].flat();
    if (load.failures.length > 0) throw new Error(`${load.failures.length} reviews failed, first: ${load.failures[0]}`);
    return { reviewsPerCpuSecond, steadyMs, rssBeforeMiB, rssAfterMiB };
  } finally {
    await load.stop();
  }
}

const rowsOf = ({ reviewsPerCpuSecond, steadyMs, rssBeforeMiB, rssAfterMiB }: Measured, reviews: number): readonly Row[] => {
  const of = (what: string): string => `Pod admission, ${matchingSets} of ${allSets} SidecarSets match: ${what}`;
  return [
    { what: of('CPU of a review (ms)'), ours: 1000 / reviewsPerCpuSecond, limit: 1 },
    { what: of('reviews a second of CPU'), ours: reviewsPerCpuSecond },
    { what: of(`p50 at ${steadyPerSecond}/s (ms)`), ours: quantile(steadyMs, 0.5) },
    { what: of(`p99 at ${steadyPerSecond}/s (ms)`), ours: quantile(steadyMs, 0.99), limit: 15 },
    { what: of(`RSS after ${warmUp.toLocaleString('en-US')} reviews (MiB)`), ours: rssBeforeMiB },
    { what: of(`RSS after ${reviews.toLocaleString('en-US')} more (MiB)`), ours: rssAfterMiB },
  ];
};

export async function run(options: AdmissionBenchOptions): Promise<{ readonly rows: readonly Row[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-bench-'));
  try {
    const program = await buildManager(folder);
    options.progress('starting a control plane');
    await using plane = await startControlPlane();
    const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
    try {
      await install(client, AbortSignal.timeout(60_000));
      await client.create(namespaces, { metadata: { name: namespace } });
      await using manager = await ManagerProcess.start({ program, folder, kubeconfig: plane.kubeconfigPath });
      await manager.waitUntilReady();
      options.progress(`creating ${allSets} SidecarSets`);
      await createSets(client);
      return { rows: rowsOf(await measure(manager, options), options.reviews) };
    } finally {
      client.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
