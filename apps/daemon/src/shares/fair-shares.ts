/** Divides a capacity of the node among namespaces. Pure. @see spec/podprobemarker.md 5.3, spec/daemon.md 5.3 */

/**
 * Returns the share of each namespace: its demand when `total` is enough for all, otherwise equal shares; what some do not need is divided among the
 * others.
 *
 * @param demands by namespace
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
