/** What the Pods of a job come to. Pure. @see spec/broadcastjob.md 5.3 (7), 5.5 */
import type { BroadcastJob } from '@kruise/api';
import { isPodActive, type Pod } from '@kruise/objects';
import { failurePolicyOf } from './policy.ts';

export interface Classified {
  /** They run, or will. */
  readonly active: readonly Pod[];
  readonly succeeded: readonly Pod[];
  /** Also those that still run and were restarted too often. */
  readonly failed: readonly Pod[];
}

/** Over all containers, init containers included. */
const restartsOf = ({ status }: Pod): number =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].reduce((sum, { restartCount }) => sum + restartCount, 0);

const isRestartedTooOften = (pod: Pod, restartLimit: number): boolean =>
  pod.spec.restartPolicy === 'OnFailure' && restartsOf(pod) > restartLimit;

/** A terminating Pod that has not finished is not counted. */
export function classify(job: BroadcastJob, pods: readonly Pod[]): Classified {
  const { restartLimit } = failurePolicyOf(job);
  const [active, succeeded, failed]: [Pod[], Pod[], Pod[]] = [[], [], []];
  for (const pod of pods) {
    if (pod.status?.phase === 'Succeeded') succeeded.push(pod);
    else if (pod.status?.phase === 'Failed') failed.push(pod);
    else if (isPodActive(pod)) (isRestartedTooOften(pod, restartLimit) ? failed : active).push(pod);
  }
  return { active, succeeded, failed };
}
