/** What was seen of the manager's memory over time, as rows. Pure. */
import { slope } from '../statistics.ts';
import type { Row } from '../table.ts';

export interface Sample {
  readonly minute: number;
  readonly rssMiB: number;
  /** Of the main thread, after a garbage collection. */
  readonly heapMiB: number;
}

/** By then code is compiled and tables that are bounded have filled. */
const warmUpShare = 0.2;

/** @param samples in the order of time, at least two after the first fifth */
export function growthRows(samples: readonly Sample[]): readonly Row[] {
  const [last] = samples.slice(-1);
  const settled = samples.filter(({ minute }) => minute >= (last?.minute ?? 0) * warmUpShare);
  const perHour = (pick: (sample: Sample) => number): number => slope(settled.map((sample) => [sample.minute / 60, pick(sample)]));
  return [
    ...samples.flatMap(({ minute, heapMiB, rssMiB }) => [
      { what: `churn, minute ${minute}: heap after garbage collection (MiB)`, ours: heapMiB },
      { what: `churn, minute ${minute}: RSS (MiB)`, ours: rssMiB },
    ]),
    { what: 'churn: growth of the heap after the first fifth (MiB an hour)', ours: perHour(({ heapMiB }) => heapMiB), limit: 1 },
    { what: 'churn: growth of RSS after the first fifth (MiB an hour)', ours: perHour(({ rssMiB }) => rssMiB), limit: 5 },
  ];
}
