/** The phases of a UnitedDeployment on simulated nodes: what a change costs, and how many children it touches. */
import { cloneSets, unitedDeploymentLabels, unitedDeployments, type UnitedDeployment } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { events } from '@kruise/objects';
import { writesOf } from '../manager/api-server-requests.ts';
import { calls, cpu, ownWork, rowsOf, wallTime, type PhaseMeasure } from '../manager/measures.ts';
import { phasesOf, type Change } from '../manager/object-phases.ts';
import type { Phase, PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { cloneSet, image, name, namespace, replace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';

const subsets = 20;

/** One change. */
interface UnitedPhase extends PhaseResult {
  /** Children whose spec was written. */
  readonly touched: number;
  /** Writes of the manager without events, which may be joined or lost. */
  readonly withoutEvents: number;
}

/** Writes that no implementation can leave out, events aside: of each workload the status when the spec is observed, and when all is ready. */
function leastWrites(pods: number): readonly number[] {
  const statuses = (workloads: number): number => 2 * workloads;
  return [
    // A revision, the children and their revisions; of each Pod itself and two readiness gates.
    1 + 2 * subsets + pods * 3 + statuses(subsets + 1),
    // The child, the Pod and its gates.
    1 + 3 + statuses(2),
    // The child and the Pod.
    1 + 1 + statuses(2),
    // A revision, the children and their revisions; of each Pod out of service, the new image, in service again.
    1 + 2 * subsets + pods * 3 + statuses(subsets + 1),
  ];
}

/** With the template of the benchmarks' CloneSet. */
function united(pods: number): UnitedDeployment {
  const { selector, template, updateStrategy } = cloneSet(1).spec;
  const labels = { app: name };
  return {
    metadata: { namespace, name },
    spec: {
      replicas: pods,
      selector: { matchLabels: labels },
      template: { cloneSetTemplate: { metadata: { labels }, spec: { selector, template, updateStrategy } } },
      topology: { subsets: Array.from({ length: subsets }, (_, i) => ({ name: `zone-${i}` })) },
    },
  } as unknown as UnitedDeployment;
}

function phasesFor(client: Client, pods: number): readonly Phase[] {
  const change = (what: string, patch: readonly object[] | undefined, wanted = pods): Change<NonNullable<UnitedDeployment['status']>> => ({
    name: `UnitedDeployment, ${subsets} subsets, ${pods} Pods: ${what}`,
    ...(patch === undefined ? {} : { patch }),
    isDone: (status) =>
      status.replicas === wanted && status.updatedReadyReplicas === wanted && status.currentRevision === status.updatedRevision,
  });
  const containers = '/spec/template/cloneSetTemplate/spec/template/spec/containers';
  const changes = [
    change('create', undefined),
    change('one Pod more', [replace('/spec/replicas', pods + 1)], pods + 1),
    change('one Pod less', [replace('/spec/replicas', pods)]),
    change('update in place', [replace(`${containers}/0/image`, image(2))]),
  ];
  return phasesOf(client, unitedDeployments, united(pods), { count: pods, changes });
}

/** `metadata.generation` of every child. */
async function generations(client: Client): Promise<ReadonlyMap<string, number>> {
  const { items } = await client.list(cloneSets, { namespace, labelSelector: unitedDeploymentLabels.subsetName });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.generation ?? 0]));
}

/** Writes of events but for those of the scheduler, which writes one for each Pod that it places. */
async function eventWrites(client: Client): Promise<number> {
  const { items } = await client.list(events, { namespace, fieldSelector: 'reason=Scheduled' });
  return (await writesOf(client, events.plural)) - items.length;
}

const unitedMeasures = (pods: number): readonly PhaseMeasure<UnitedPhase>[] => [
  wallTime,
  calls,
  {
    what: 'of these writes, without events',
    ours: ({ withoutEvents }) => withoutEvents,
    peer: (_, at) => ({ name: 'least', value: leastWrites(pods)[at] ?? NaN }),
    limit: 1.2,
  },
  { what: 'children written', ours: ({ touched }) => touched, limitAt: (at) => (at === 1 || at === 2 ? 1 : undefined) },
  cpu,
  ownWork,
];

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods + 1 }, async ({ client, phase: runPhase }) => {
    const { pods } = run.sizes;
    const results: UnitedPhase[] = [];
    for (const one of phasesFor(client, pods)) {
      const [before, eventsBefore] = [await generations(client), await eventWrites(client)];
      const phase = await runPhase(one);
      const withoutEvents = phase.writes - ((await eventWrites(client)) - eventsBefore);
      const touched = [...(await generations(client))].filter(([child, generation]) => before.get(child) !== generation).length;
      results.push({ ...phase, touched, withoutEvents });
    }
    return { rows: rowsOf(results, unitedMeasures(pods)), details: results };
  });
