import { configMaps, formatKey, milliseconds, seconds, type KubeObject, type ObjectKey } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../api-error.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { giveUp, requeue, retry, settled, type Outcome } from '../outcome.ts';
import type { StoreEvent, StoreListener } from '../store.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import {
  CacheSyncTimeout,
  ControllerNotStopped,
  ControllerRunner,
  type ControllerDefinition,
  type ControllerRunnerOptions,
} from './controller-runner.ts';
import { EventLoopTurns } from './event-loop-turns.ts';
import { watch, type Request, type WatchSource } from './watch.ts';

/** A source whose changes and sync a test controls. */
class HandSource implements WatchSource<KubeObject> {
  readonly listeners = new Set<StoreListener<KubeObject>>();
  readonly #sync = Promise.withResolvers<void>();

  subscribe(listener: StoreListener<KubeObject>): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#sync.reject(signal.reason as Error), { once: true });
    await this.#sync.promise;
  }

  synced(): this {
    this.#sync.resolve();
    return this;
  }

  failed(error: Error): void {
    this.#sync.promise.catch(() => undefined);
    this.#sync.reject(error);
  }

  send(event: StoreEvent<KubeObject>): void {
    for (const listener of this.listeners) listener(event);
  }

  add(name: string, initial = false): void {
    this.send({ kind: 'Added', object: { kind: configMaps.kind, metadata: { name, namespace: 'ns' } }, initial });
  }
}

const byKey = (event: StoreEvent<KubeObject>): readonly Request[] => [
  { namespace: event.object.metadata.namespace ?? '', name: event.object.metadata.name },
];

interface Given {
  readonly reconcile: (key: ObjectKey, signal: AbortSignal) => Promise<Outcome> | Outcome;
  readonly workers?: number;
  readonly toKeys?: typeof byKey;
  readonly options?: Partial<ControllerRunnerOptions>;
}

function setUp(given: Given) {
  const clock = new FakeClock();
  const logger = silentLogger();
  const source = new HandSource();
  const counted: string[] = [];
  const note = (name: string) => (value?: string) => void counted.push(value === undefined ? name : `${name} ${value}`);
  const metrics = {
    reconciled: note('reconciled'),
    gaveUp: note('gave up'),
    panicked: note('panicked'),
    heldBack: note('held back'),
    activeWorkers: () => undefined,
    maxConcurrent: () => undefined,
  };
  const definition: ControllerDefinition = {
    name: 'test-controller',
    workers: given.workers ?? 1,
    watches: [watch(source, given.toKeys ?? byKey)],
    reconcile: async (key, signal) => given.reconcile(key, signal),
  };
  const runner = new ControllerRunner(definition, { clock, logger, metrics, ...given.options });
  const stop = new AbortController();
  const start = () => {
    const run = runner.run(stop.signal);
    run.catch(() => undefined);
    return run;
  };
  return { clock, logger, source, counted, runner, stop, start };
}

