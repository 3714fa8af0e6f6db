import { describe, expect, it } from '@jest/globals';
import { brakeWrite, type BrakedWrite } from './restore-brake.ts';

/** Returns how long each of this many writes in a row has to wait, in milliseconds. */
function waits(count: number, basis: (at: number) => unknown, isUrgent = false): readonly number[] {
  let nowMs = 1_000_000;
  let last: BrakedWrite | undefined;
  return Array.from({ length: count }, (_, at) => {
    const { allowedAtMs } = brakeWrite(last, { basis: basis(at), isUrgent }, nowMs);
    const wait = Math.max(allowedAtMs - nowMs, 0);
    nowMs += wait;
    last = brakeWrite(last, { basis: basis(at), isUrgent }, nowMs).write;
    return wait;
  });
}

describe('writes that undo the change of another writer', () => {
  it('are immediate the first times, then delayed increasingly', () => {
    expect(waits(14, () => 'same')).toEqual([0, 0, 0, 0, 0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('are not delayed when there is something new to write', () => {
    expect(waits(10, (at) => at)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('are not delayed when a caller waits for them', () => {
    expect(waits(10, () => 'same', true)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('are immediate again after a quiet minute', () => {
    const last: BrakedWrite = { basis: '"same"', atMs: 1000, restores: 6 };
    const at = (nowMs: number): number => brakeWrite(last, { basis: 'same', isUrgent: false }, nowMs).allowedAtMs;
    expect(at(1000)).toBe(3000);
    expect(at(61_000)).toBe(61_000);
  });
});
