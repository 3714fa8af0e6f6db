/** The order of a merged list: the patch's items as the patch wants them, the others where the live list had them, as far as both can hold. */

/** What tells an element of a list apart: its merge key, or itself. */
export type IdentityOf = (element: unknown) => unknown;

/** First position of every identity. */
function positions(list: readonly unknown[], identityOf: IdentityOf): ReadonlyMap<unknown, number> {
  const result = new Map<unknown, number>();
  list.forEach((element, i) => {
    const identity = identityOf(element);
    if (!result.has(identity)) result.set(identity, i);
  });
  return result;
}

export interface Orders {
  /** Items named by the patch, in the order they are to have. */
  readonly wanted: readonly unknown[];
  /** The list before the patch. */
  readonly live: readonly unknown[];
  readonly identityOf: IdentityOf;
}

/** Both orders are kept within themselves; a live-only item comes before the next wanted one that followed it in the live list. */
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
