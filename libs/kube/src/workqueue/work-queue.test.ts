import { getEventListeners } from 'node:events';
import { milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { ItemExponentialLimiter } from './rate-limiter.ts';
import { WorkQueue, type QueueMetrics } from './work-queue.ts';

const ms = milliseconds;

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

function setUp(metrics?: QueueMetrics) {
  const clock = new FakeClock();
  const limiter = new ItemExponentialLimiter(ms(1), ms(1000));
  return { clock, limiter, queue: new WorkQueue({ clock, limiter, ...(metrics === undefined ? {} : { metrics }) }) };
}

/** Returns the keys that the queue hands out now, each done immediately. */
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
  it('hands keys out in the order in which they were added, each once', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(queue.length).toBe(3);
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  it('lets waiting namespaces take turns, however many keys one of them has', async () => {
    const { queue } = setUp();
    for (const name of ['a', 'b', 'c', 'd']) queue.add(`many/${name}`);
    queue.add('few/a');
    queue.add('few/b');
    queue.add('one/a');
    expect(await takeAll(queue)).toEqual(['many/a', 'few/a', 'one/a', 'many/b', 'few/b', 'many/c', 'many/d']);
  });

  it('hands out no more keys of a namespace at a time than allowed, and those of others meanwhile', async () => {
    const { clock } = setUp();
    const queue = new WorkQueue({ clock, mostOfNamespace: 2 });
    for (const key of ['many/a', 'many/b', 'many/c']) queue.add(key, 'Background');
    queue.add('many/d');
    const taken: (string | undefined)[] = [];
    const take = (): unknown => queue.get().then((key) => taken.push(key));
    for (let worker = 0; worker < 4; worker++) take();
    await clock.settle();
    expect(taken).toEqual(['many/d', 'many/a']);
    queue.add('few/a', 'Background');
    await clock.settle();
    expect(taken).toEqual(['many/d', 'many/a', 'few/a']);
    queue.done('many/d');
    await clock.settle();
    expect(taken).toEqual(['many/d', 'many/a', 'few/a', 'many/b']);
    queue.done('few/a');
    take();
    await clock.settle();
    expect([taken.length, queue.length]).toEqual([4, 1]);
    queue.done('many/a');
    await clock.settle();
    expect(taken.at(-1)).toBe('many/c');
    queue.shutDown();
  });

  it('hands out another key of a namespace for one that is let go, and does not count that one again when it is done', async () => {
    const { clock } = setUp();
    const queue = new WorkQueue({ clock, mostOfNamespace: 1 });
    for (const key of ['many/a', 'many/b', 'many/c']) queue.add(key);
    const taken: (string | undefined)[] = [];
    for (let worker = 0; worker < 3; worker++) void queue.get().then((key) => taken.push(key));
    queue.letGo('many/a');
    queue.letGo('many/a');
    queue.letGo('many/x');
    await clock.settle();
    expect(taken).toEqual(['many/a', 'many/b']);
    queue.done('many/a');
    await clock.settle();
    expect(taken).toEqual(['many/a', 'many/b']);
    queue.done('many/b');
    await clock.settle();
    expect(taken).toEqual(['many/a', 'many/b', 'many/c']);
    queue.shutDown();
  });

  it('serves waiting callers in the order in which they came', async () => {
    const { queue } = setUp();
    const [first, second] = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  it('holds back a key that is added while it runs until it is done, and then hands it out once', async () => {
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

  it('hands a key to the next caller when the waiting one aborted', async () => {
    const { queue } = setUp();
    const gaveUp = new AbortController();
    const [first, second] = [queue.get(gaveUp.signal), queue.get()];
    gaveUp.abort();
    queue.add('a');
    expect(await first).toBeUndefined();
    expect(await second).toBe('a');
    expect(await queue.get(gaveUp.signal)).toBeUndefined();
  });

  it('leaves no listener on the signal of a waiting caller, whether it got a key or was aborted', async () => {
    const { queue } = setUp();
    const stop = new AbortController();
    const first = queue.get(stop.signal);
    expect(listenersOf(stop.signal)).toBe(1);
    queue.add('a');
    await first;
    expect(listenersOf(stop.signal)).toBe(0);
    const second = queue.get(stop.signal);
    stop.abort();
    await second;
    expect(listenersOf(stop.signal)).toBe(0);
  });
});

describe('priority', () => {
  it('lets live keys pass background keys, without starving them', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2', 'b3']) queue.add(key, 'Background');
    for (let key = 1; key <= 10; key++) queue.add(`l${key}`);
    expect((await takeAll(queue)).join(' ')).toBe('l1 l2 l3 l4 l5 l6 l7 l8 b1 l9 l10 b2 b3');
  });

  it('moves a waiting key forward on a live change and hands it out once', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2']) queue.add(key, 'Background');
    queue.add('b2');
    queue.add('b2', 'Background');
    expect(await takeAll(queue)).toEqual(['b2', 'b1']);
  });

  it('keeps the place of a key that is added again while it waits', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2', 'b1']) queue.add(key, 'Background');
    for (const key of ['l1', 'l2', 'l1']) queue.add(key);
    queue.add('l1', 'Background');
    expect(await takeAll(queue)).toEqual(['l1', 'l2', 'b1', 'b2']);
  });

  it.each<{ again: readonly ('Live' | 'Background')[]; order: string }>([
    { again: ['Background'], order: 'a b' },
    { again: ['Live'], order: 'b a' },
    { again: ['Live', 'Background'], order: 'b a' },
    { again: ['Background', 'Live'], order: 'b a' },
  ])('gives a key that was added $again while it ran the higher of the priorities', async ({ again, order }) => {
    const { queue } = setUp();
    queue.add('b');
    await queue.get();
    queue.add('a', 'Background');
    for (const priority of again) queue.add('b', priority);
    queue.done('b');
    expect((await takeAll(queue)).join(' ')).toBe(order);
  });

  it('drops the place that a key had before it was moved forward', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2']) queue.add(key, 'Background');
    queue.add('b1');
    queue.done((await queue.get()) ?? '');
    for (const key of ['b3', 'b1']) queue.add(key, 'Background');
    expect(await takeAll(queue)).toEqual(['b2', 'b3', 'b1']);
  });

  it('counts only handed out keys as the turn of the background', async () => {
    const { queue } = setUp();
    for (const key of ['b1', 'b2']) queue.add(key, 'Background');
    queue.add('b1');
    for (let key = 1; key <= 8; key++) queue.add(`l${key}`);
    expect((await takeAll(queue)).join(' ')).toBe('b1 l1 l2 l3 l4 l5 l6 l7 b2 l8');
  });

  it('gives the unused turn of the background to the first key that is added', async () => {
    const { queue } = setUp();
    for (let key = 1; key <= 10; key++) queue.add(`l${key}`);
    await takeAll(queue);
    queue.add('l11');
    queue.add('b1', 'Background');
    expect(await takeAll(queue)).toEqual(['b1', 'l11']);
  });
});

