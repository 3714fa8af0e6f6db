/** The phases of a UnitedDeployment on simulated nodes: what a change costs, and how many children it touches. */
import { cloneSets, unitedDeploymentLabels, unitedDeployments, type UnitedDeployment } from '@kruise/api';
import type { Client } from '@kruise/kube';
import { events } from '@kruise/objects';
import { requestsOf, verbs } from '../manager/api-server-requests.ts';
import { besideLeast, calls, cpu, ownWork, rowsOf, wallTime, type PhaseMeasure } from '../manager/measures.ts';
import { phaseOf, type Change } from '../manager/object-phases.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { cloneSet, image, name, namespace, replace } from '../objects/workloads.ts';

type Status = NonNullable<UnitedDeployment['status']>;

const subsets = 20;

/** One change. */
interface UnitedPhase extends PhaseResult {
  /** Children whose spec was written. */
  readonly touched: number;
  /** Writes of the manager without events, which may be joined or lost. */
  readonly withoutEvents: number;
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

function changesOf(pods: number): readonly Change<Status>[] {
  const isDone = (wanted: number) => (status: Status) =>
    status.replicas === wanted && status.updatedReadyReplicas === wanted && status.currentRevision === status.updatedRevision;
  const containers = '/spec/template/cloneSetTemplate/spec/template/spec/containers';
  /** Of each workload its status twice: when the spec is observed, and when all is ready. */
  const statuses = (workloads: number): number => 2 * workloads;
  const ofAll = 1 + 2 * subsets + pods * 3 + statuses(subsets + 1);
  return [
    // A revision, the children and their revisions; of each Pod itself and two readiness gates.
    { name: 'create', isDone: isDone(pods), least: ofAll },
    // The child, the Pod and its gates.
    { name: 'one Pod more', patch: [replace('/spec/replicas', pods + 1)], isDone: isDone(pods + 1), least: 1 + 3 + statuses(2) },
    // The child and the Pod.
    { name: 'one Pod less', patch: [replace('/spec/replicas', pods)], isDone: isDone(pods), least: 1 + 1 + statuses(2) },
    // A revision, the children and their revisions; of each Pod out of service, the new image, in service again.
    { name: 'update in place', patch: [replace(`${containers}/0/image`, image(2))], isDone: isDone(pods), least: ofAll },
  ];
}

/** `metadata.generation` of every child. */
async function generations(client: Client): Promise<ReadonlyMap<string, number>> {
  const { items } = await client.list(cloneSets, { namespace, labelSelector: unitedDeploymentLabels.subsetName });
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.generation ?? 0]));
}

/** Writes of events but for those of the scheduler, which writes one for each Pod that it places. */
async function eventWrites(client: Client): Promise<number> {
  const { items } = await client.list(events, { namespace, fieldSelector: 'reason=Scheduled' });
  return (await requestsOf(client, { resource: events.plural, verb: verbs.writes })) - items.length;
}

const unitedMeasures: readonly PhaseMeasure<UnitedPhase>[] = [
  wallTime,
  calls,
  besideLeast({ what: 'of these writes, without events', ours: ({ withoutEvents }) => withoutEvents }),
  { what: 'children written', ours: ({ touched }) => touched, limitFor: (_, at) => (at === 1 || at === 2 ? 1 : undefined) },
  cpu,
  ownWork,
];

export const measure = onStage(
  ({ pods }) => ({ pods: pods + 1 }),
  async ({ client, phase: runPhase, sizes: { pods } }) => {
    const results: UnitedPhase[] = [];
    for (const change of changesOf(pods)) {
      const [before, eventsBefore] = [await generations(client), await eventWrites(client)];
      const phase = await runPhase(phaseOf(unitedDeployments, united(pods), pods, change));
      const withoutEvents = phase.writes - ((await eventWrites(client)) - eventsBefore);
      const touched = [...(await generations(client))].filter(([child, generation]) => before.get(child) !== generation).length;
      results.push({ ...phase, touched, withoutEvents });
    }
    return rowsOf(results, unitedMeasures, `UnitedDeployment, ${subsets} subsets, ${pods} Pods: `);
  },
);
