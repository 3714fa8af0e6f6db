import { expect, it } from '@jest/globals';
import { growthRows } from './samples.ts';

it('gives every sample, and the growth in an hour without the warm-up and in the second half', () => {
  const samples = [0, 10, 20, 30, 40, 50, 60].map((minute) => ({
    minute,
    rssMiB: minute < 30 ? 60 : 100 + minute / 10,
    heapMiB: minute === 0 ? 5 : minute < 30 ? 19 : 20,
  }));
  const rows = growthRows(samples);
  expect(rows).toHaveLength(17);
  expect(rows[2]).toEqual({ what: 'churn, minute 10: heap after garbage collection (MiB)', ours: 19 });
  expect(rows[3]).toEqual({ what: 'churn, minute 10: RSS (MiB)', ours: 60 });
  const [early, heap, rss] = rows.slice(-3);
  expect(early?.ours).toBeCloseTo(1.2);
  expect(heap?.ours).toBeCloseTo(0);
  expect(rss?.ours).toBeCloseTo(6);
});