describe('starting', () => {
  it('processes nothing before its caches are synced, then live changes before the initial list', async () => {
    const seen: string[] = [];
    const t = setUp({ reconcile: (key) => (seen.push(key.name), settled) });
    const run = t.start();
    for (const name of ['a', 'b', 'c', 'a']) t.source.add(name, true);
    t.source.add('b');
    await t.clock.settle();
    expect([seen, t.runner.working]).toEqual([[], false]);
    t.source.synced();
    await t.clock.settle();
    expect([seen, t.runner.working]).toEqual([['b', 'a', 'c'], true]);
    t.stop.abort();
    await run;
    expect([t.source.listeners.size, t.runner.working, t.clock.pending]).toEqual([0, false, 0]);
  });

  it.each([
    { options: {}, timeout: 120_000 },
    { options: { cacheSyncTimeout: seconds(5) }, timeout: 5000 },
  ])('fails with $options when a cache is not synced within $timeout ms', async ({ options, timeout }) => {
    const t = setUp({ reconcile: () => settled, options });
    const run = t.start();
    t.source.add('a', true);
    await t.clock.step(timeout - 1);
    expect([t.source.listeners.size, t.runner.queue.length]).toEqual([1, 1]);
    await t.clock.step(1);
    const message = `the caches of test-controller did not sync within ${timeout} ms`;
    await expect(run).rejects.toMatchObject({ name: 'CacheSyncTimeout', message, cause: { name: 'AbortError' } });
    await expect(run).rejects.toBeInstanceOf(CacheSyncTimeout);
    expect([t.source.listeners.size, t.runner.queue.length, t.runner.working, t.logger.lines]).toEqual([0, 0, false, []]);
  });

  it('fails with the error of a cache', async () => {
    const t = setUp({ reconcile: () => settled });
    t.source.failed(new Error('no such kind'));
    await expect(t.start()).rejects.toThrow('no such kind');
    expect([t.source.listeners.size, t.clock.pending]).toEqual([0, 0]);
  });

  it('ends without an error when it is stopped while it waits for its caches, or before', async () => {
    for (const before of [false, true]) {
      const t = setUp({ reconcile: () => settled });
      if (before) t.stop.abort();
      const run = t.start();
      await t.clock.settle();
      t.stop.abort();
      await run;
      expect([t.clock.pending, t.logger.lines]).toEqual([0, []]);
    }
  });

  it('happens once', async () => {
    const t = setUp({ reconcile: () => settled });
    const run = t.start();
    await expect(t.start()).rejects.toThrow('controller test-controller was run before');
    expect(t.source.listeners.size).toBe(1);
    t.stop.abort();
    await run;
    await expect(t.start()).rejects.toThrow('was run before');
  });
});

describe('a key from outside the watches', () => {
  it('is live work', async () => {
    const seen: string[] = [];
    const t = setUp({ reconcile: (key) => (seen.push(`${key.name} at ${t.clock.monotonic()}`), settled) });
    t.source.synced();
    const run = t.start();
    t.source.add('a', true);
    t.runner.enqueue({ namespace: 'ns', name: 'b' });
    t.runner.enqueue({ key: { namespace: 'ns', name: 'c' }, after: milliseconds(50) });
    await t.clock.step(100);
    expect(seen).toEqual(['b at 0', 'a at 0', 'c at 50']);
    t.stop.abort();
    await run;
  });
});

