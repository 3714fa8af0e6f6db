import { expect, it } from '@jest/globals';
import { growthRows, memoryTable } from './memory-growth.ts';

it('gives the growth in an hour without the warm-up and in the second half', () => {
  const samples = [0, 10, 20, 30, 40, 50, 60].map((minute) => ({
    minute,
    rssMiB: minute < 30 ? 60 : 100 + minute / 10,
    heapMiB: minute === 0 ? 5 : minute < 30 ? 19 : 20,
  }));
  const [early, heap, rss] = growthRows(samples);
  expect(early?.ours).toBeCloseTo(1.2);
  expect(heap?.ours).toBeCloseTo(0);
  expect(rss?.ours).toBeCloseTo(6);
});

it('shows the samples side by side', () => {
  expect(
    memoryTable([
      { minute: 0, rssMiB: 131.9, heapMiB: 17.81 },
      { minute: 5, rssMiB: 157.5, heapMiB: 18.67 },
    ]),
  ).toEqual({
    columns: ['minute', '0', '5'],
    cells: [
      ['heap of the main thread (MiB)', '17.8', '18.7'],
      ['RSS (MiB)', 132, 158],
    ],
  });
});
