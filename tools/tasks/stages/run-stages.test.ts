import { describe, expect, it } from '@jest/globals';
import { runStages, type Stage } from './run-stages.ts';
import { countOnly, failedStep, type Report } from './tally.ts';

const passed = (count: number): Report => countOnly({ passed: count, failed: 0, skipped: 0 });
const never = new AbortController().signal;

/** A stage that ends when the test says how, or when it is aborted, and keeps what happened in `log`. */
function stageOf(name: string, log: string[], more: Partial<Stage> = {}) {
  const { promise, resolve } = Promise.withResolvers<Report>();
  const stage: Stage = {
    ...more,
    name,
    run: (signal) => {
      log.push(`${name} starts`);
      signal.addEventListener('abort', () => {
        log.push(`${name} is aborted`);
        resolve(failedStep(name, 'it was aborted'));
      });
      return promise;
    },
  };
  return { stage, end: resolve };
}

/** Lets everything run that waits for nothing but promises. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the stages of a run', () => {
  it('start one after the other', async () => {
    const log: string[] = [];
    const [a, b] = [stageOf('a', log), stageOf('b', log)];
    const report = runStages([a.stage, b.stage], { keepGoing: false }, never);
    await settled();
    expect(log).toEqual(['a starts']);
    a.end(passed(1));
    await settled();
    expect(log).toEqual(['a starts', 'b starts']);
    b.end(passed(2));
    expect((await report).tally).toEqual({ passed: 3, failed: 0, skipped: 0 });
  });

  it('start beside one that leaves room, except for a stage that runs alone', async () => {
    const log: string[] = [];
    const room = Promise.withResolvers<void>();
    const [a, b, c] = [stageOf('a', log, { leavesRoom: room.promise }), stageOf('b', log), stageOf('c', log, { isAlone: true })];
    const report = runStages([a.stage, b.stage, c.stage], { keepGoing: false }, never);
    await settled();
    expect(log).toEqual(['a starts']);
    room.resolve();
    await settled();
    expect(log).toEqual(['a starts', 'b starts']);
    b.end(passed(1));
    await settled();
    expect(log).toEqual(['a starts', 'b starts']);
    a.end(passed(1));
    await settled();
    expect(log).toEqual(['a starts', 'b starts', 'c starts']);
    c.end(passed(1));
    expect((await report).tally.passed).toBe(3);
  });

  it('start beside one that runs alone, once it leaves room', async () => {
    const log: string[] = [];
    const room = Promise.withResolvers<void>();
    const [a, b] = [stageOf('a', log, { leavesRoom: Promise.resolve() }), stageOf('b', log, { isAlone: true, leavesRoom: room.promise })];
    const c = stageOf('c', log);
    const report = runStages([a.stage, b.stage, c.stage], { keepGoing: false }, never);
    await settled();
    expect(log).toEqual(['a starts']);
    a.end(passed(1));
    await settled();
    expect(log).toEqual(['a starts', 'b starts']);
    room.resolve();
    await settled();
    expect(log).toEqual(['a starts', 'b starts', 'c starts']);
    for (const { end } of [b, c]) end(passed(1));
    expect((await report).tally.passed).toBe(3);
  });

  it.each([
    { failing: 'a', then: ['a starts', 'b starts', 'b is aborted'] },
    { failing: 'b', then: ['a starts', 'b starts', 'a is aborted'] },
  ])('are ended, and report nothing, when $failing fails beside them', async ({ failing, then }) => {
    const log: string[] = [];
    const ended: string[] = [];
    const stages = { a: stageOf('a', log, { leavesRoom: Promise.resolve() }), b: stageOf('b', log), c: stageOf('c', log) };
    const all = Object.values(stages).map(({ stage }) => stage);
    const report = runStages(all, { keepGoing: false, onEnd: (name) => ended.push(name) }, never);
    await settled();
    stages[failing as 'a' | 'b'].end(failedStep(failing, 'wrong'));
    const { failures } = await report;
    expect(failures.map(({ name }) => name)).toEqual([failing]);
    expect(ended).toEqual([failing]);
    expect(log.filter((line) => line !== `${failing} is aborted`)).toEqual(then);
  });

  it('all run with keepGoing', async () => {
    const log: string[] = [];
    const [a, b] = [stageOf('a', log, { leavesRoom: Promise.resolve() }), stageOf('b', log)];
    const report = runStages([a.stage, b.stage], { keepGoing: true }, never);
    a.end(failedStep('a', 'wrong'));
    await settled();
    b.end(passed(1));
    expect((await report).tally).toEqual({ passed: 1, failed: 1, skipped: 0 });
    expect(log).toEqual(['a starts', 'b starts']);
  });

  it('are all ended by the signal, and none starts after it', async () => {
    const log: string[] = [];
    const stop = new AbortController();
    const [a, b, c] = [stageOf('a', log, { leavesRoom: Promise.resolve() }), stageOf('b', log), stageOf('c', log)];
    const ended: string[] = [];
    const report = runStages([a.stage, b.stage, c.stage], { keepGoing: true, onEnd: (name) => ended.push(name) }, stop.signal);
    await settled();
    stop.abort();
    expect((await report).failures.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(ended).toEqual([]);
    expect(log).toEqual(['a starts', 'b starts', 'a is aborted', 'b is aborted']);
  });

  it('pass on what a stage throws, unless another stage has failed', async () => {
    const throws: Stage = { name: 'a', run: () => Promise.reject(new Error('broken')) };
    await expect(runStages([throws], { keepGoing: false }, never)).rejects.toThrow('broken');
  });
});
