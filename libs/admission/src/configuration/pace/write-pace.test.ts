import { describe, expect, it } from '@jest/globals';
import { afterWrite, nextWriteAtMs } from './write-pace.ts';

/** Returns how long each of this many writes in a row has to wait, in milliseconds, and the time after the last one. */
function waits(
  count: number,
  doneAtMs = 0,
  began = 1_000_000,
): { readonly all: readonly number[]; readonly doneAtMs: number; nowMs: number } {
  const all: number[] = [];
  let [done, nowMs] = [doneAtMs, began];
  for (let at = 0; at < count; at++) {
    const wait = Math.max(nextWriteAtMs(done) - nowMs, 0);
    nowMs += wait;
    done = afterWrite(done, nowMs);
    all.push(wait);
  }
  return { all, doneAtMs: done, nowMs };
}

describe('writes that any client may cause', () => {
  it('are immediate up to five, then two a second', () => {
    expect(waits(8).all).toEqual([0, 0, 0, 0, 0, 500, 500, 500]);
  });

  it('are immediate again after a pause', () => {
    const { doneAtMs, nowMs } = waits(8);
    expect(waits(6, doneAtMs, nowMs + 2500).all).toEqual([0, 0, 0, 0, 0, 500]);
  });
});
