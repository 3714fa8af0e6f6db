import { getEventListeners } from 'node:events';
import { instant, milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from './fake-clock.ts';
import { SystemClock } from './system-clock.ts';

const ms = milliseconds;

interface NodeTimer {
  readonly due: number;
  readonly task: () => void;
  readonly unref: () => void;
}

/** Replaces the timers of Node: time advances when a test says so, and a time beyond their limit ends immediately. */
class NodeTimers {
  now = 0;
  /** How many timers do not keep the process alive. */
  loose = 0;
  /** The length of each timer that was created. */
  readonly lengths: number[] = [];
  readonly waiting = new Set<NodeTimer>();

  /** Installs the timers while `body` runs, but not for work that it leaves behind: other code needs the real ones. */
  use<T>(body: () => T): T {
    const { setTimeout, clearTimeout } = globalThis;
    const make = (task: () => void, length: number): NodeTimer => {
      this.lengths.push(length);
      const timer = { due: this.now + (length > 2 ** 31 - 1 ? 1 : length), task, unref: () => void this.loose++ };
      this.waiting.add(timer);
      return timer;
    };
    Object.assign(globalThis, { setTimeout: make, clearTimeout: (timer: NodeTimer) => this.waiting.delete(timer) });
    try {
      return body();
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    }
  }

  goTo(time: number): void {
    for (;;) {
      const [next] = [...this.waiting].toSorted((a, b) => a.due - b.due);
      if (next === undefined || next.due > time) break;
      this.now = next.due;
      this.waiting.delete(next);
      this.use(next.task);
    }
    this.now = time;
  }
}

describe('SystemClock', () => {
  it('waits out a time beyond the limit of Node timers', () => {
    const timers = new NodeTimers();
    const ran: number[] = [];
    timers.use(() => new SystemClock().schedule(ms(2 ** 32 + 5000), () => ran.push(timers.now)));
    timers.goTo(2 ** 33);
    expect([ran, timers.lengths]).toEqual([[2 ** 32 + 5000], [2 ** 31 - 1, 2 ** 31 - 1, 5002]]);
  });

  it.each([
    { after: -5, length: 0 },
    { after: 0, length: 0 },
    { after: 1, length: 1 },
    { after: 2 ** 31 - 1, length: 2 ** 31 - 1 },
  ])('needs one timer for a length of $after', ({ after, length }) => {
    const timers = new NodeTimers();
    let ran = 0;
    timers.use(() => new SystemClock().schedule(ms(after), () => ran++));
    timers.goTo(2 ** 31);
    expect([ran, timers.lengths]).toEqual([1, [length]]);
  });

  it('does not run a cancelled task, in any part of a long wait', () => {
    const timers = new NodeTimers();
    let ran = 0;
    const timer = timers.use(() => new SystemClock().schedule(ms(2 ** 32), () => ran++));
    timers.goTo(2 ** 31);
    timers.use(() => timer.cancel());
    timers.goTo(2 ** 33);
    expect([ran, timers.lengths.length]).toEqual([0, 2]);
  });

  it.each([
    { options: undefined, loose: 0 },
    { options: {}, loose: 0 },
    { options: { unref: false }, loose: 0 },
    { options: { unref: true }, loose: 3 },
  ])('keeps the process alive by default: $options', ({ options, loose }) => {
    const timers = new NodeTimers();
    timers.use(() => new SystemClock(options).schedule(ms(2 ** 32 + 5000), () => undefined));
    timers.goTo(2 ** 32);
    expect([timers.loose, timers.lengths.length]).toEqual([loose, 3]);
  });

  it('sleeps for the given time and leaves no listener on the signal', async () => {
    const timers = new NodeTimers();
    const stop = new AbortController();
    const sleeping = timers.use(() => new SystemClock().sleep(ms(1000), stop.signal));
    timers.goTo(999);
    expect([timers.waiting.size, getEventListeners(stop.signal, 'abort').length]).toEqual([1, 1]);
    timers.goTo(1000);
    expect([timers.waiting.size, getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
    await expect(sleeping).resolves.toBeUndefined();
  });

  it('rejects a sleep with the reason of its signal and leaves neither a timer nor a listener', async () => {
    const timers = new NodeTimers();
    const stop = new AbortController();
    const during = timers.use(() => new SystemClock().sleep(ms(1000), stop.signal));
    timers.use(() => stop.abort(new Error('stopped')));
    await expect(during).rejects.toThrow('stopped');
    const after = timers.use(() => new SystemClock().sleep(ms(1000), stop.signal));
    await expect(after).rejects.toThrow('stopped');
    expect([timers.waiting.size, timers.lengths.length, getEventListeners(stop.signal, 'abort').length]).toEqual([0, 1, 0]);
  });

  it('returns the time of the machine, and how long the process has been running', () => {
    const clock = new SystemClock();
    const [before, began] = [Date.now(), performance.now()];
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    expect([before <= now && now <= Date.now(), began <= monotonic && monotonic <= performance.now()]).toEqual([true, true]);
  });
});

describe('FakeClock', () => {
  it('runs due timers in the order of their time, then of their creation, and lets waiting code run in between', async () => {
    const clock = new FakeClock();
    const timeline: string[] = [];
    const sleeper = async (name: string, after: number): Promise<void> => {
      await clock.sleep(ms(after));
      timeline.push(`${name} at ${clock.monotonic()}`);
      await clock.sleep(ms(5));
      timeline.push(`${name} again at ${clock.monotonic()}`);
    };
    const all = Promise.all([sleeper('b', 10), sleeper('a', 3), sleeper('c', 10)]);
    await clock.step(20);
    await all;
    expect(timeline).toEqual(['a at 3', 'a again at 8', 'b at 10', 'c at 10', 'b again at 15', 'c again at 15']);
    expect(clock.monotonic()).toBe(20);
  });

  it('moves wall clock and monotonic time together, except for a jump', async () => {
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

  it('runs each timer once, and no cancelled one', async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const run = (name: string) => () => void ran.push(name);
    clock.schedule(ms(-5), run('past'));
    const timers = ['a', 'b'].map((name) => clock.schedule(ms(10), run(name)));
    timers[0]?.cancel();
    timers[0]?.cancel();
    expect(clock.pending).toBe(2);
    await clock.step(20);
    timers[1]?.cancel();
    await clock.step(20);
    expect([ran, clock.pending]).toEqual([['past', 'b'], 0]);
  });

  it('settles for the given number of turns of the event loop', async () => {
    const clock = new FakeClock();
    let turns = 0;
    const turn = (): void => {
      turns++;
      if (turns < 5) setImmediate(turn);
    };
    // No turn takes long, however busy the machine is.
    Object.defineProperty(performance, 'now', { value: () => 0, configurable: true });
    try {
      setImmediate(turn);
      await clock.settle(2);
      expect(turns).toBe(2);
      await clock.settle();
      expect(turns).toBe(5);
    } finally {
      Reflect.deleteProperty(performance, 'now');
    }
  });

  it('settles when no immediate waits, however many turns and however long that takes', async () => {
    const clock = new FakeClock(undefined, 'WhenIdle');
    let turns = 0;
    const turn = async (): Promise<void> => {
      while (turns < 100) {
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
      }
    };
    const turning = turn();
    await clock.settle();
    expect(turns).toBe(100);
    await turning;
  });

  it('settles although another call settles at the same time', async () => {
    const clock = new FakeClock(undefined, 'WhenIdle');
    await expect(Promise.all([clock.settle(), clock.settle(), clock.settle()])).resolves.toHaveLength(3);
  });
});
