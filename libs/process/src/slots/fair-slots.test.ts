import { describe, expect, it } from '@jest/globals';
import { FairSlots } from './fair-slots.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('are unlimited when none are configured', () => {
    const slots = new FairSlots(-1);
    expect(Array.from({ length: 1000 }, () => slots.tryTake())).not.toContain(false);
    slots.release();
  });

  it('are given to the longest waiting caller of an owner, and to none that has aborted', async () => {
    const slots = new FairSlots(1);
    expect([slots.tryTake(), slots.tryTake()]).toEqual([true, false]);
    const order: string[] = [];
    const leave = new AbortController();
    const take = (name: string, signal = never) =>
      slots.take(['a'], signal).then(
        () => order.push(name),
        () => order.push(`${name} left`),
      );
    const waiting = [take('first', leave.signal), take('second'), take('third')];
    leave.abort(new Error('stopped'));
    slots.release();
    await settle();
    expect(order.toSorted()).toEqual(['first left', 'second']);
    expect(slots.tryTake()).toBe(false);
    slots.release();
    slots.release();
    await Promise.all(waiting);
    expect(order.at(-1)).toBe('third');
    expect([slots.tryTake(), slots.tryTake()]).toEqual([true, false]);
  });

  it('are given to owners in turns: 200 waiting callers of one owner delay another owner by one of them', async () => {
    const slots = new FairSlots(1);
    slots.tryTake();
    const order: string[] = [];
    const take = (owner: string) => slots.take([owner], never).then(() => order.push(owner));
    const waiting = [...Array.from({ length: 200 }, () => take('many')), take('one')];
    slots.release();
    slots.release();
    await settle();
    expect(order).toEqual(['many', 'one']);
    for (let left = 199; left > 0; left--) slots.release();
    await Promise.all(waiting);
  });

  it('are unlimited at 0, and need no wait then', async () => {
    const slots = new FairSlots(0);
    for (let i = 0; i < 10; i++) await slots.take([], never);
    expect(slots.tryTake()).toBe(true);
  });

  it('that are free are taken immediately', async () => {
    const slots = new FairSlots(2);
    await slots.take([], never);
    await slots.take([], never);
    expect(slots.tryTake()).toBe(false);
  });

  it('are not lost when a caller aborts after taking one', async () => {
    const slots = new FairSlots(1);
    slots.tryTake();
    const stop = new AbortController();
    const second = slots.take([], stop.signal);
    slots.release();
    await second;
    stop.abort(new Error('stopped'));
    expect(slots.tryTake()).toBe(false);
    slots.release();
    expect([slots.tryTake(), slots.tryTake()]).toEqual([true, false]);
  });

  it('are not given to newcomers while others wait', async () => {
    const slots = new FairSlots(1);
    slots.tryTake();
    const waiting = [slots.take([], never), slots.take([], never)];
    slots.release();
    await waiting[0];
    expect(slots.tryTake()).toBe(false);
    slots.release();
    await waiting[1];
  });

  it('are not taken by a caller that was aborted before', async () => {
    const slots = new FairSlots(1);
    await expect(slots.take([], AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(slots.tryTake()).toBe(true);
  });
});
