import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage, isWorthCollecting } from './collect-garbage.ts';

const lost = (): WeakRef<object> => new WeakRef({ text: 'x'.repeat(1000) });

describe('collecting garbage', () => {
  it('frees what nobody holds any more', async () => {
    const held = lost();
    await nextTurn();
    collectGarbage();
    expect(held.deref()).toBeUndefined();
  });

  it.each([
    [10 * 1024 * 1024, true],
    [200 * 1024 * 1024, false],
  ])('with %d bytes in use is worth it: %p', (usedBytes, isWorth) => {
    expect(isWorthCollecting(usedBytes)).toBe(isWorth);
  });
});
