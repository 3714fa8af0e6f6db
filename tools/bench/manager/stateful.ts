/** The phases of a StatefulSet beside those of a CloneSet of as many Pods, and the start of an ordered one. */
import { statefulSets } from '@kruise/api';
import { measureOrderedStart } from './ordered-start.ts';
import type { PhaseResult } from './phase.ts';
import { lifeOfCloneSet } from './rollout.ts';
import { onStage, runPhases, type StageOptions } from './stage.ts';
import { statefulSet } from './stateful-set.ts';
import { phasesOf } from './workload-life.ts';

export interface StatefulResult {
  readonly cloneSet: readonly PhaseResult[];
  readonly statefulSet: readonly PhaseResult[];
  /** Milliseconds from a Pod's readiness to the next one's creation. */
  readonly orderedGaps: readonly number[];
}

const orderedPods = 200;

export const measureStateful = (options: StageOptions): Promise<StatefulResult> =>
  onStage(options, [], async ({ client, instruments }) => {
    const { pods: replicas, progress } = options;
    const cloneSet = await runPhases(lifeOfCloneSet(client, replicas), instruments, progress);
    const object = statefulSet({ name: 'db', replicas, podManagementPolicy: 'Parallel' });
    const life = await runPhases(phasesOf(client, { type: statefulSets, object, replicas }), instruments, progress);
    progress(`${orderedPods} Pods one by one`);
    return { cloneSet, statefulSet: life, orderedGaps: await measureOrderedStart(client, Math.min(orderedPods, replicas)) };
  });
