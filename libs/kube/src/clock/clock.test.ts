import { instant, milliseconds } from '@kruise/objects';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { FakeClock } from './fake-clock.ts';
import { SystemClock } from './system-clock.ts';

const ms = milliseconds;

describe('SystemClock', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('waits out a length beyond the limit of Node timers', () => {
    jest.useFakeTimers();
    let ran = 0;
    new SystemClock().schedule(ms(2 ** 31 + 5000), () => ran++);
    jest.advanceTimersByTime(2 ** 31 - 1);
    expect(ran).toBe(0);
    jest.advanceTimersByTime(5000);
    expect(ran).toBe(0);
    jest.advanceTimersByTime(1);
    expect(ran).toBe(1);
  });

  it('does not run a task that was cancelled, in whatever part of a long wait', () => {
    jest.useFakeTimers();
    let ran = 0;
    const timer = new SystemClock().schedule(ms(2 ** 32), () => ran++);
    jest.advanceTimersByTime(2 ** 31);
    timer.cancel();
    jest.advanceTimersByTime(2 ** 33);
    expect(ran).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps the process alive unless told not to', () => {
    const held = new SystemClock().schedule(ms(60_000), () => undefined);
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const loose = new SystemClock({ unref: true }).schedule(ms(60_000), () => undefined);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBe(before);
    held.cancel();
    loose.cancel();
  });

  it('rejects a sleep with the reason of its signal and leaves no timer', async () => {
    jest.useFakeTimers();
    const stop = new AbortController();
    const sleeping = new SystemClock().sleep(ms(1000), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(sleeping).rejects.toThrow('stopped');
    await expect(new SystemClock().sleep(ms(1000), stop.signal)).rejects.toThrow('stopped');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('FakeClock', () => {
  it('runs due timers in the order of their time, then of their making, and lets those who wait go on in between', async () => {
    const clock = new FakeClock();
    const story: string[] = [];
    const sleeper = async (name: string, after: number): Promise<void> => {
      await clock.sleep(ms(after));
      story.push(`${name} at ${clock.monotonic()}`);
      await clock.sleep(ms(5));
      story.push(`${name} again at ${clock.monotonic()}`);
    };
    const all = Promise.all([sleeper('b', 10), sleeper('a', 3), sleeper('c', 10)]);
    await clock.step(20);
    await all;
    expect(story).toEqual(['a at 3', 'a again at 8', 'b at 10', 'c at 10', 'b again at 15', 'c again at 15']);
    expect(clock.monotonic()).toBe(20);
  });

  it('moves wall clock and monotonic time together, but for a jump', async () => {
    const clock = new FakeClock(instant(1_000_000));
    await clock.step(500);
    expect([clock.now(), clock.monotonic()]).toEqual([1_000_500, 500]);
    clock.jumpWallClock(-700_000);
    expect([clock.now(), clock.monotonic()]).toEqual([300_500, 500]);
  });

  it('runs timers late after a freeze', async () => {
    const clock = new FakeClock();
    const ran: number[] = [];
    clock.schedule(ms(10), () => ran.push(clock.monotonic()));
    clock.freeze(100);
    expect(ran).toEqual([]);
    await clock.step(0);
    expect(ran).toEqual([100]);
  });
});
