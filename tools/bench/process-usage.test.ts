import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { privateMiB, rssMiB, threadTimeOf } from './process-usage.ts';

it('reads the time of a thread by its name', () => {
  const name = readFileSync(`/proc/${process.pid}/comm`, 'utf8').trimEnd();
  const before = threadTimeOf(process.pid, name);
  for (const began = performance.now(); performance.now() - began < 30;);
  const after = threadTimeOf(process.pid, name);
  expect(after.ran).toBeGreaterThan(before.ran);
  expect(after.waited).toBeGreaterThanOrEqual(before.waited);
  expect(() => threadTimeOf(process.pid, 'nobody')).toThrow(/has no thread nobody/);
});

it('tells what of the memory is not shared', () => {
  const [own, all] = [privateMiB(process.pid), rssMiB(process.pid)];
  expect(own).toBeGreaterThan(10);
  expect(own).toBeLessThan(all);
});
