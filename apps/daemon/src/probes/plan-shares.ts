/**
 * Decides which of the probes in a node's list are run: a maximum for each Pod and for the node. When the node has more than its maximum, each
 * namespace has an equal share, and what one does not need is given to the others. Pure.
 *
 * @see spec/podprobemarker.md 5.3
 */
import { agentLimits } from '@kruise/objects';
import { fairShares } from '../shares/fair-shares.ts';

/** What a share is taken from. */
export interface Sharer {
  readonly namespace: string;
  readonly uid: string;
}

interface Refusal<T> {
  readonly of: T;
  readonly why: string;
}

export interface Shares<T> {
  /** In the given order. */
  readonly run: readonly T[];
  /** Probes that are not run, which the status shows. */
  readonly refused: readonly Refusal<T>[];
  /** Probes that are neither run nor shown: a status shows a maximum number of refusals, of which each namespace has a share. */
  readonly unshown: readonly Refusal<T>[];
}

/** All messages of a status together, so that it fits into one object. */
const messagesBytes = 256 * 1024;
/** Refusals that a status shows: each costs as much as a result. */
export const shownRefusals = agentLimits.probesShownUnrun.value;
const longestMessage = agentLimits.probeMessageBytes.value;

/**
 * Returns how long a message may be, in bytes: 1024, with more than 256 probes 512, with more than 512 256. In steps, so that an added or removed
 * probe does not change the messages of others.
 */
export function messageBytes(probes: number): number {
  const steps = Math.max(Math.ceil(Math.log2((probes * longestMessage) / messagesBytes)), 0);
  return longestMessage / 2 ** steps;
}

const increment = (counts: Map<string, number>, key: string): number => {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
};

/** Returns the first items of each namespace, as many as its share, and the others; both in the given order. */
function split<T>(
  items: readonly T[],
  namespaceOf: (item: T) => string,
  total: number,
): { readonly first: readonly T[]; readonly others: readonly T[] } {
  const demands = new Map<string, number>();
  for (const item of items) increment(demands, namespaceOf(item));
  const shares = fairShares(demands, total);
  const [taken, first, others] = [new Map<string, number>(), [] as T[], [] as T[]];
  for (const item of items) {
    const namespace = namespaceOf(item);
    const fits = increment(taken, namespace) <= (shares.get(namespace) ?? 0);
    (fits ? first : others).push(item);
  }
  return { first, others };
}

/** Plans the shares. @param wanted in the order of the list: earlier ones stay when more follow */
export function planShares<T extends Sharer>(wanted: readonly T[]): Shares<T> {
  const { probesOfPod, probesOfNode } = agentLimits;
  const ofPod = new Map<string, number>();
  const [fitting, beyondPod] = [[] as T[], [] as T[]];
  for (const one of wanted) (increment(ofPod, one.uid) <= probesOfPod.value ? fitting : beyondPod).push(one);
  const { first: run, others: beyondNode } = split(fitting, ({ namespace }) => namespace, probesOfNode.value);
  const why = {
    pod: `not run: the Pod has more than ${probesOfPod.value} probes`,
    node: `not run: the node has more than ${probesOfNode.value} probes, this namespace more than its share`,
  };
  const refusals = [...beyondPod.map((of) => ({ of, why: why.pod })), ...beyondNode.map((of) => ({ of, why: why.node }))];
  const { first: refused, others: unshown } = split(refusals, ({ of }) => of.namespace, shownRefusals);
  return { run, refused, unshown };
}
