/**
 * Which of the probes that a node's list asks for are run: at most so many of a Pod and of the node. When the node has more than it may have, each
 * namespace has an equal share, and what one does not need goes to the others. Pure.
 *
 * @see spec/podprobemarker.md 5.3
 */
import { agentLimits } from '@kruise/objects';

/** What a share is taken from. */
export interface Sharer {
  readonly namespace: string;
  readonly uid: string;
}

export interface Shares<T> {
  /** In the order given. */
  readonly run: readonly T[];
  readonly refused: readonly { readonly of: T; readonly why: string }[];
}

/**
 * @param demands by namespace
 * @returns how many of its demand each may have: all when `total` is enough, else equal shares, and what some do not need to the others
 */
export function fairShares(demands: ReadonlyMap<string, number>, total: number): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  let [left, others] = [total, demands.size];
  for (const [namespace, demand] of [...demands].toSorted(([, a], [, b]) => a - b)) {
    const share = Math.min(demand, Math.floor(left / others));
    shares.set(namespace, share);
    left -= share;
    others--;
  }
  return shares;
}

/** All messages of a status together, so that it fits into one object. */
const messagesBytes = 256 * 1024;
/** Refusals that a status shows: each costs as much as a result. */
export const shownRefusals = agentLimits.probesShownUnrun.value;
const longestMessage = agentLimits.probeMessageBytes.value;

/**
 * How long a message may be, in bytes: 1024, or with more than 256 probes 512, with more than 512 256. In steps, so that a probe that comes or goes
 * does not change the messages of others.
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

/** @param wanted in the order of the list: what comes first stays when more comes behind it */
export function planShares<T extends Sharer>(wanted: readonly T[]): Shares<T> {
  const { probesOfPod, probesOfNode } = agentLimits;
  const [ofPod, ofNamespace, taken] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const refused: { of: T; why: string }[] = [];
  const fitting = wanted.filter((one) => {
    const fits = increment(ofPod, one.uid) <= probesOfPod.value;
    if (fits) increment(ofNamespace, one.namespace);
    else refused.push({ of: one, why: `not run: the Pod has more than ${probesOfPod.value} probes` });
    return fits;
  });
  const shares = fairShares(ofNamespace, probesOfNode.value);
  const run = fitting.filter((one) => {
    const fits = increment(taken, one.namespace) <= (shares.get(one.namespace) ?? 0);
    if (!fits)
      refused.push({ of: one, why: `not run: the node has more than ${probesOfNode.value} probes, this namespace more than its share` });
    return fits;
  });
  return { run, refused };
}
