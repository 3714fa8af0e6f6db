import { describe, expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { Trigger } from './trigger.ts';
import type { Request } from './watch.ts';

const key = { namespace: 'shop', name: 'web' };

/** Returns a watcher and what it has received. */
function taker() {
  const taken: { readonly requests: readonly Request[]; readonly initial: boolean }[] = [];
  return { taken, take: (requests: readonly Request[], initial: boolean) => void taken.push({ requests, initial }) };
}

describe('Trigger', () => {
  it('passes its requests to every watcher, as live work', async () => {
    const trigger = new Trigger();
    const takers = [taker(), taker()];
    for (const { take } of takers) trigger.start(take);
    // There is no cache to wait for.
    await expect(trigger.waitForSync()).resolves.toBeUndefined();
    trigger.enqueue(key, { key, after: milliseconds(5) });
    for (const { taken } of takers) expect(taken).toEqual([{ requests: [key, { key, after: 5 }], initial: false }]);
  });

  it('is silent before the start, after the stop, and without requests', () => {
    const trigger = new Trigger();
    const [first, second] = [taker(), taker()];
    trigger.enqueue(key);
    const stop = trigger.start(first.take);
    trigger.start(second.take);
    trigger.enqueue();
    stop();
    expect([first.taken, second.taken]).toEqual([[], []]);
    trigger.enqueue(key);
    expect([first.taken, second.taken.length]).toEqual([[], 1]);
  });
});
