/** What was seen of the manager's memory over time: growth as rows, the samples as a table. Pure. */
import type { Cells } from '../scenario.ts';
import { slope } from '../statistics.ts';
import { rowsAbout, type Row } from '../table.ts';

export interface Sample {
  readonly minute: number;
  readonly rssMiB: number;
  /** Of the main thread, after a garbage collection. */
  readonly heapMiB: number;
}

/** By then code is compiled and tables that are bounded have filled. */
const warmUpShare = 0.2;
/**
 * What counts. Pods that were made at once share their timestamps; those that replace them one by one do not. So the heap grows until
 * most have been replaced, as much as 2 KiB a Pod, and growth after that is a leak.
 */
const settledShare = 0.5;

/** @param samples in the order of time, at least two in the second half */
export function growthRows(samples: readonly Sample[]): readonly Row[] {
  const end = samples.at(-1)?.minute ?? 0;
  const perHour = (share: number, of: 'heapMiB' | 'rssMiB'): number =>
    slope(samples.filter(({ minute }) => minute >= end * share).map((sample) => [sample.minute / 60, sample[of]]));
  return rowsAbout('churn: growth of', {
    'the heap after the first fifth (MiB an hour)': perHour(warmUpShare, 'heapMiB'),
    'the heap in the second half (MiB an hour)': { ours: perHour(settledShare, 'heapMiB'), limit: 1 },
    'RSS in the second half (MiB an hour)': { ours: perHour(settledShare, 'rssMiB'), limit: 5 },
  });
}

export const memoryTable = (samples: readonly Sample[]): Cells => ({
  columns: ['minute', ...samples.map(({ minute }) => String(minute))],
  cells: [
    ['heap of the main thread (MiB)', ...samples.map(({ heapMiB }) => heapMiB.toFixed(1))],
    ['RSS (MiB)', ...samples.map(({ rssMiB }) => Math.round(rssMiB))],
  ],
});
