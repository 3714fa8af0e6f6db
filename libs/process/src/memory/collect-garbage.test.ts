import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '@kruise/testing';
import { collectGarbage, collectGarbageAfter, isWorthCollecting } from './collect-garbage.ts';

const lost = (): WeakRef<object> => new WeakRef({ text: 'x'.repeat(1000) });

describe('collecting garbage', () => {
  it('frees unreachable objects', async () => {
    const held = lost();
    await nextTurn();
    expect(collectGarbage()).toBe(true);
    expect(held.deref()).toBeUndefined();
  });

  it.each([
    [10 * 1024 * 1024, true],
    [200 * 1024 * 1024, false],
  ])('with %d bytes in use is worth it: %p', (usedBytes, isWorth) => {
    expect(isWorthCollecting(usedBytes)).toBe(isWorth);
  });

  it('after the start waits until no caller waits for the thread', async () => {
    let asked = 0;
    let isIdle = false;
    collectGarbageAfter(1, () => (asked++, isIdle));
    await eventually(() => asked > 3);
    isIdle = true;
    const before = asked;
    await eventually(() => asked > before);
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(asked).toBe(before + 1);
  });
});
