/** Pods of a CloneSet that come under a WorkloadSpread with three subsets, beside the same ones without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneSets, workloadSpreads } from '@kruise/api';
import { pods as podType } from '@kruise/objects';
import type { ReviewSubject } from './admission-load.ts';
import { cloneSet, namespace, scaleToZero } from './clone-set.ts';
import { runPhase, type Phase, type PhaseResult } from './phase.ts';
import { onStage, type StageOptions } from './stage.ts';

/** Of a workload that is not spread: it changes no counter, and is answered by the thread that counts. */
const subject: ReviewSubject = {
  path: '/mutate-pod',
  resource: { group: '', version: 'v1', resource: 'pods' },
  kind: { group: '', version: 'v1', kind: 'Pod' },
  object: { ...cloneSet(1).spec.template, metadata: { name: 'other-x', namespace } },
};

const calmStep = 5;
const calmStepMs = 500;
const calmSteps = 40;

export interface SpreadResult {
  readonly plain: PhaseResult;
  readonly spread: PhaseResult;
  /** At a rate that leaves a core to spare. */
  readonly calm: PhaseResult;
  /** Writes of the status that came too late, of controller and webhook. */
  readonly conflicts: number;
}

export const measureSpread = (options: StageOptions): Promise<SpreadResult> =>
  onStage(options, [subject], async ({ client, instruments }) => {
    const { pods: count, progress } = options;
    const object = cloneSet(count);
    const key = { namespace, name: object.metadata.name };
    const scale = (operations: unknown): Promise<unknown> => client.patch(cloneSets, key, operations, { type: 'json' });
    const isReady = async (): Promise<boolean> => (await client.get(cloneSets, key)).status?.readyReplicas === count;
    const isEmpty = async (): Promise<boolean> =>
      (await client.list(podType, { namespace, labelSelector: `app=${key.name}`, limit: 1 })).items.length === 0;
    const timeoutMs = 60_000 + count * 120;
    const grow: Omit<Phase, 'name'> = {
      begin: () => scale([{ op: 'replace', path: '/spec/replicas', value: count }]),
      isOver: isReady,
      timeoutMs,
    };
    const shrink = (): Promise<PhaseResult> =>
      runPhase({ name: 'scale to 0', begin: () => scale(scaleToZero), isOver: isEmpty, timeoutMs }, instruments);
    progress(`${count} Pods, so that all that is made once is there`);
    await runPhase({ ...grow, name: 'create', begin: () => client.create(cloneSets, object) }, instruments);
    await shrink();
    progress('the same without a WorkloadSpread');
    const plain = await runPhase({ ...grow, name: `${count} Pods without a WorkloadSpread` }, instruments);
    await shrink();
    const limit = Math.ceil(count / 3);
    await client.create(workloadSpreads, {
      metadata: { namespace, name: key.name },
      spec: {
        targetRef: { apiVersion: `${cloneSets.group}/${cloneSets.version}`, kind: cloneSets.kind, name: key.name },
        subsets: [{ name: 'a', maxReplicas: limit }, { name: 'b', maxReplicas: limit }, { name: 'c' }],
      },
    });
    progress('the same under a WorkloadSpread');
    const spread = await runPhase({ ...grow, name: `${count} Pods under a WorkloadSpread` }, instruments);
    const metrics = await instruments.manager.metrics();
    const conflicts = spread.conflicts + metrics.sum('kruise_workloadspread_pods_total', { result: 'conflict' });
    await shrink();
    const perSecond = (calmStep * 1000) / calmStepMs;
    const calmCount = Math.min(calmSteps * calmStep, count);
    progress(`${perSecond} Pods a second`);
    const calm = await runPhase(
      {
        name: `${perSecond} Pods a second under a WorkloadSpread`,
        begin: async () => {
          for (let step = 1; step <= calmSteps; step++) {
            await scale([{ op: 'replace', path: '/spec/replicas', value: Math.min(step * calmStep, calmCount) }]);
            await sleep(calmStepMs);
          }
        },
        isOver: async () => ((await client.get(cloneSets, key)).status?.readyReplicas ?? 0) >= calmCount,
        timeoutMs,
      },
      instruments,
    );
    return { plain, spread, calm, conflicts };
  });
