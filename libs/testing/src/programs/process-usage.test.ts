import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { privateMiB, rssMiB, threadTimeOf } from './process-usage.ts';

it('reads the time of threads by their name', () => {
  const name = readFileSync(`/proc/${process.pid}/comm`, 'utf8').trimEnd();
  const before = threadTimeOf(process.pid, name);
  // Time of the CPU, not of the wall: on a loaded machine a process may not run for longer than this.
  for (const began = process.cpuUsage(); process.cpuUsage(began).user < 30_000;);
  const after = threadTimeOf(process.pid, name);
  expect(after.ran).toBeGreaterThan(before.ran);
  expect(after.waited).toBeGreaterThanOrEqual(before.waited);
  expect(() => threadTimeOf(process.pid, 'absent')).toThrow(/has no thread absent/);
});

it('reads the memory that is not shared', () => {
  const [own, all] = [privateMiB(process.pid), rssMiB(process.pid)];
  expect(own).toBeGreaterThan(10);
  expect(own).toBeLessThan(all);
});
