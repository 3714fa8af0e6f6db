import { milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { ItemExponentialLimiter } from './rate-limiter.ts';
import { WorkQueue, type QueueMetrics } from './work-queue.ts';

const ms = milliseconds;

function setUp(metrics?: QueueMetrics) {
  const clock = new FakeClock();
  const limiter = new ItemExponentialLimiter(ms(1), ms(1000));
  return { clock, limiter, queue: new WorkQueue({ clock, limiter, ...(metrics === undefined ? {} : { metrics }) }) };
}

/** What the queue gives out now, each key done at once. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.length > 0) {
    const key = (await queue.get()) ?? 'nothing';
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('adding', () => {
  it('gives keys out in the order of adding, each once', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(queue.length).toBe(3);
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  it('serves those who wait in the order in which they came', async () => {
    const { queue } = setUp();
    const [first, second] = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  it('keeps a key back that is added while it is worked on, until it is done, and then gives it out once', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    let second: string | undefined;
    void queue.get().then((key) => (second = key));
    await clock.settle();
    expect(second).toBeUndefined();
    queue.done('a');
    await clock.settle();
    expect(second).toBe('a');
    queue.done('a');
    expect([queue.length, queue.running]).toEqual([0, 0]);
  });

  it('ignores a second done and a done of an unknown key', async () => {
    const { queue } = setUp();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.done('a');
    queue.done('a');
    queue.done('other');
    expect(await takeAll(queue)).toEqual(['a']);
  });

  it('hands a key on when the one who waited gave up', async () => {
    const { queue } = setUp();
    const gaveUp = new AbortController();
    const [first, second] = [queue.get(gaveUp.signal), queue.get()];
    gaveUp.abort();
    queue.add('a');
    expect(await first).toBeUndefined();
    expect(await second).toBe('a');
    expect(await queue.get(gaveUp.signal)).toBeUndefined();
  });
});

describe('priority', () => {
  it('lets live keys pass those of the background, without starving them', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2', 'b3']) queue.add(key, 'Background');
    for (let key = 1; key <= 10; key++) queue.add(`l${key}`);
    expect((await takeAll(queue)).join(' ')).toBe('l1 l2 l3 l4 l5 l6 l7 l8 b1 l9 l10 b2 b3');
  });

  it('moves a waiting key forward on a live change and gives it out once', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2']) queue.add(key, 'Background');
    queue.add('b2');
    queue.add('b2', 'Background');
    expect(await takeAll(queue)).toEqual(['b2', 'b1']);
  });
});

describe('putting off', () => {
  it('gives a key out when its time has come, not before', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', ms(50));
    await clock.step(49);
    expect(queue.length).toBe(0);
    await clock.step(1);
    expect(await takeAll(queue)).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  it('keeps the earliest of several times', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', ms(100));
    queue.addAfter('a', ms(20));
    queue.addAfter('a', ms(60));
    expect(queue.delayed).toBe(1);
    await clock.step(20);
    expect(await takeAll(queue)).toEqual(['a']);
    await clock.step(200);
    expect(queue.length).toBe(0);
  });

  it('needs one timer for any number of keys and gives them out in the order of their times', async () => {
    const { queue, clock } = setUp();
    for (const [key, after] of [
      ['c', 30],
      ['a', 10],
      ['d', 40],
      ['b', 20],
    ] as const)
      queue.addAfter(key, ms(after));
    expect(clock.pending).toBe(1);
    await clock.step(40);
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('adds at once for a time that is not above 0', async () => {
    const { queue } = setUp();
    queue.addAfter('a', ms(0));
    queue.addAfter('b', ms(-5));
    queue.addAfter('c', ms(Number.NaN));
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  it('waits as long as it says beyond the longest timer of Node', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', ms(2147483647 * 1000));
    await clock.step(2147483647 * 1000 - 1);
    expect(queue.length).toBe(0);
    await clock.step(1);
    expect(queue.length).toBe(1);
  });
});

describe('backoff', () => {
  it('waits longer with each failure and starts anew after forget', async () => {
    const { queue, clock } = setUp();
    const waits: number[] = [];
    const retry = async (): Promise<void> => {
      const from = clock.monotonic();
      queue.addRateLimited('a');
      while (queue.length === 0) await clock.step(1);
      waits.push(clock.monotonic() - from);
      await takeAll(queue);
    };
    for (let failure = 0; failure < 4; failure++) await retry();
    expect(queue.retries('a')).toBe(4);
    queue.forget('a');
    await retry();
    expect(waits).toEqual([1, 2, 4, 8, 1]);
  });

  it('waits as long as the server asked for when that is longer', async () => {
    const { queue, clock } = setUp();
    queue.addRateLimited('a', ms(500));
    await clock.step(499);
    expect(queue.length).toBe(0);
    await clock.step(1);
    expect(queue.length).toBe(1);
  });
});

describe('shutting down', () => {
  it('takes nothing more, gives out what waits and then nothing', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    queue.addAfter('later', ms(10));
    queue.shutDown();
    queue.add('b');
    queue.addAfter('c', ms(1));
    queue.addRateLimited('d');
    await clock.step(100);
    expect([await queue.get(), await queue.get()]).toEqual(['a', undefined]);
    expect(clock.pending).toBe(0);
  });

  it('ends the waiting of those who have nothing to do', async () => {
    const { queue } = setUp();
    const waiting = [queue.get(), queue.get()];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('drops what waits when asked to', async () => {
    const { queue } = setUp();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    queue.add('b');
    queue.shutDown({ discard: true });
    queue.done('a');
    expect([await queue.get(), queue.length, queue.running]).toEqual([undefined, 0, 0]);
  });

  it('drains: waits for what waited and ran, also for what was added again meanwhile', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.add('a');
    let drained = false;
    void queue.shutDownWithDrain().then(() => (drained = true));
    queue.add('late');
    queue.done('a');
    await clock.settle();
    expect([drained, await queue.get(), await queue.get()]).toEqual([false, 'b', 'a']);
    queue.done('b');
    await clock.settle();
    expect(drained).toBe(false);
    queue.done('a');
    await clock.settle();
    expect([drained, await queue.get()]).toEqual([true, undefined]);
  });

  it('drains at once when nothing is left, and stops waiting when told to', async () => {
    const idle = setUp().queue;
    await idle.shutDownWithDrain();
    const busy = setUp().queue;
    busy.add('a');
    const stop = new AbortController();
    const drained = busy.shutDownWithDrain(stop.signal);
    stop.abort(new Error('enough'));
    await expect(drained).rejects.toThrow('enough');
  });
});

describe('metrics', () => {
  it('tells depth, adds, retries and durations in seconds', async () => {
    const seen: string[] = [];
    const note = (name: string) => (value?: number) => void seen.push(value === undefined ? name : `${name} ${value}`);
    const { queue, clock } = setUp({
      depth: note('depth'),
      added: note('added'),
      retried: note('retried'),
      queueSeconds: note('queue'),
      workSeconds: note('work'),
    });
    queue.add('a');
    queue.add('a');
    await clock.step(2000);
    await queue.get();
    queue.add('a');
    queue.add('a');
    await clock.step(500);
    expect(queue.unfinishedWork()).toEqual({ totalSeconds: 0.5, longestSeconds: 0.5 });
    queue.done('a');
    queue.addRateLimited('b');
    await queue.get();
    expect(seen).toEqual(['added', 'depth 1', 'queue 2', 'depth 0', 'added', 'depth 1', 'work 0.5', 'retried', 'queue 0.5', 'depth 0']);
  });
});
