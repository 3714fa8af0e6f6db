import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage, collectGarbageAfter } from './collect-garbage.ts';

const lost = (): WeakRef<object> => new WeakRef({ text: 'x'.repeat(1000) });

describe('collecting garbage', () => {
  it('frees what nobody holds any more, and leaves no global behind', async () => {
    const held = lost();
    await sleep(1);
    collectGarbage();
    expect(held.deref()).toBeUndefined();
    expect((globalThis as { gc?: unknown }).gc).toBeUndefined();
  });

  it('leaves a large heap alone', async () => {
    const ballast = Array.from({ length: 200_000 }, (_, at) => ({ at, text: `number ${at}`, list: [at, at] }));
    const held = lost();
    collectGarbageAfter(1);
    await sleep(20);
    expect(held.deref()).toBeDefined();
    expect(ballast).toHaveLength(200_000);
  });
});
