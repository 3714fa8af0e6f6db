import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { RestoreBrake } from './restore-brake.ts';

/** Returns how long each of this many writes in a row has to wait. */
async function waits(count: number, basis: (at: number) => unknown, isUrgent = false): Promise<readonly number[]> {
  const clock = new FakeClock();
  const brake = new RestoreBrake(clock);
  const all: number[] = [];
  for (let at = 0; at < count; at++) {
    const wait = Math.max(brake.allowedAtMs('c', basis(at), isUrgent) - clock.now(), 0);
    all.push(wait);
    await clock.step(milliseconds(wait));
    brake.allowedAtMs('c', basis(at), isUrgent);
    brake.written('c');
  }
  return all;
}

describe('writes that undo the change of another writer', () => {
  it('are immediate the first times, then delayed increasingly', async () => {
    expect(await waits(14, () => 'same')).toEqual([0, 0, 0, 0, 0, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('are not delayed when there is something new to write', async () => {
    expect(await waits(10, (at) => at)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('are not delayed when a caller waits for them', async () => {
    expect(await waits(10, () => 'same', true)).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('are immediate again after a quiet minute', async () => {
    const clock = new FakeClock();
    const brake = new RestoreBrake(clock);
    for (let time = 0; time < 6; time++) {
      brake.allowedAtMs('c', 'same', false);
      brake.written('c');
    }
    expect(brake.allowedAtMs('c', 'same', false)).toBeGreaterThan(clock.now());
    await clock.step(milliseconds(60_000));
    expect(brake.allowedAtMs('c', 'same', false)).toBe(clock.now());
  });
});
