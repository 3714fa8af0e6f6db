/** The phases of a CloneSet on simulated nodes: create, update in place, update by recreation, scale to 0. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets } from '@kruise/api';
import type { Client } from '@kruise/kube';
import type { AdmissionLoad, ReviewSubject } from '../manager/admission-load.ts';
import { rolloutMeasures, rowsOf } from '../manager/measures.ts';
import { admissionOf, type Phase, type PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure, Measured } from '../scenario.ts';
import type { Row } from '../table.ts';
import { cloneSet, podOfCloneSet } from './clone-set.ts';
import { phasesOf } from './workload-life.ts';

type Latencies = PhaseResult['admission'];

const inGroup = (path: string, replicas: number): ReviewSubject => ({
  path,
  resource: { group: cloneSets.group, version: cloneSets.version, resource: cloneSets.plural },
  kind: { group: cloneSets.group, version: cloneSets.version, kind: cloneSets.kind },
  object: cloneSet(replicas),
});

const subjects = [
  inGroup('/mutate-apps-kruise-io-cloneset', 3),
  inGroup('/validate-apps-kruise-io-cloneset', 3),
  podOfCloneSet({ name: 'web-x' }),
];

export const lifeOfCloneSet = (client: Client, replicas: number): readonly Phase[] =>
  phasesOf(client, { type: cloneSets, object: cloneSet(replicas), replicas });

/** The same calls while the manager has nothing else to do. */
async function admissionAtRest(load: AdmissionLoad): Promise<Latencies> {
  load.take();
  await sleep(10_000);
  return admissionOf(load.take());
}

const floorOf = ({ echo }: PhaseResult): number => Math.max(...Object.values(echo).map(({ p99Ms }) => p99Ms));

function admissionRows(paths: readonly string[], phases: readonly PhaseResult[], atRest: Latencies): readonly Row[] {
  if (paths.length === 0) return [{ what: 'admission p99 during the rollout (ms)', limit: 10, note: 'no handler is served yet' }];
  return paths.flatMap((path): readonly Row[] => {
    const during = phases.flatMap(({ admission }) => admission[path] ?? []);
    const calls = during.reduce((sum, one) => sum + one.calls, 0);
    const rest = atRest[path];
    return [
      {
        what: `${path}: p50 during the rollout (ms)`,
        ours: during.reduce((sum, one) => sum + one.p50Ms * one.calls, 0) / calls,
        ...(rest === undefined ? {} : { peer: { name: 'at rest', value: rest.p50Ms } }),
      },
      {
        what: `${path}: p99 of the slowest phase (ms)`,
        ours: Math.max(...during.map(({ p99Ms }) => p99Ms)),
        limit: 10,
        limitOf: 'ours',
        peer: { name: 'of a process that answers at once', value: Math.max(...phases.map(floorOf)) },
      },
    ];
  });
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
const tablesOf = (paths: readonly string[], phases: readonly PhaseResult[]): NonNullable<Measured['tables']> => ({
  'rollout-admission': {
    columns: ['phase', ...paths, 'a process that answers at once'],
    cells: phases.map((phase) => [
      phase.name,
      ...paths.map((path) => short(phase.admission[path]?.p99Ms ?? Number.NaN)),
      short(floorOf(phase)),
    ]),
  },
  'rollout-cpu': {
    columns: ['phase', 'manager', 'kube-apiserver', 'etcd, controllers, scheduler, kubelets', 'wall', 'machine busy'],
    cells: phases.map(({ name, cpuSeconds, clusterCpuSeconds, wallSeconds, machineBusy }) => {
      const { 'kube-apiserver': server = 0, ...others } = clusterCpuSeconds;
      const rest = Object.values(others).reduce((sum, seconds) => sum + seconds, 0);
      return [name, short(cpuSeconds), short(server), short(rest), wallSeconds.toFixed(0), `${(machineBusy * 100).toFixed(0)} %`];
    }),
  },
});

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods, subjects }, async ({ client, instruments, phases: runPhases }) => {
    const { pods } = run.sizes;
    const { admission } = instruments;
    const atRest = await admissionAtRest(admission);
    const phases = await runPhases(lifeOfCloneSet(client, pods));
    const { paths, failures: admissionFailures } = admission;
    return {
      rows: [...rowsOf(phases, rolloutMeasures(pods)), ...admissionRows(paths, phases, atRest), ...webhookThreadRows(phases)],
      tables: tablesOf(paths, phases),
      details: { phases, atRest, admissionPaths: paths, admissionFailures },
    };
  });
