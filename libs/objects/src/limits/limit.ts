/** Defines a bound. Code reads its number from the tables in this folder, and `docs/limits.md` is generated from them. */

export interface Limit {
  /** In `unit`. */
  readonly value: number;
  readonly unit: 'actions' | 'bytes' | 'characters' | 'connections' | 'entries' | 'milliseconds' | 'objects' | 'runs' | 'series';
  /** What the number bounds, as a noun phrase: `Creations that one pass of a workload plans`. */
  readonly bounds: string;
  /** What happens beyond it, as a sentence with an actor, and the way out where the user has one. */
  readonly beyond: string;
  /** The component that enforces it: `manager`, `Pod webhook`, `agent`. */
  readonly enforcedBy: string;
}

/** The bounds of one area, by the name that code uses. */
export type Limits = Readonly<Record<string, Limit>>;
