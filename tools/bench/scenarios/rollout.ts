/** The phases of a CloneSet on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets } from '@kruise/api';
import { latenciesOf } from '../manager/admission-load.ts';
import { busyShare, rolloutMeasures, rowsOf } from '../manager/measures.ts';
import { rolloutPhases } from '../manager/object-phases.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { cloneSet } from '../objects/workloads.ts';
import type { Cells } from '../scenario.ts';
import { total } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

const reviewed = { type: cloneSets, object: cloneSet(3) };
const subjects = [
  { path: '/mutate-apps-kruise-io-cloneset', ...reviewed },
  { path: '/validate-apps-kruise-io-cloneset', ...reviewed },
  reviewedPod({ name: 'web-x' }),
];
const paths = subjects.map(({ path }) => path);
const atRestMs = 10_000;

function admissionRows(path: string, phases: readonly PhaseResult[], atRestP50Ms: number): readonly Row[] {
  const during = phases.flatMap(({ admission }) => admission[path] ?? []);
  const p50 = total(during.map(({ p50Ms, calls }) => p50Ms * calls)) / total(during.map(({ calls }) => calls));
  const p99 = Math.max(...during.map(({ p99Ms }) => p99Ms));
  const floor = { name: 'of a process that answers at once', value: Math.max(...phases.map((phase) => phase.floor.p99Ms)) };
  return rowsAbout(`${path}:`, {
    'p50 during the rollout (ms)': { ours: p50, peer: { name: 'at rest', value: atRestP50Ms } },
    'p99 of the slowest phase (ms)': { ours: p99, limit: 10, limitOf: 'ours', peer: floor },
  });
}

/** What is the machine's and what is ours in the latencies. */
function webhookThreadRows(phases: readonly PhaseResult[]): readonly Row[] {
  const perReview = (of: 'ran' | 'waited'): number =>
    (total(phases.map(({ webhookThread }) => webhookThread[of])) * 1000) / total(phases.map(({ webhookThread }) => webhookThread.reviews));
  return rowsAbout('webhook thread:', {
    'CPU of one review (ms)': perReview('ran'),
    'waiting for a processor, per review (ms)': perReview('waited'),
  });
}

const short = (value = NaN): string => value.toFixed(1);

/** p99 by phase, in milliseconds. */
const admissionTable = (phases: readonly PhaseResult[]): Cells => ({
  columns: ['phase', ...paths, 'a process that answers at once'],
  cells: phases.map(({ name, admission, floor }) => [name, ...paths.map((path) => short(admission[path]?.p99Ms)), short(floor.p99Ms)]),
});

/** CPU seconds by phase. */
const cpuTable = (phases: readonly PhaseResult[]): Cells => ({
  columns: ['phase', 'manager', 'kube-apiserver', 'etcd, controllers, scheduler, kubelets', 'wall', 'machine busy'],
  cells: phases.map((phase) => {
    const { 'kube-apiserver': server, ...others } = phase.clusterCpuSeconds;
    const seconds = [phase.cpuSeconds, server, total(Object.values(others))].map(short);
    return [phase.name, ...seconds, phase.wallSeconds.toFixed(0), `${(busyShare(phase) * 100).toFixed(0)} %`];
  }),
});

export const measure = onStage(
  ({ pods }) => ({ pods, subjects }),
  async ({ admission, phases: runPhases, sizes: { pods }, addTable, record }) => {
    admission.take();
    await sleep(atRestMs);
    const atRest = admission.take();
    const phases = await runPhases(rolloutPhases(cloneSets, cloneSet(pods), pods));
    admission.check();
    addTable('rollout-admission', admissionTable(phases));
    addTable('rollout-cpu', cpuTable(phases));
    const ofPaths = paths.flatMap((path) => {
      const { p50Ms } = latenciesOf(atRest.filter((call) => call.path === path));
      record({ atRest: path, p50Ms });
      return admissionRows(path, phases, p50Ms);
    });
    return [...rowsOf(phases, rolloutMeasures(pods)), ...ofPaths, ...webhookThreadRows(phases)];
  },
);
