/**
 * How often numbers alone are worth a write. Where nodes or Pods change all the time the counters of a large workload would be written after every
 * change; nobody reads them that often.
 */
import { WritePace } from './write-pace.ts';

/** What of a kind's status are numbers, and of how many things. */
export interface PacedStatus<S> {
  /** How many things are counted. */
  readonly sizeOf: (status: S) => number;
  /** The rest of the status: a change of it is written at once. */
  readonly withoutNumbers: (status: Partial<S>) => object;
}

/** Milliseconds for each thing that is counted between two writes of numbers, and in all at most: 3 for 3, 500 from 500 on. */
const forEach = 1;
const most = 500;

export class StatusPace<S extends object> extends WritePace<S> {
  constructor({ sizeOf, withoutNumbers }: PacedStatus<S>) {
    super({ pauseOf: (status) => Math.min(sizeOf(status) * forEach, most), rest: withoutNumbers });
  }
}
