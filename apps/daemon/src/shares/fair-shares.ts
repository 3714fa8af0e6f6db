/** How namespaces share what a node has. Pure. @see spec/podprobemarker.md 5.3, spec/daemon.md 5.3 */

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
