/** Pod admission with many SidecarSets: how many reviews a core answers, how long each takes, and what stays in memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sidecarSets, type SidecarSet } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { AdmissionLoad } from '../manager/admission-load.ts';
import type { ManagerProcess } from '../manager/manager-process.ts';
import { onPlane, startManager } from '../manager/plane.ts';
import { cpuSecondsOf, rssMiB } from '../process-usage.ts';
import type { Measure, ScenarioRun } from '../scenario.ts';
import { quantile } from '../statistics.ts';
import type { Row } from '../table.ts';
import { matchingLabels, reviewedPod, sidecarSet } from './admission-subjects.ts';
import { measureDuringRollout, type DuringPhase } from './during-rollout.ts';

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

interface Alone {
  readonly reviewsPerCpuSecond: number;
  readonly steadyMs: readonly number[];
  readonly rssBeforeMiB: number;
  /** By the number of reviews so far, the warm-up not counted. */
  readonly rssMiB: ReadonlyMap<number, number>;
}

/** Where the memory is looked at: a tenth, a half, and all of the reviews. */
const looks = [0.1, 0.5, 1];

async function reviewAlone(manager: ManagerProcess, { sizes: { reviews }, progress }: ScenarioRun): Promise<Alone> {
  const target = { port: manager.ports.webhook, certificateAuthority: manager.certificateAuthority };
  const load = await AdmissionLoad.connect(target, [reviewedPod()]);
  try {
    await load.burst(warmUp, parallelReviews);
    const rssBeforeMiB = rssMiB(manager.pid);
    progress(`${reviews} reviews, ${parallelReviews} at a time`);
    const cpu = cpuSecondsOf(manager.pid);
    const rssAtMiB = new Map<number, number>();
    let done = 0;
    for (const look of looks) {
      await load.burst(Math.round(reviews * look) - done, parallelReviews);
      load.take();
      done = Math.round(reviews * look);
      rssAtMiB.set(done, rssMiB(manager.pid));
    }
    const reviewsPerCpuSecond = reviews / (cpuSecondsOf(manager.pid) - cpu);
    progress(`${steadyPerSecond} reviews a second`);
    load.take();
    load.start(steadyPerSecond);
    await sleep(steadySeconds * 1000);
    const steadyMs = [...load.take().values()].flat();
    if (load.failures.length > 0) throw new Error(`${load.failures.length} reviews failed, first: ${load.failures[0]}`);
    return { reviewsPerCpuSecond, steadyMs, rssBeforeMiB, rssMiB: rssAtMiB };
  } finally {
    await load.stop();
  }
}

const count = (reviews: number): string => reviews.toLocaleString('en-US');
const of = (what: string): string => `Pod admission, ${matchingSets} of ${allSets} SidecarSets match: ${what}`;

const rowsFor = ({ reviewsPerCpuSecond, steadyMs, rssBeforeMiB, rssMiB }: Alone): readonly Row[] => [
  { what: of('CPU of a review (ms)'), ours: 1000 / reviewsPerCpuSecond, limit: 1 },
  { what: of('reviews a second of CPU'), ours: reviewsPerCpuSecond },
  { what: of(`p50 at ${steadyPerSecond}/s (ms)`), ours: quantile(steadyMs, 0.5) },
  { what: of(`p99 at ${steadyPerSecond}/s (ms)`), ours: quantile(steadyMs, 0.99), limit: 15 },
  { what: of(`RSS after ${count(warmUp)} reviews (MiB)`), ours: rssBeforeMiB },
  ...[...rssMiB].map(([reviews, ours]) => ({ what: of(`RSS after ${count(reviews)} more (MiB)`), ours })),
];

const phaseRows = (phase: DuringPhase): readonly Row[] => {
  const during = (what: string): string => of(`${what} at ${steadyPerSecond}/s, ${phase.name}`);
  return [
    { what: during('p50 (ms)'), ours: phase.p50Ms },
    {
      what: during('p99 (ms)'),
      ours: phase.p99Ms,
      limit: 15,
      limitOf: 'ours',
      peer: { name: 'of a process that answers at once', value: phase.floorP99Ms },
    },
    { what: during('CPU of a review in its thread (ms)'), ours: phase.cpuMs },
    { what: during('waiting for a processor, by review (ms)'), ours: phase.waitedMs },
  ];
};

export const measure: Measure = async (run) => {
  const alone = await onPlane({}, async ({ plane, client }) => {
    await using manager = await startManager(run, plane.kubeconfigPath);
    run.progress(`creating ${allSets} SidecarSets`);
    await createSets(client);
    return reviewAlone(manager, run);
  });
  const details = await measureDuringRollout(run, steadyPerSecond, createSets);
  return { rows: [...rowsFor(alone), ...details.flatMap(phaseRows)], details };
};