describe('outcomes', () => {
  const outcomesOf = async (outcome: () => Outcome | Promise<Outcome>) => {
    const at: number[] = [];
    const t = setUp({ reconcile: () => (at.push(t.clock.monotonic()), outcome()) });
    void t.start();
    t.source.synced().add('a');
    await t.clock.step(100);
    t.stop.abort();
    await t.clock.settle();
    return { at, counted: t.counted, retries: t.runner.queue.retries('ns/a'), logger: t.logger };
  };

  it('Settled waits for a change', async () => {
    expect(await outcomesOf(() => settled)).toMatchObject({ at: [0], counted: ['reconciled success'], retries: 0 });
  });

  it('Requeue requeues the key after its time and ends the backoff', async () => {
    const outcomes = [retry(new Error('x')), retry(new Error('x')), requeue(milliseconds(50)), settled];
    expect(await outcomesOf(() => outcomes.shift() ?? settled)).toMatchObject({
      at: [0, 5, 15, 65],
      retries: 0,
      counted: ['reconciled error', 'reconciled error', 'reconciled requeue_after', 'reconciled success'],
    });
  });

  it.each([
    { outcome: settled, after: [0, 5, 15] },
    { outcome: requeue(milliseconds(80)), after: [0, 5, 15, 95] },
    { outcome: giveUp(new Error('hopeless')), after: [0, 5, 15] },
  ])('$outcome.kind ends the backoff', async ({ outcome, after }) => {
    const outcomes = [retry(new Error('x')), retry(new Error('x')), outcome];
    const retries: number[] = [];
    const at: number[] = [];
    const t = setUp({
      reconcile: () => {
        at.push(t.clock.monotonic());
        retries.push(t.runner.queue.retries('ns/a'));
        return outcomes.shift() ?? settled;
      },
    });
    const run = t.start();
    t.source.synced().add('a');
    await t.clock.step(94);
    expect([retries, t.runner.queue.retries('ns/a')]).toEqual([[0, 1, 2], 0]);
    await t.clock.step(1);
    expect(at).toEqual(after);
    t.stop.abort();
    await run;
  });

  it('Retry backs off for each key', async () => {
    expect((await outcomesOf(() => retry(new Error('x')))).at).toEqual([0, 5, 15, 35, 75]);
  });

  it('Retry requeues the key when time requires it, however long the backoff', async () => {
    expect((await outcomesOf(() => retry(new Error('x'), milliseconds(12)))).at).toEqual([0, 5, 15, 27, 39, 51, 63, 75, 87, 99]);
  });

  it('Retry waits at least as long as the server requested', async () => {
    const busy = new ApiError('slow down', { kind: 'TooManyRequests', retryAfter: milliseconds(60) });
    expect((await outcomesOf(() => retry(busy))).at).toEqual([0, 60]);
  });

  it('GiveUp waits for a change, is counted separately and logged', async () => {
    const result = await outcomesOf(() => giveUp(new Error('hopeless')));
    expect(result).toMatchObject({ at: [0], counted: ['gave up', 'reconciled error'], retries: 0 });
    expect(result.logger.lines).toContainEqual({
      level: 'error',
      fields: { controller: 'test-controller', key: 'ns/a', error: new Error('hopeless') },
      message: 'Reconcile failed; waiting for a change',
    });
  });

  it.each<{ name: string; thrown: unknown; panics: boolean }>([
    { name: 'an ApiError', thrown: new ApiError('modified', { kind: 'Conflict' }), panics: false },
    { name: 'an Error', thrown: new Error('x'), panics: false },
    { name: 'a TypeError', thrown: new TypeError('x is not a function'), panics: true },
    { name: 'a string', thrown: 'oops', panics: true },
    { name: 'undefined', thrown: undefined, panics: true },
  ])('a throw of $name is retried', async ({ thrown, panics }) => {
    const result = await outcomesOf(async () => {
      throw thrown;
    });
    expect(result.at).toEqual([0, 5, 15, 35, 75]);
    expect(result.counted.slice(0, 2)).toEqual(panics ? ['panicked', 'reconciled error'] : ['reconciled error', 'reconciled error']);
  });

  it('a missing outcome is a panic', async () => {
    expect((await outcomesOf(() => undefined as never)).counted.slice(0, 2)).toEqual(['panicked', 'reconciled error']);
  });
});

describe('a reconcile that asks to be requeued immediately', () => {
  /** Returns every run of the key `ns/a` in ten seconds. `outcomeOf` receives the number of the run. */
  const runsOf = async (outcomeOf: (run: number, change: () => void) => Outcome) => {
    const at: number[] = [];
    const t = setUp({
      reconcile: () => {
        at.push(t.clock.monotonic());
        return at.length > 1000 ? settled : outcomeOf(at.length, () => t.source.add('a'));
      },
    });
    void t.start();
    t.source.synced().add('a');
    await t.clock.step(10_000);
    t.stop.abort();
    await t.clock.settle();
    return { at, counted: t.counted.filter((line) => line === 'held back').length, logger: t.logger };
  };

  it('waits longer and longer while nothing changes, is counted and logged', async () => {
    const { at, counted, logger } = await runsOf(() => requeue(milliseconds(0)));
    expect(at).toEqual([...Array<number>(11).fill(0), 10, 30, 70, 150, 310, 630, 1270, 2550, 5110]);
    expect(counted).toBe(10);
    expect(logger.lines).toContainEqual({
      level: 'warn',
      fields: { controller: 'test-controller', key: 'ns/a', looks: 11, after: 10 },
      message: 'Reconcile requeues immediately although nothing has changed; delaying it',
    });
  });

  it('also waits when failures occur in between', async () => {
    const { at } = await runsOf((run) => (run % 2 === 0 ? retry(new Error('x')) : requeue(milliseconds(0))));
    expect(at.length).toBeLessThan(60);
  });

  it('is not held back while each run changes an object that it watches', async () => {
    const { at, counted } = await runsOf((run, change) => {
      if (run >= 20) return settled;
      change();
      return requeue(milliseconds(0));
    });
    expect([at.length, at.at(-1), counted]).toEqual([20, 0, 0]);
  });

  it('runs immediately when a change arrives while it is held back', async () => {
    const at: number[] = [];
    const t = setUp({ reconcile: () => (at.push(t.clock.monotonic()), at.length > 1000 ? settled : requeue(milliseconds(0))) });
    const run = t.start();
    t.source.synced().add('a');
    await t.clock.step(6000);
    const before = at.length;
    t.source.add('a');
    await t.clock.settle();
    expect(at.slice(before)).toEqual(Array<number>(11).fill(6000));
    t.stop.abort();
    await run;
  });
});

