/**
 * Pod admission with many SidecarSets: how many reviews a core answers, how long each takes, and what stays in memory; then the same reviews
 * while a CloneSet is created and updated in place on the same two cores.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets, sidecarSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { pods as podType } from '@kruise/objects';
import { cpuSecondsOf, rssMiB } from '@kruise/testing';
import { each } from '../each.ts';
import { AdmissionLoad, latenciesOf, type Latencies, type ReviewSubject } from '../manager/admission-load.ts';
import type { MeasuredManager } from '../manager/measured-manager.ts';
import { rolloutPhases } from '../manager/object-phases.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { launchManager, onPlane } from '../manager/plane.ts';
import { admissionPerSecond, onStage } from '../manager/stage.ts';
import { realisticPod } from '../objects/realistic-pod.ts';
import { cloneSet, namespace, sidecarSet } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import { rowsAbout, type Row } from '../table.ts';

const allSets = 200;
const matchingSets = 20;
const matchingApp = 'bench-admission';
const podBytes = 8 * 1024;
const parallelReviews = 8;
const steadyPerSecond = 200;
const steadySeconds = 15;
const warmUp = 2000;
const warmUpMs = 10_000;
const title = `Pod admission, ${matchingSets} of ${allSets} SidecarSets match:`;

const createSets = (client: Client): Promise<void> =>
  each(allSets, (at) =>
    client.create(sidecarSets, sidecarSet({ name: `set-${at}`, app: at < matchingSets ? matchingApp : `other-${at}` })),
  );

/** As a controller creates it: without status, without what the server adds. */
function subject(): ReviewSubject {
  const { metadata, spec } = realisticPod(1);
  const labels = { ...metadata.labels, app: matchingApp };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: metadata.name, namespace, labels }, spec };
  const annotations = { filling: 'x'.repeat(Math.max(podBytes - JSON.stringify(pod).length, 0)) };
  return { path: '/mutate-pod', type: podType, object: { ...pod, metadata: { ...pod.metadata, annotations } } };
}

const connect = ({ ports, certificates }: MeasuredManager): Promise<AdmissionLoad> =>
  AdmissionLoad.connect({ port: ports.webhook, certificates }, [subject()]);

const count = (reviews: number): string => reviews.toLocaleString('en-US');

/** Where the memory is looked at: a tenth, a half, and all of the reviews. */
const looks = [0.1, 0.5, 1];

const measureAlone: Measure = (run) =>
  onPlane({}, async ({ plane, client }) => {
    const { reviews } = run.sizes;
    await using manager = await launchManager(run, plane);
    await manager.waitUntilLeading();
    run.progress(`creating ${allSets} SidecarSets`);
    await createSets(client);
    await using load = await connect(manager);
    await load.burst(warmUp, parallelReviews);
    const memory: Record<string, number> = { [`RSS after ${count(warmUp)} reviews (MiB)`]: rssMiB(manager.pid) };
    run.progress(`${reviews} reviews, ${parallelReviews} at a time`);
    const cpu = cpuSecondsOf(manager.pid);
    let reviewed = 0;
    for (const wanted of looks.map((look) => Math.round(reviews * look))) {
      await load.burst(wanted - reviewed, parallelReviews);
      load.take();
      reviewed = wanted;
      memory[`RSS after ${count(reviewed)} more (MiB)`] = rssMiB(manager.pid);
    }
    const reviewsPerCpuSecond = reviews / (cpuSecondsOf(manager.pid) - cpu);
    run.progress(`${steadyPerSecond} reviews a second`);
    load.start(steadyPerSecond);
    await sleep(steadySeconds * 1000);
    load.check();
    const steady = latenciesOf(load.take());
    return rowsAbout(title, {
      'CPU of a review (ms)': { ours: 1000 / reviewsPerCpuSecond, limit: 1 },
      'reviews a second of CPU': reviewsPerCpuSecond,
      [`p50 at ${steadyPerSecond}/s (ms)`]: steady.p50Ms,
      [`p99 at ${steadyPerSecond}/s (ms)`]: { ours: steady.p99Ms, limit: 15 },
      ...memory,
    });
  });

function phaseRows({ name, floor, webhookThread }: PhaseResult, steady: Latencies): readonly Row[] {
  const perReview = (seconds: number): number => (seconds * 1000) / webhookThread.reviews;
  const peer = { name: 'of a process that answers at once', value: floor.p99Ms };
  const during = `at ${steadyPerSecond}/s, ${name}`;
  return rowsAbout(title, {
    [`p50 (ms) ${during}`]: steady.p50Ms,
    [`p99 (ms) ${during}`]: { ours: steady.p99Ms, limit: 15, limitOf: 'ours', peer },
    [`CPU of a review in its thread (ms) ${during}`]: perReview(webhookThread.ran),
    [`waiting for a processor, by review (ms) ${during}`]: perReview(webhookThread.waited),
  });
}

const measureDuringRollout = onStage(
  ({ pods }) => ({ pods, subjects: [subject()] }),
  async ({ client, manager, phase: runPhase, record, sizes: { pods } }) => {
    await createSets(client);
    await using load = await connect(manager);
    load.start(steadyPerSecond - admissionPerSecond);
    await sleep(warmUpMs);
    const rows: Row[] = [];
    for (const phase of rolloutPhases(cloneSets, cloneSet(pods), pods).slice(0, 2)) {
      load.take();
      const result = await runPhase(phase);
      const steady = latenciesOf(load.take());
      record({ steady });
      rows.push(...phaseRows(result, steady));
    }
    load.check();
    return rows;
  },
);

export const measure: Measure = async (run) => [...(await measureAlone(run)), ...(await measureDuringRollout(run))];
