import { expect, it } from '@jest/globals';
import { growthRows } from './samples.ts';

it('gives every sample, and the growth in an hour without the warm-up', () => {
  const samples = [0, 10, 20, 30, 40, 50, 60].map((minute) => ({
    minute,
    rssMiB: minute === 0 ? 60 : 100 + minute / 10,
    heapMiB: minute === 0 ? 5 : 20,
  }));
  const rows = growthRows(samples);
  expect(rows).toHaveLength(16);
  expect(rows[2]).toEqual({ what: 'churn, minute 10: heap after garbage collection (MiB)', ours: 20 });
  expect(rows[3]).toEqual({ what: 'churn, minute 10: RSS (MiB)', ours: 101 });
  const [heap, rss] = rows.slice(-2);
  expect(heap?.ours).toBeCloseTo(0);
  expect(rss?.ours).toBeCloseTo(6);
});