describe('one bad key', () => {
  it('does not keep others from being reconciled', async () => {
    const seen: string[] = [];
    const t = setUp({
      reconcile: (key) => {
        seen.push(key.name);
        if (key.name === 'poisoned') throw new TypeError('x is undefined');
        return settled;
      },
    });
    void t.start();
    t.source.synced();
    for (const name of ['poisoned', 'a', 'b']) t.source.add(name);
    await t.clock.step(1000);
    t.source.add('c');
    await t.clock.settle();
    expect(seen.filter((name) => name !== 'poisoned')).toEqual(['a', 'b', 'c']);
    t.stop.abort();
    await t.clock.settle();
  });

  it('leaves a worker to other namespaces when the passes of one do not end', async () => {
    const seen: string[] = [];
    const hang = Promise.withResolvers<Outcome>();
    const t = setUp({
      workers: 2,
      reconcile: ({ namespace, name }) => {
        seen.push(`${namespace}/${name}`);
        return namespace === 'ns' ? hang.promise : settled;
      },
    });
    const run = t.start();
    t.source.synced();
    for (const name of ['a', 'b', 'c']) t.source.add(name);
    await t.clock.settle();
    expect(seen).toEqual(['ns/a', 'ns/b']);
    t.runner.enqueue({ namespace: 'other', name: 'a' });
    await t.clock.settle();
    expect(seen).toEqual(['ns/a', 'ns/b', 'other/a']);
    hang.resolve(settled);
    await t.clock.settle();
    expect(seen.at(-1)).toBe('ns/c');
    t.stop.abort();
    await run;
  });

  it('is aborted at the reconcile timeout, and loses its worker when it ignores that', async () => {
    const seen: string[] = [];
    const hang = Promise.withResolvers<Outcome>();
    const t = setUp({
      reconcile: (key, signal) => {
        seen.push(key.name);
        signal.addEventListener('abort', () => seen.push(`${key.name} aborted at ${t.clock.monotonic()}`));
        return key.name === 'hanging' ? hang.promise : settled;
      },
      options: { reconcileTimeout: seconds(10) },
    });
    const run = t.start();
    t.source.synced();
    t.source.add('hanging');
    t.source.add('a');
    await t.clock.step(14_999);
    expect(seen).toEqual(['hanging', 'hanging aborted at 10000']);
    t.source.add('hanging');
    await t.clock.step(1);
    expect(seen.slice(2)).toEqual(['a']);
    hang.resolve(settled);
    await t.clock.settle();
    expect(seen.slice(2)).toEqual(['a', 'hanging']);
    t.stop.abort();
    await run;
  });

  it('a filter that throws loses only its event', async () => {
    const seen: string[] = [];
    const t = setUp({
      reconcile: (key) => (seen.push(formatKey(key)), settled),
      toKeys: (event) => {
        if (event.object.metadata.name === 'bad') throw new TypeError('labels is null');
        return [...byKey(event), { key: { namespace: '', name: 'later' }, after: milliseconds(100) }];
      },
    });
    void t.start();
    t.source.synced();
    t.source.add('bad');
    t.source.add('good');
    await t.clock.step(99);
    expect([seen, t.counted[0]]).toEqual([['ns/good'], 'panicked']);
    await t.clock.step(1);
    expect(seen).toEqual(['ns/good', 'later']);
    t.stop.abort();
    await t.clock.settle();
  });
});

