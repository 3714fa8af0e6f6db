import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { WritePace } from './write-pace.ts';

const { signal } = new AbortController();

/** Returns how long each of this many writes in a row has waited. */
async function waits(pace: WritePace, clock: FakeClock, count: number): Promise<readonly number[]> {
  const all: number[] = [];
  for (let at = 0; at < count; at++) {
    const began = clock.now();
    let isFree = false;
    void pace.wait(signal).then(() => (isFree = true));
    for (await clock.step(milliseconds(0)); !isFree;) await clock.step(milliseconds(50));
    pace.written();
    all.push(clock.now() - began);
  }
  return all;
}

describe('writes that any client may cause', () => {
  it('are immediate up to five, then two a second', async () => {
    const clock = new FakeClock();
    expect(await waits(new WritePace(clock), clock, 8)).toEqual([0, 0, 0, 0, 0, 500, 500, 500]);
  });

  it('are immediate again after a pause', async () => {
    const clock = new FakeClock();
    const pace = new WritePace(clock);
    await waits(pace, clock, 8);
    await clock.step(milliseconds(2500));
    expect(await waits(pace, clock, 6)).toEqual([0, 0, 0, 0, 0, 500]);
  });
});
