/** Pods of a CloneSet that come under a WorkloadSpread with three subsets, beside the same ones without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets, workloadSpreads } from '@kruise/api';
import { apiVersionOf, pods as podType } from '@kruise/objects';
import { beside, callsPerPod, coresBusy, cpu, latencyRow, rowsOf, wallTime } from '../manager/measures.ts';
import type { PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import { reviewedPod } from '../objects/realistic-pod.ts';
import { cloneSet, name, namespace } from '../objects/workloads.ts';
import type { Measure } from '../scenario.ts';
import type { Row } from '../table.ts';

/** Of a workload that is not spread: it changes no counter, and is answered by the thread that counts. */
const subjects = [reviewedPod({ name: 'other-x' })];

/** At 10 Pods a second, so that a core is to spare. */
const calm = { pods: 5, everyMs: 500, steps: 40 };
const calmPerSecond = (calm.pods * 1000) / calm.everyMs;

const mutatePodRow = ({ name: of, admission, floor }: PhaseResult, limits: { readonly limit?: number } = {}): Row =>
  latencyRow(`${of}: /mutate-pod`, 'p99', { ours: admission['/mutate-pod'], floor, ...limits });

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods, subjects }, async ({ client, instruments, phase }) => {
    const { pods } = run.sizes;
    const key = { namespace, name };
    const timeoutMs = 60_000 + pods * 240;
    const scaleTo = (replicas: number): Promise<unknown> => client.patch(cloneSets, key, { spec: { replicas } }, { type: 'merge' });
    const readyPods = async (): Promise<number> => (await client.get(cloneSets, key)).status?.readyReplicas ?? 0;
    const isEmpty = async (): Promise<boolean> =>
      (await client.list(podType, { namespace, labelSelector: `app=${name}`, limit: 1 })).items.length === 0;
    const grow = (of: string, begin: () => Promise<unknown> = () => scaleTo(pods), wanted = pods): Promise<PhaseResult> =>
      phase({ name: of, begin, isOver: async () => (await readyPods()) >= wanted, timeoutMs });
    const shrink = (): Promise<PhaseResult> => phase({ name: 'scale to 0', begin: () => scaleTo(0), isOver: isEmpty, timeoutMs });

    // So that everything that is created once exists.
    await grow('create', () => client.create(cloneSets, cloneSet(pods)));
    await shrink();
    const plain = await grow(`${pods} Pods without a WorkloadSpread`);
    await shrink();
    const maxReplicas = Math.ceil(pods / 3);
    const targetRef = { apiVersion: apiVersionOf(cloneSets), kind: cloneSets.kind, name };
    const subsets = [{ name: 'a', maxReplicas }, { name: 'b', maxReplicas }, { name: 'c' }];
    await client.create(workloadSpreads, { metadata: key, spec: { targetRef, subsets } });
    const spread = await grow(`${pods} Pods under a WorkloadSpread`);
    const metrics = await instruments.manager.metrics();
    const conflicts = spread.conflicts + metrics.sum('kruise_workloadspread_pods_total', { result: 'conflict' });
    await shrink();
    const calmPods = Math.min(calm.steps * calm.pods, pods);
    const growSlowly = async (): Promise<void> => {
      for (let step = 1; step <= calm.steps; step++) {
        await scaleTo(Math.min(step * calm.pods, calmPods));
        await sleep(calm.everyMs);
      }
    };
    const slow = await grow(`${calmPerSecond} Pods a second under a WorkloadSpread`, growSlowly, calmPods);
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
        mutatePodRow(slow, { limit: 10 }),
        ...rowsOf([slow], [coresBusy]),
      ],
      details: { plain, spread, calm: slow, conflicts },
    };
  });