describe('workers', () => {
  it('process as many keys at a time as there are workers, a key never twice', async () => {
    const running = new Set<string>();
    let most = 0;
    let runs = 0;
    const t = setUp({
      workers: 3,
      reconcile: async (key) => {
        expect(running.has(key.name)).toBe(false);
        running.add(key.name);
        most = Math.max(most, running.size);
        await t.clock.sleep(milliseconds(10));
        running.delete(key.name);
        runs++;
        return settled;
      },
    });
    const run = t.start();
    t.source.synced();
    for (let round = 0; round < 5; round++) {
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) t.source.add(name);
      await t.clock.step(7);
    }
    await t.clock.step(200);
    expect(most).toBe(3);
    expect(runs).toBeGreaterThanOrEqual(12);
    t.stop.abort();
    await run;
  });
});

describe('the event loop', () => {
  it('turns between any two reconciles, whichever controllers and workers they belong to', async () => {
    let turn = 0;
    const turnOf: number[] = [];
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    const turns = new EventLoopTurns();
    const runners = [0, 1].map(() => setUp({ workers: 3, reconcile: () => (turnOf.push(turn), settled), options: { turns } }));
    for (const t of runners) {
      void t.start();
      t.source.synced();
      for (let key = 0; key < 10; key++) t.source.add(`k${key}`);
    }
    setImmediate(count);
    await runners[0]?.clock.settle(100);
    counting = false;
    expect(turnOf).toHaveLength(20);
    expect(new Set(turnOf).size).toBe(20);
    for (const t of runners) t.stop.abort();
    await runners[0]?.clock.settle();
  });
});

describe('stopping', () => {
  it('begins nothing new and lets running reconciles end', async () => {
    const seen: string[] = [];
    const t = setUp({
      reconcile: async (key, signal) => {
        seen.push(`${key.name} began`);
        await t.clock.sleep(seconds(20), signal);
        seen.push(`${key.name} ended`);
        return requeue(milliseconds(1));
      },
    });
    const run = t.start();
    t.source.synced();
    t.source.add('a');
    t.source.add('b');
    await t.clock.step(1000);
    t.stop.abort();
    await t.clock.step(30_000);
    await run;
    expect(seen).toEqual(['a began', 'a ended']);
    expect(t.clock.pending).toBe(0);
  });

  it('aborts reconciles that run longer than the grace time', async () => {
    let abortedAt = 0;
    const t = setUp({
      reconcile: (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            abortedAt = t.clock.monotonic();
            reject(signal.reason as Error);
          });
        }),
    });
    const run = t.start();
    t.source.synced().add('a');
    await t.clock.step(1000);
    t.stop.abort();
    await t.clock.step(40_000);
    await run;
    expect(abortedAt).toBe(31_000);
    expect(t.clock.pending).toBe(0);
  });

  it('fails when a reconcile outlives that too, so that the lease is not released meanwhile', async () => {
    const t = setUp({ workers: 2, reconcile: () => new Promise(() => undefined) });
    const run = t.start();
    t.source.synced().add('a');
    t.source.add('b');
    await t.clock.settle();
    t.stop.abort();
    await t.clock.step(34_999);
    await t.clock.step(1);
    await expect(run).rejects.toBeInstanceOf(ControllerNotStopped);
    await expect(run).rejects.toMatchObject({
      name: 'ControllerNotStopped',
      message: 'reconciles of test-controller did not stop: ns/a, ns/b',
    });
  });

  it('does not begin a key whose turn comes after the stop, and waits for no such key', async () => {
    const turn = Promise.withResolvers<void>();
    const turns = Object.assign(new EventLoopTurns(), { next: () => turn.promise });
    const seen: string[] = [];
    const t = setUp({ reconcile: (key) => (seen.push(key.name), settled), options: { turns } });
    const run = t.start();
    t.source.synced().add('a');
    await t.clock.settle();
    expect(t.runner.queue.running).toBe(1);
    t.stop.abort();
    await t.clock.settle();
    turn.resolve();
    await t.clock.settle();
    await run;
    expect([seen, t.clock.pending]).toEqual([[], 0]);
  });
});

describe('EventLoopTurns', () => {
  it('gives every waiter a turn of its own, in order', async () => {
    const turns = new EventLoopTurns();
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    const seen: [number, number][] = [];
    await Promise.all([0, 1, 2, 3].map((waiter) => turns.next().then(() => seen.push([waiter, turn]))));
    counting = false;
    expect(seen.map(([waiter]) => waiter)).toEqual([0, 1, 2, 3]);
    expect(new Set(seen.map(([, at]) => at)).size).toBe(4);
  });
});

