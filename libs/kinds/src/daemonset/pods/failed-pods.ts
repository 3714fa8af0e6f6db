/**
 * How long a failed Pod stays before the next Pod of its node is created: longer each time, because what a kubelet refuses once it usually refuses
 * again. In memory only: after a restart the waits begin with the shortest.
 * @see spec/daemonset.md 5.5
 */
import type { Instant, Milliseconds } from '@kruise/objects';

const first = 1000;
const longest = 15 * 60_000;
/** A node whose Pods have not failed for this long begins with the shortest wait. */
const forgottenAfter = 2 * longest;

interface Wait {
  /** Of the DaemonSet: a new one is another try. */
  readonly generation: number;
  readonly since: Instant;
  readonly length: number;
}

/** A node of a DaemonSet as its controller has observed it. */
export interface FailingNode {
  readonly uid: string;
  readonly generation: number;
  readonly node: string;
}

/** The waits of all DaemonSets. */
export class FailedPods {
  readonly #waits = new Map<string, Map<string, Wait>>();

  /** How long a Pod that has failed has to stay still; 0: it may go. */
  left(on: FailingNode, now: Instant): Milliseconds {
    const wait = this.#held(on, now);
    return Math.max(wait === undefined ? 0 : wait.since + wait.length - now, 0) as Milliseconds;
  }

  /** Notes the deletion of a failed Pod: the next one stays longer. */
  note(on: FailingNode, now: Instant): void {
    const wait = this.#held(on, now);
    const waits = this.#waits.get(on.uid) ?? new Map<string, Wait>();
    this.#waits.set(on.uid, waits);
    for (const [node, { since }] of waits) if (now - since > forgottenAfter) waits.delete(node);
    waits.set(on.node, { generation: on.generation, since: now, length: wait === undefined ? first : Math.min(wait.length * 2, longest) });
  }

  forget(uid: string): void {
    this.#waits.delete(uid);
  }

  #held({ uid, generation, node }: FailingNode, now: Instant): Wait | undefined {
    const wait = this.#waits.get(uid)?.get(node);
    return wait === undefined || wait.generation !== generation || now - wait.since > forgottenAfter ? undefined : wait;
  }
}