describe('delaying', () => {
  it('hands a key out when its time has come, not before', async () => {
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

  it('needs one timer for any number of keys and hands them out in the order of their times', async () => {
    const { queue, clock } = setUp();
    for (const [key, after] of [
      ['c', 30],
      ['a', 10],
      ['d', 40],
      ['b', 20],
    ] as const)
      queue.addAfter(key, ms(after));
    const timeline: unknown[] = [];
    for (let step = 0; step < 4; step++) {
      timeline.push(clock.pending);
      await clock.step(10);
      timeline.push(...(await takeAll(queue)));
    }
    expect(timeline).toEqual([1, 'a', 1, 'b', 1, 'c', 1, 'd']);
    expect(clock.pending).toBe(0);
  });

  it('keeps the place of a key that is delayed again to the same time', async () => {
    const { queue, clock } = setUp();
    for (const key of ['a', 'b', 'a']) queue.addAfter(key, ms(20));
    await clock.step(20);
    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  it('adds immediately for a time that is not above 0', async () => {
    const { queue } = setUp();
    queue.addAfter('a', ms(0));
    queue.addAfter('b', ms(-5));
    queue.addAfter('c', ms(Number.NaN));
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  it('waits out a time beyond the longest timer of Node', async () => {
    const { queue, clock } = setUp();
    queue.addAfter('a', ms(2147483647 * 1000));
    await clock.step(2147483647 * 1000 - 1);
    expect(queue.length).toBe(0);
    await clock.step(1);
    expect(queue.length).toBe(1);
  });
});

describe('backoff', () => {
  it('waits longer with each failure and starts over after forget', async () => {
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

  it('waits as long as the server requested when that is longer', async () => {
    const { queue, clock } = setUp();
    queue.addRateLimited('a', ms(500));
    await clock.step(499);
    expect(queue.length).toBe(0);
    await clock.step(1);
    expect(queue.length).toBe(1);
  });
});

describe('shutting down', () => {
  it('accepts no more keys, hands out the waiting ones and then undefined', async () => {
    const { queue, clock } = setUp();
    queue.add('a');
    queue.addAfter('later', ms(10));
    expect([queue.isShutDown, queue.delayed, clock.pending]).toEqual([false, 1, 1]);
    queue.shutDown();
    queue.add('b');
    queue.addAfter('c', ms(1));
    queue.addRateLimited('d');
    expect([queue.isShutDown, queue.delayed, clock.pending, queue.retries('d')]).toEqual([true, 0, 0, 0]);
    await clock.step(100);
    expect([await queue.get(), await queue.get()]).toEqual(['a', undefined]);
  });

  it('ends the waiting get calls', async () => {
    const { queue } = setUp();
    const waiting = [queue.get(), queue.get()];
    queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('drops waiting keys on request', async () => {
    const { queue } = setUp();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    queue.add('b');
    queue.shutDown({ discard: true });
    queue.done('a');
    expect([await queue.get(), queue.length, queue.running]).toEqual([undefined, 0, 0]);
  });

  it('drains: waits for waiting and running keys, also for those added again meanwhile', async () => {
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

  it('drains immediately when it is empty, and stops waiting when its signal aborts', async () => {
    const idle = setUp().queue;
    await idle.shutDownWithDrain();
    const busy = setUp().queue;
    busy.add('a');
    const stop = new AbortController();
    const drained = busy.shutDownWithDrain(stop.signal);
    stop.abort(new Error('enough'));
    await expect(drained).rejects.toThrow('enough');
    expect(listenersOf(stop.signal)).toBe(0);
  });

  it('drains when waiting keys are dropped meanwhile, and leaves no listener on the signal', async () => {
    const { queue } = setUp();
    queue.add('a');
    const stop = new AbortController();
    const drained = queue.shutDownWithDrain(stop.signal);
    expect(listenersOf(stop.signal)).toBe(1);
    queue.shutDown({ discard: true });
    await drained;
    expect(listenersOf(stop.signal)).toBe(0);
  });
});

describe('metrics', () => {
  const setUpCounting = () => {
    const seen: string[] = [];
    const note = (name: string) => (value?: number) => void seen.push(value === undefined ? name : `${name} ${value}`);
    const metrics = {
      depth: note('depth'),
      added: note('added'),
      retried: note('retried'),
      queueSeconds: note('queue'),
      workSeconds: note('work'),
    };
    return { ...setUp(metrics), seen };
  };

  it('reports depth, adds, retries and durations in seconds', async () => {
    const { queue, clock, seen } = setUpCounting();
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

  it('counts a key that is moved forward once, from its first add', async () => {
    const { queue, clock, seen } = setUpCounting();
    queue.add('a', 'Background');
    await clock.step(1000);
    queue.add('a');
    await queue.get();
    queue.add('a', 'Background');
    await clock.step(1000);
    queue.add('a');
    queue.done('a');
    await queue.get();
    const firstTime = ['added', 'depth 1', 'queue 1', 'depth 0'];
    expect(seen).toEqual([...firstTime, 'added', 'depth 1', 'work 1', 'queue 1', 'depth 0']);
  });

  it('counts nothing after the shutdown, and reports that dropped keys no longer wait', async () => {
    const { queue, seen } = setUpCounting();
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.add('a');
    seen.length = 0;
    queue.shutDown({ discard: true });
    queue.add('c');
    queue.addAfter('c', ms(1));
    queue.addRateLimited('c');
    queue.done('a');
    expect(seen).toEqual(['depth 0', 'work 0']);
  });
});