describe('the log', () => {
  const controller = 'test-controller';
  /** Returns the lines of a run in which one key is reconciled once, except for those of its begin and end. */
  const linesOf = async (reconcile: Given['reconcile'], options: Given['options'] = {}) => {
    const t = setUp({ reconcile, options });
    const run = t.start();
    t.source.synced().add('a');
    await t.clock.step(4);
    t.stop.abort();
    await t.clock.step(60_000);
    await run;
    const { lines } = t.logger;
    expect(lines[0]).toEqual({ level: 'info', fields: { controller, workers: 1 }, message: 'Started the controller' });
    expect(lines.at(-1)).toEqual({ level: 'info', fields: { controller }, message: 'Stopped the controller' });
    return lines.slice(1, -1);
  };

  it('has no line for a settled reconcile', async () => {
    expect(await linesOf(() => settled)).toEqual([]);
  });

  it.each<{ name: string; error: Error; level: string; message: string }>([
    { name: 'Error', error: new Error('x'), level: 'error', message: 'Reconcile failed; retrying' },
    {
      name: 'refusal',
      error: new ApiError('no', { kind: 'Forbidden' }),
      level: 'error',
      message: 'Reconcile failed; retrying',
    },
    { name: 'conflict', error: new ApiError('modified', { kind: 'Conflict' }), level: 'debug', message: 'Retrying reconcile' },
    {
      name: 'call that was aborted',
      error: new ApiError('off', { kind: 'Aborted' }),
      level: 'debug',
      message: 'Retrying reconcile',
    },
  ])('has for a $name a line of level $level', async ({ error, level, message }) => {
    const line = { level, fields: { controller, key: 'ns/a', retries: 0, error }, message };
    expect(await linesOf(() => retry(error))).toEqual([line]);
    expect(
      await linesOf(() => {
        throw error;
      }),
    ).toEqual([line]);
  });

  it('has for a panic a line of its own, before that of the retry', async () => {
    const error = new TypeError('x is undefined');
    const lines = await linesOf(() => {
      throw error;
    });
    expect(lines).toEqual([
      { level: 'error', fields: { controller, key: 'ns/a', error }, message: 'Reconcile panicked' },
      { level: 'error', fields: { controller, key: 'ns/a', retries: 0, error }, message: 'Reconcile failed; retrying' },
    ]);
  });

  it('reports no failure for a reconcile that a stop aborted', async () => {
    let reason: unknown;
    const lines = await linesOf(
      (_key, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(new Error('cut off'));
          });
        }),
      { stopGrace: seconds(1) },
    );
    expect(reason).toMatchObject({ name: 'AbortError', message: 'the controller is stopped' });
    expect(lines).toEqual([
      { level: 'warn', fields: { controller, keys: ['ns/a'] }, message: 'Aborting reconciles at the end of the grace time' },
      {
        level: 'debug',
        fields: { controller, key: 'ns/a', retries: 0, error: new Error('cut off') },
        message: 'Retrying reconcile',
      },
    ]);
  });

  it('reports a reconcile that continues after its time, and only such a one', async () => {
    const ends = Promise.withResolvers<Outcome>();
    const reasons: unknown[] = [];
    const t = setUp({
      workers: 2,
      reconcile: (key, signal) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          if (key.name === 'obedient') obeys.resolve(settled);
        });
        const obeys = Promise.withResolvers<Outcome>();
        return key.name === 'obedient' ? obeys.promise : ends.promise;
      },
      options: { reconcileTimeout: seconds(10) },
    });
    const run = t.start();
    t.source.synced().add('obedient');
    t.source.add('deaf');
    await t.clock.step(10_000);
    const reason = { name: 'TimeoutError', message: 'the reconcile took longer than 10000 ms' };
    expect([reasons, t.clock.pending]).toMatchObject([[reason, reason], 1]);
    await t.clock.step(5000);
    const message = 'Reconcile continues after its signal aborted; its key stays locked';
    expect(t.logger.lines.slice(1)).toEqual([{ level: 'error', fields: { controller, key: 'ns/deaf' }, message }]);
    ends.resolve(settled);
    t.stop.abort();
    await run;
    expect(t.clock.pending).toBe(0);
  });

  it.each([
    { object: { kind: 'Pod', metadata: { name: 'a', namespace: 'ns' } }, named: 'Pod ns/a' },
    { object: { kind: 'Node', metadata: { name: 'n1' } }, named: 'Node /n1' },
    { object: { metadata: { name: 'a', namespace: 'ns' } }, named: ' ns/a' },
  ])('names $named when a filter throws for it', async ({ object, named }) => {
    const error = new TypeError('labels is null');
    const t = setUp({
      reconcile: () => settled,
      toKeys: () => {
        throw error;
      },
    });
    const run = t.start();
    t.source.send({ kind: 'Deleted', object });
    expect(t.logger.lines).toEqual([{ level: 'error', fields: { controller, object: named, error }, message: 'Event filter panicked' }]);
    t.stop.abort();
    await run;
  });
});

