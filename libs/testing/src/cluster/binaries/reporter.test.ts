import { expect, it } from '@jest/globals';
import { createReporter, formatDuration } from './reporter.ts';

it.each([
  [400, '0 s'],
  [59_400, '59 s'],
  [60_000, '1 min 0 s'],
  [200_000, '3 min 20 s'],
])('%i ms is written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('reports at most every 15 s, with the remaining time at the present pace', () => {
  const lines: string[] = [];
  let now = 0;
  const report = createReporter({ note: (line) => lines.push(line), step: (_title, work) => work() }, 'building x', () => now);
  for (now = 0; now <= 31_000; now += 1_000) report.packages(now / 1_000, 60);
  expect(lines).toEqual([
    'building x: 15 of 60 packages compiled, 15 s so far, about 45 s to go',
    'building x: 30 of 60 packages compiled, 30 s so far, about 30 s to go',
  ]);
});

it('reports bytes of an unknown total without a forecast', () => {
  const lines: string[] = [];
  let now = 0;
  const report = createReporter({ note: (line) => lines.push(line), step: (_title, work) => work() }, 'downloading y', () => now);
  now = 20_000;
  report.bytes(12_000_000, undefined);
  now = 40_000;
  report.bytes(24_000_000, 48_000_000);
  expect(lines).toEqual(['downloading y: 12 MB, 20 s so far', 'downloading y: 24 MB of 48 MB, 40 s so far, about 40 s to go']);
});
