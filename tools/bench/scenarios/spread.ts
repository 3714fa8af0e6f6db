/** Pods of a CloneSet that come under a WorkloadSpread with three subsets, beside the same ones without. */
import { cloneSets, workloadSpreads, type CloneSetStatus } from '@kruise/api';
import { apiVersionOf } from '@kruise/objects';
import { paced } from '../each.ts';
import { beside, callsPerPod, coresBusy, cpu, latencyRow, rowsOf, wallTime } from '../manager/measures.ts';
import { phaseOf, rolloutPhases } from '../manager/object-phases.ts';
import type { Phase, PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { cloneSet, name, namespace, replace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import type { Row } from '../table.ts';

/** Of a workload that is not spread: it changes no counter, and is answered by the thread that counts. */
const subjects = [reviewedPod({ name: 'other-x' })];

/** At 10 Pods a second, so that a core is to spare. */
const calm = { pods: 5, perSecond: 2, steps: 40 };

const mutatePodRow = ({ name: of, admission, floor }: PhaseResult, limit?: number): Row =>
  latencyRow(`${of}: /mutate-pod`, 'p99', { ours: admission['/mutate-pod'], floor, limit });

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods, subjects }, async ({ client, manager, phase }) => {
    const { pods } = run.sizes;
    const [create, , , shrink] = rolloutPhases(client, cloneSets, cloneSet(pods), pods) as [Phase, Phase, Phase, Phase];
    const grow = (of: string, wanted = pods, begin?: () => Promise<unknown>): Promise<PhaseResult> => {
      const isDone = ({ readyReplicas }: CloneSetStatus): boolean => readyReplicas === wanted;
      const change = { count: pods, name: of, patch: [replace('/spec/replicas', wanted)], begin, isDone };
      return phase(phaseOf(client, cloneSets, cloneSet(pods), change));
    };

    // So that everything that is created once exists.
    await phase(create);
    await phase(shrink);
    const plain = await grow(`${pods} Pods without a WorkloadSpread`);
    await phase(shrink);
    const maxReplicas = Math.ceil(pods / 3);
    const [key, targetRef] = [
      { namespace, name },
      { apiVersion: apiVersionOf(cloneSets), kind: cloneSets.kind, name },
    ];
    const subsets = [{ name: 'a', maxReplicas }, { name: 'b', maxReplicas }, { name: 'c' }];
    await client.create(workloadSpreads, { metadata: key, spec: { targetRef, subsets } });
    const spread = await grow(`${pods} Pods under a WorkloadSpread`);
    const conflicts = spread.conflicts + (await manager.measured()).sum('kruise_workloadspread_pods_total', { result: 'conflict' });
    await phase(shrink);
    const calmPods = Math.min(calm.steps * calm.pods, pods);
    const scale = (step: number): Promise<unknown> =>
      client.patch(cloneSets, key, { spec: { replicas: Math.min((step + 1) * calm.pods, calmPods) } }, { type: 'merge' });
    const slow = await grow(`${calm.pods * calm.perSecond} Pods a second under a WorkloadSpread`, calmPods, () =>
      paced(calm.steps, calm.perSecond, scale),
    );
    const without = 'without';
    const measures = [
      beside(wallTime, without, () => plain.wallSeconds, { limit: 1.3 }),
      beside(callsPerPod(pods), without, () => plain.apiCalls / pods),
      beside(cpu, without, () => plain.cpuSeconds),
      coresBusy,
    ];
    return {
      rows: [
        ...rowsOf([spread], measures),
        { what: `${spread.name}: status conflicts per Pod`, ours: conflicts / pods, limit: 0.2 },
        mutatePodRow(spread),
        mutatePodRow(slow, 10),
        ...rowsOf([slow], [coresBusy]),
      ],
      details: { plain, spread, calm: slow, conflicts },
    };
  });
