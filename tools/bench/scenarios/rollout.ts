/** The phases of a CloneSet on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets } from '@kruise/api';
import type { ReviewSubject } from '../manager/admission-load.ts';
import { busyShare, rolloutMeasures, rowsOf } from '../manager/measures.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { cloneSet, reviewSubject } from '../objects/workloads.ts';
import type { Measure, Measured } from '../scenario.ts';
import type { Row } from '../table.ts';
import { rolloutPhases } from './object-phases.ts';

const subjects: readonly ReviewSubject[] = [
  reviewSubject('/mutate-apps-kruise-io-cloneset', cloneSets, cloneSet(3)),
  reviewSubject('/validate-apps-kruise-io-cloneset', cloneSets, cloneSet(3)),
  reviewedPod({ name: 'web-x' }),
];
const paths = subjects.map(({ path }) => path);
const atRestMs = 10_000;

const floorOf = ({ floor }: PhaseResult): number => floor?.p99Ms ?? NaN;

function admissionRows(path: string, phases: readonly PhaseResult[], atRest: PhaseResult['admission']): readonly Row[] {
  const during = phases.flatMap(({ admission }) => admission[path] ?? []);
  const calls = during.reduce((sum, one) => sum + one.calls, 0);
  return [
    {
      what: `${path}: p50 during the rollout (ms)`,
      ours: during.reduce((sum, one) => sum + one.p50Ms * one.calls, 0) / calls,
      peer: { name: 'at rest', value: atRest[path]?.p50Ms ?? NaN },
    },
    {
      what: `${path}: p99 of the slowest phase (ms)`,
      ours: Math.max(...during.map(({ p99Ms }) => p99Ms)),
      limit: 10,
      limitOf: 'ours',
      peer: { name: 'of a process that answers at once', value: Math.max(...phases.map(floorOf)) },
    },
  ];
}

/** What is the machine's and what is ours in the latencies. */
function webhookThreadRows(phases: readonly PhaseResult[]): readonly Row[] {
  const sum = (of: 'ran' | 'waited' | 'reviews'): number => phases.reduce((all, { webhookThread }) => all + webhookThread[of], 0);
  return [
    { what: 'webhook thread: CPU of one review (ms)', ours: (sum('ran') * 1000) / sum('reviews') },
    { what: 'webhook thread: waiting for a processor, per review (ms)', ours: (sum('waited') * 1000) / sum('reviews') },
  ];
}

const short = (value: number): string => value.toFixed(1);

/** The same numbers by phase. */
const tablesOf = (phases: readonly PhaseResult[]): NonNullable<Measured['tables']> => ({
  'rollout-admission': {
    columns: ['phase', ...paths, 'a process that answers at once'],
    cells: phases.map((phase) => [phase.name, ...paths.map((path) => short(phase.admission[path]?.p99Ms ?? NaN)), short(floorOf(phase))]),
  },
  'rollout-cpu': {
    columns: ['phase', 'manager', 'kube-apiserver', 'etcd, controllers, scheduler, kubelets', 'wall', 'machine busy'],
    cells: phases.map((phase) => {
      const { 'kube-apiserver': server = 0, ...others } = phase.clusterCpuSeconds;
      const rest = Object.values(others).reduce((sum, seconds) => sum + seconds, 0);
      const busy = `${(busyShare(phase) * 100).toFixed(0)} %`;
      return [phase.name, short(phase.cpuSeconds), short(server), short(rest), phase.wallSeconds.toFixed(0), busy];
    }),
  },
});

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods, subjects }, async ({ client, instruments: { admission }, phases: runPhases }) => {
    const { pods } = run.sizes;
    admission.take();
    await sleep(atRestMs);
    const atRest = admission.take();
    const phases = await runPhases(rolloutPhases(client, cloneSets, cloneSet(pods), pods));
    admission.check();
    return {
      rows: [
        ...rowsOf(phases, rolloutMeasures(pods)),
        ...paths.flatMap((path) => admissionRows(path, phases, atRest)),
        ...webhookThreadRows(phases),
      ],
      tables: tablesOf(phases),
      details: { phases, atRest },
    };
  });
