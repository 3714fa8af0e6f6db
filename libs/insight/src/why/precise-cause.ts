/** What a Pod shows in place of the condition `Blocked`: the manager names the Pod and the kind of cause, the Pod has the details. */
import type { Pod } from '@kruise/objects';
import type { Seen } from '../seen.ts';
import type { Cause } from './cause.ts';
import { podRules, rulesOfReason } from './pod-rules.ts';

/** The messages of all causes that a Pod shows name it like this. */
const namedPod = /\bPod ([a-z\d][a-z\d.-]*)/;

/** The cause of `Blocked` as a Pod shows it. */
export interface PreciseCause {
  readonly pod: Pod;
  readonly cause: Cause;
}

/** Returns the Pod that the message names. If it does not exist any more, the Pods that may have replaced it. */
function candidates(message: string, pods: readonly Pod[]): readonly Pod[] {
  const name = namedPod.exec(message)?.[1];
  if (name === undefined) return [];
  const named = pods.filter(({ metadata }) => metadata.name === name);
  return named.length > 0 ? named : pods;
}

/**
 * Returns the cause that a Pod shows for what the manager reports.
 *
 * @param blocked the cause in the condition `Blocked`; its evidence is added to that of the Pod
 * @param pods the Pods of the object, by name
 * @returns undefined if the reason does not concern a Pod, or no Pod shows it
 */
export function preciseCause(blocked: Cause, pods: readonly Pod[], seen: Seen): PreciseCause | undefined {
  // The manager reports as NotReady every Pod for which it knows no cause, so any rule may know one.
  const rules = blocked.reason === 'NotReady' ? podRules : (rulesOfReason[blocked.reason] ?? []);
  const found = candidates(blocked.message, pods);
  for (const rule of rules)
    for (const pod of found) {
      const cause = rule(pod, seen);
      if (cause !== undefined) return { pod, cause: { ...cause, evidence: [...cause.evidence, ...blocked.evidence] } };
    }
  return undefined;
}
