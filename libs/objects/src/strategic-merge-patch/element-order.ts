/** Orders a merged list: the patch's items as the patch requires, the others where the live list had them, as far as both are possible. */

/** Returns what identifies an element of a list: its merge key, or itself. */
export type IdentityOf = (element: unknown) => unknown;

/** Returns the first position of every identity. */
function positions(list: readonly unknown[], identityOf: IdentityOf): ReadonlyMap<unknown, number> {
  const result = new Map<unknown, number>();
  list.forEach((element, i) => {
    const identity = identityOf(element);
    if (!result.has(identity)) result.set(identity, i);
  });
  return result;
}

export interface Orders {
  /** Items named by the patch, in the required order. */
  readonly wanted: readonly unknown[];
  /** The list before the patch. */
  readonly live: readonly unknown[];
  readonly identityOf: IdentityOf;
}

/** Merges both orders, each of which is kept. An item that only the live list has comes before the next required one that followed it there. */
export function orderElements(merged: readonly unknown[], { wanted, live, identityOf }: Orders): readonly unknown[] {
  const wantedAt = positions(wanted, identityOf);
  const liveAt = positions(live, identityOf);
  const place = (at: ReadonlyMap<unknown, number>, element: unknown): number => at.get(identityOf(element)) ?? Number.MAX_SAFE_INTEGER;
  const ours = merged.filter((element) => wantedAt.has(identityOf(element))).sort((a, b) => place(wantedAt, a) - place(wantedAt, b));
  const theirs = merged.filter((element) => !wantedAt.has(identityOf(element))).sort((a, b) => place(liveAt, a) - place(liveAt, b));
  const result: unknown[] = [];
  let next = 0;
  for (const element of ours) {
    const limit = liveAt.get(identityOf(element));
    while (limit !== undefined && next < theirs.length && place(liveAt, theirs[next]) < limit) result.push(theirs[next++]);
    result.push(element);
  }
  return [...result, ...theirs.slice(next)];
}
