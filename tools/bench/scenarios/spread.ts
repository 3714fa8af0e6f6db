/** Pods of a CloneSet that come under a WorkloadSpread with three subsets, beside the same ones without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets, workloadSpreads } from '@kruise/api';
import { pods as podType } from '@kruise/objects';
import { beside, callsPerPod, coresBusy, cpu, latencyRows, rowsOf, wallTime } from '../manager/measures.ts';
import { namespace } from '../manager/namespace.ts';
import type { Phase, PhaseResult } from '../manager/phase.ts';
import { onStage } from '../manager/stage.ts';
import type { Measure } from '../scenario.ts';
import type { Row } from '../table.ts';
import { cloneSet, name, podOfCloneSet, scaleToZero } from './clone-set.ts';

/** Of a workload that is not spread: it changes no counter, and is answered by the thread that counts. */
const subjects = [podOfCloneSet({ name: 'other-x' })];

/** At 10 Pods a second, so that a core is to spare. */
const calm = { pods: 5, everyMs: 500, steps: 40 };
const calmPerSecond = (calm.pods * 1000) / calm.everyMs;

const mutatePodRows = ({ name: of, admission, echo }: PhaseResult, limit?: number): readonly Row[] =>
  latencyRows(
    `${of}: /mutate-pod`,
    { ours: admission['/mutate-pod'], floor: Object.values(echo)[0] },
    { shares: ['p99'], ...(limit === undefined ? {} : { limit }) },
  );

export const measure: Measure = (run) =>
  onStage(run, { pods: run.sizes.pods, subjects }, async ({ client, instruments, phase }) => {
    const { pods } = run.sizes;
    const key = { namespace, name };
    const timeoutMs = 60_000 + pods * 120;
    const scale = (operations: unknown): Promise<unknown> => client.patch(cloneSets, key, operations, { type: 'json' });
    const scaleTo = (value: number): Promise<unknown> => scale([{ op: 'replace', path: '/spec/replicas', value }]);
    const readyPods = async (): Promise<number> => (await client.get(cloneSets, key)).status?.readyReplicas ?? 0;
    const isEmpty = async (): Promise<boolean> =>
      (await client.list(podType, { namespace, labelSelector: `app=${name}`, limit: 1 })).items.length === 0;
    const grow: Omit<Phase, 'name'> = { begin: () => scaleTo(pods), isOver: async () => (await readyPods()) === pods, timeoutMs };
    const shrink = (): Promise<PhaseResult> => phase({ name: 'scale to 0', begin: () => scale(scaleToZero), isOver: isEmpty, timeoutMs });

    // So that everything that is created once exists.
    await phase({ ...grow, name: 'create', begin: () => client.create(cloneSets, cloneSet(pods)) });
    await shrink();
    const plain = await phase({ ...grow, name: `${pods} Pods without a WorkloadSpread` });
    await shrink();
    const limit = Math.ceil(pods / 3);
    await client.create(workloadSpreads, {
      metadata: key,
      spec: {
        targetRef: { apiVersion: `${cloneSets.group}/${cloneSets.version}`, kind: cloneSets.kind, name },
        subsets: [{ name: 'a', maxReplicas: limit }, { name: 'b', maxReplicas: limit }, { name: 'c' }],
      },
    });
    const spread = await phase({ ...grow, name: `${pods} Pods under a WorkloadSpread` });
    const metrics = await instruments.manager.metrics();
    const conflicts = spread.conflicts + metrics.sum('kruise_workloadspread_pods_total', { result: 'conflict' });
    await shrink();
    const calmPods = Math.min(calm.steps * calm.pods, pods);
    const slow = await phase({
      name: `${calmPerSecond} Pods a second under a WorkloadSpread`,
      begin: async () => {
        for (let step = 1; step <= calm.steps; step++) {
          await scaleTo(Math.min(step * calm.pods, calmPods));
          await sleep(calm.everyMs);
        }
      },
      isOver: async () => (await readyPods()) >= calmPods,
      timeoutMs,
    });
    const without = 'without';
    return {
      rows: [
        ...rowsOf(
          [spread],
          [
            beside(wallTime, without, () => plain.wallSeconds, { limit: 1.3 }),
            beside(callsPerPod(pods), without, () => plain.apiCalls / pods),
            beside(cpu, without, () => plain.cpuSeconds),
            coresBusy,
          ],
        ),
        { what: `${spread.name}: status conflicts per Pod`, ours: conflicts / pods, limit: 0.2 },
        ...mutatePodRows(spread),
        ...mutatePodRows(slow, 10),
        ...rowsOf([slow], [coresBusy]),
      ],
      details: { plain, spread, calm: slow, conflicts },
    };
  });
