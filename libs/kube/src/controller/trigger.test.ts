import { describe, expect, it, jest } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { Trigger } from './trigger.ts';

const key = { namespace: 'shop', name: 'web' };

describe('Trigger', () => {
  it('hands what it is given to everyone who watches, as live work', async () => {
    const trigger = new Trigger();
    const [first, second] = [jest.fn(), jest.fn()];
    trigger.start(first);
    trigger.start(second);
    await trigger.waitForSync();
    trigger.enqueue(key, { key, after: milliseconds(5) });
    for (const take of [first, second]) expect(take.mock.calls).toEqual([[[key, { key, after: 5 }], false]]);
  });

  it('is silent before the start, after the stop, and with nothing to say', () => {
    const trigger = new Trigger();
    const take = jest.fn();
    trigger.enqueue(key);
    const stop = trigger.start(take);
    trigger.enqueue();
    stop();
    trigger.enqueue(key);
    expect(take).not.toHaveBeenCalled();
  });
});
