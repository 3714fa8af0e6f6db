/** Pods of a CloneSet that come under a WorkloadSpread with three subsets, beside the same ones without. */
import { cloneSets, workloadSpreads, type CloneSetStatus } from '@kruise/api';
import { apiVersionOf } from '@kruise/objects';
import { paced } from '../each.ts';
import { beside, callsPerPod, coresBusy, cpu, podLatency, rowsOf, wallTime } from '../manager/measures.ts';
import { phaseOf, rolloutPhases, type Change } from '../manager/object-phases.ts';
import type { Phase, PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { cloneSet, name, namespace, replace } from '../objects/workloads.ts';

/** Of a workload that is not spread: it changes no counter, and is answered by the thread that counts. */
const subjects = [reviewedPod({ name: 'other-x' })];

/** At 10 Pods a second, so that a core is to spare. */
const calm = { pods: 5, perSecond: 2, steps: 40 };

const key = { namespace, name };
const targetRef = { apiVersion: apiVersionOf(cloneSets), kind: cloneSets.kind, name };

export const measure = onStage(
  ({ pods }) => ({ pods, subjects }),
  async ({ client, manager, phase, record, sizes: { pods } }) => {
    const [create, , , shrink] = rolloutPhases(cloneSets, cloneSet(pods), pods) as [Phase, Phase, Phase, Phase];
    const grow = (as: string, wanted = pods, begin?: Change<CloneSetStatus>['begin']): Promise<PhaseResult> => {
      const isDone = ({ readyReplicas }: CloneSetStatus): boolean => readyReplicas === wanted;
      return phase(phaseOf(cloneSets, cloneSet(pods), pods, { name: as, patch: [replace('/spec/replicas', wanted)], begin, isDone }));
    };

    // So that everything that is created once exists.
    await phase(create);
    await phase(shrink);
    const plain = await grow(`${pods} Pods without a WorkloadSpread`);
    await phase(shrink);
    const maxReplicas = Math.ceil(pods / 3);
    const subsets = [{ name: 'a', maxReplicas }, { name: 'b', maxReplicas }, { name: 'c' }];
    await client.create(workloadSpreads, { metadata: key, spec: { targetRef, subsets } });
    const spread = await grow(`${pods} Pods under a WorkloadSpread`);
    const conflicts = spread.conflicts + (await manager.measured()).sum('kruise_workloadspread_pods_total', { result: 'conflict' });
    record({ conflicts });
    await phase(shrink);
    const calmPods = Math.min(calm.steps * calm.pods, pods);
    const scale = (step: number): Promise<unknown> =>
      client.patch(cloneSets, key, { spec: { replicas: Math.min((step + 1) * calm.pods, calmPods) } }, { type: 'merge' });
    const name = `${calm.pods * calm.perSecond} Pods a second under a WorkloadSpread`;
    const slow = await grow(name, calmPods, () => paced(calm.steps, calm.perSecond, scale));
    const measures = [
      beside(wallTime, 'without', [plain], 1.3),
      beside(callsPerPod(pods), 'without', [plain]),
      beside(cpu, 'without', [plain]),
      coresBusy,
      { what: 'status conflicts per Pod', ours: () => conflicts / pods, limit: 0.2 },
      podLatency('p99'),
    ];
    return [...rowsOf([spread], measures), ...rowsOf([slow], [podLatency('p99', 10), coresBusy])];
  },
);