describe('the metrics', () => {
  it('count the running and the maximum workers, and how many seconds each reconcile took', async () => {
    const counted: unknown[] = [];
    const note =
      (name: string) =>
      (...values: unknown[]) =>
        void counted.push([name, ...values].join(' '));
    const metrics = {
      reconciled: note('reconciled'),
      gaveUp: note('gave up'),
      panicked: note('panicked'),
      heldBack: note('held back'),
      activeWorkers: note('active'),
      maxConcurrent: note('most'),
    };
    const outcomes = [settled, requeue(seconds(60))];
    const t = setUp({
      workers: 2,
      reconcile: async () => {
        const outcome = outcomes.shift() ?? settled;
        await t.clock.sleep(seconds(outcome.kind === 'Settled' ? 1.5 : 3));
        return outcome;
      },
      options: { metrics },
    });
    await t.clock.step(1000);
    const run = t.start();
    t.source.synced().add('a');
    t.source.add('b');
    await t.clock.step(3000);
    expect(counted).toEqual([
      'most 2',
      'active 0',
      'active 1',
      'active 2',
      'reconciled success 1.5',
      'active 1',
      'reconciled requeue_after 3',
      'active 0',
    ]);
    t.stop.abort();
    await run;
  });

  it('include those of its queue', async () => {
    const counted: string[] = [];
    const note = (name: string) => (value?: number) => void counted.push(value === undefined ? name : `${name} ${value}`);
    const queueMetrics = {
      depth: note('depth'),
      added: note('added'),
      retried: note('retried'),
      queueSeconds: note('waited'),
      workSeconds: note('worked'),
    };
    const t = setUp({ reconcile: () => settled, options: { queueMetrics } });
    const run = t.start();
    t.source.synced().add('a');
    await t.clock.settle();
    expect(counted).toEqual(['added', 'depth 1', 'waited 0', 'depth 0', 'worked 0']);
    t.stop.abort();
    await run;
  });

  it('are optional', async () => {
    const outcomes = [settled, requeue(milliseconds(1)), giveUp(new Error('hopeless')), retry(new Error('x'))];
    let runs = 0;
    const source = new HandSource().synced();
    const toKeys = (): never => {
      throw new TypeError('labels is null');
    };
    const definition: ControllerDefinition = {
      name: 'test-controller',
      workers: 1,
      watches: [watch(source, toKeys)],
      reconcile: async () => {
        const outcome = outcomes[runs++];
        if (outcome === undefined) throw new TypeError('x is undefined');
        return outcome;
      },
    };
    const [clock, logger] = [new FakeClock(), silentLogger()];
    const runner = new ControllerRunner(definition, { clock, logger });
    const stop = new AbortController();
    const run = runner.run(stop.signal);
    source.add('a');
    for (let round = 0; round < 5; round++) {
      runner.enqueue({ namespace: 'ns', name: `${round}` });
      await clock.settle();
    }
    expect([runs, logger.lines.filter((line) => line.level === 'error').map((line) => line.message)]).toEqual([
      5,
      [
        'Event filter panicked',
        'Reconcile failed; waiting for a change',
        'Reconcile failed; retrying',
        'Reconcile panicked',
        'Reconcile failed; retrying',
      ],
    ]);
    stop.abort();
    await run;
  });
});
