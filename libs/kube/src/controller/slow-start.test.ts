import { describe, expect, it } from '@jest/globals';
import { slowStart } from './slow-start.ts';

async function run(count: number, failing: readonly number[]) {
  const timeline: string[] = [];
  let running = 0;
  const result = await slowStart(count, async (index) => {
    timeline.push(`${++running}`);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (failing.includes(index)) throw new Error(`task ${index}`);
  });
  return { ...result, order: timeline.join(' ') };
}

describe('slowStart', () => {
  it('runs batches of 1, 2, 4, ... until all is done', async () => {
    expect(await run(10, [])).toEqual({ succeeded: 10, started: 10, order: '1 1 2 1 2 3 4 1 2 3' });
    expect(await run(0, [])).toEqual({ succeeded: 0, started: 0, order: '' });
  });

  it('runs no more than 64 at a time, however large the batch', async () => {
    const { order, succeeded } = await run(1000, []);
    expect(succeeded).toBe(1000);
    expect(Math.max(...order.split(' ').map(Number))).toBe(64);
  });

  it('finishes a batch with a failure, begins no other, and returns the first failure', async () => {
    expect(await run(10, [0])).toMatchObject({ succeeded: 0, started: 1 });
    expect(await run(10, [4, 5, 9])).toMatchObject({ succeeded: 5, started: 7, failure: { error: new Error('task 4') } });
  });

  it('treats a task that throws synchronously as a failure', async () => {
    const result = await slowStart(3, () => {
      throw new Error('at once');
    });
    expect(result).toEqual({ succeeded: 0, started: 1, failure: { error: new Error('at once') } });
  });

  it('begins no further batch once its signal is aborted', async () => {
    const stop = new AbortController();
    const result = await slowStart(100, async (index) => (index === 1 ? stop.abort() : undefined), stop.signal);
    expect(result).toStrictEqual({ succeeded: 3, started: 3 });
  });
});
