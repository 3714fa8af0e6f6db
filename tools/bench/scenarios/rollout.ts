/** The phases of a CloneSet on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets } from '@kruise/api';
import { busyShare, rolloutMeasures, rowsOf } from '../manager/measures.ts';
import { rolloutPhases } from '../manager/object-phases.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { cloneSet, reviewSubject } from '../objects/workloads.ts';
import type { Measure, Measured } from '../scenario.ts';
import { total } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

const subjects = [
  reviewSubject('/mutate-apps-kruise-io-cloneset', cloneSets, cloneSet(3)),
  reviewSubject('/validate-apps-kruise-io-cloneset', cloneSets, cloneSet(3)),
  reviewedPod({ name: 'web-x' }),
];
const paths = subjects.map(({ path }) => path);
const atRestMs = 10_000;

function admissionRows(path: string, phases: readonly PhaseResult[], atRest: PhaseResult['admission']): readonly Row[] {
  const during = phases.flatMap(({ admission }) => admission[path] ?? []);
  const p50 = total(during.map(({ p50Ms, calls }) => p50Ms * calls)) / total(during.map(({ calls }) => calls));
  const p99 = Math.max(...during.map(({ p99Ms }) => p99Ms));
  const floor = { name: 'of a process that answers at once', value: Math.max(...phases.map((phase) => phase.floor.p99Ms)) };
  return rowsAbout(`${path}:`, {
    'p50 during the rollout (ms)': { ours: p50, peer: { name: 'at rest', value: atRest[path]?.p50Ms ?? NaN } },
    'p99 of the slowest phase (ms)': { ours: p99, limit: 10, limitOf: 'ours', peer: floor },
  });
}

/** What is the machine's and what is ours in the latencies. */
function webhookThreadRows(phases: readonly PhaseResult[]): readonly Row[] {
  const sum = (of: 'ran' | 'waited' | 'reviews'): number => total(phases.map(({ webhookThread }) => webhookThread[of]));
  return rowsAbout('webhook thread:', {
    'CPU of one review (ms)': (sum('ran') * 1000) / sum('reviews'),
    'waiting for a processor, per review (ms)': (sum('waited') * 1000) / sum('reviews'),
  });
}

const short = (value: number): string => value.toFixed(1);

/** The same numbers by phase. */
const tablesOf = (phases: readonly PhaseResult[]): NonNullable<Measured['tables']> => ({
  'rollout-admission': {
    columns: ['phase', ...paths, 'a process that answers at once'],
    cells: phases.map((phase) => [
      phase.name,
      ...paths.map((path) => short(phase.admission[path]?.p99Ms ?? NaN)),
      short(phase.floor.p99Ms),
    ]),
  },
  'rollout-cpu': {
    columns: ['phase', 'manager', 'kube-apiserver', 'etcd, controllers, scheduler, kubelets', 'wall', 'machine busy'],
    cells: phases.map((phase) => {
      const { 'kube-apiserver': server = 0, ...others } = phase.clusterCpuSeconds;
      const seconds = [phase.cpuSeconds, server, total(Object.values(others))].map(short);
      return [phase.name, ...seconds, phase.wallSeconds.toFixed(0), `${(busyShare(phase) * 100).toFixed(0)} %`];
    }),
  },
});

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods, subjects }, async ({ client, admission, phases: runPhases }) => {
    const { pods } = run.sizes;
    admission.take();
    await sleep(atRestMs);
    const atRest = admission.take();
    const phases = await runPhases(rolloutPhases(client, cloneSets, cloneSet(pods), pods));
    admission.check();
    const ofPaths = paths.flatMap((path) => admissionRows(path, phases, atRest));
    return {
      rows: [...rowsOf(phases, rolloutMeasures(pods)), ...ofPaths, ...webhookThreadRows(phases)],
      tables: tablesOf(phases),
      details: { phases, atRest },
    };
  });
