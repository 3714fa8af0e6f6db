/** One line of the table of `npm run bench`. */
export interface BenchRow {
  /** What was measured, with its unit: `heap of 10,000 pods (MB)`. */
  readonly what: string;
  readonly ours: number;
  /** The peer and its value; absent when there is no peer. */
  readonly peer?: { readonly name: string; readonly value: number };
  /** The most that `ours / peer` may be, or `ours` itself where there is no peer. */
  readonly limit?: number;
}
