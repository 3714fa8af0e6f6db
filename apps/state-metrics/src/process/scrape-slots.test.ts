import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exporterLimits } from '@kruise/objects';
import { ScrapeSlots } from './scrape-slots.ts';

/** A response whose client reads as the test says. */
class FakeResponse extends EventEmitter {
  destroyed = false;
  writableNeedDrain = true;
  readonly socket = { bytesWritten: 0 };
  readonly written = Promise.withResolvers<void>();
  constructor() {
    super();
    this.written.promise.catch(() => undefined);
  }
  reads(bytes: number): void {
    this.socket.bytesWritten += bytes;
  }
  destroy(): this {
    this.destroyed = true;
    this.emit('close');
    this.written.reject(new Error('closed'));
    return this;
  }
}

const { value: slots } = exporterLimits.scrapes;
const inTwoSeconds = exporterLimits.scrapeRate.value * 2;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** As many responses as there are slots, and their ends. */
function fill(scrapes: ScrapeSlots): readonly FakeResponse[] {
  return Array.from({ length: slots }, (_, at) => {
    const response = new FakeResponse();
    void scrapes.run(`10.0.0.${at}`, response, () => response.written.promise).catch(() => undefined);
    return response;
  });
}

const closed = (responses: readonly FakeResponse[]): readonly number[] => responses.flatMap(({ destroyed }, at) => (destroyed ? [at] : []));

/** A request that waits. @returns whether it was written */
function request(scrapes: ScrapeSlots): { readonly response: FakeResponse; readonly wasWritten: () => boolean } {
  const response = new FakeResponse();
  let written = false;
  void scrapes
    .run('10.1.0.1', response, async () => {
      written = true;
    })
    .catch(() => undefined);
  return { response, wasWritten: () => written };
}

describe('responses to /metrics', () => {
  it('are written although clients do not read, as long as no other request waits', async () => {
    const running = fill(new ScrapeSlots());
    await jest.advanceTimersByTimeAsync(29_000);
    expect(closed(running)).toEqual([]);
  });

  it('give way to a waiting request when their client reads least and less than the rate', async () => {
    const scrapes = new ScrapeSlots();
    const running = fill(scrapes);
    await jest.advanceTimersByTimeAsync(10_000);
    const waiting = request(scrapes);
    running.forEach((response, at) => response.reads(at * 1000));
    running[0]!.reads(inTwoSeconds);
    await jest.advanceTimersByTimeAsync(2000);
    expect(closed(running)).toEqual([1]);
    expect(waiting.wasWritten()).toBe(true);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(closed(running)).toEqual([1]);
  });

  it.each<{ name: string; act: (response: FakeResponse) => void }>([
    { name: 'their clients read at the rate', act: (response) => response.reads(inTwoSeconds) },
    {
      name: 'this process has not written more',
      act: (response) => {
        response.writableNeedDrain = false;
      },
    },
  ])('are not given up when $name', async ({ act }) => {
    const scrapes = new ScrapeSlots();
    const running = fill(scrapes);
    const waiting = request(scrapes);
    for (let check = 0; check < 5; check++) {
      running.forEach(act);
      await jest.advanceTimersByTimeAsync(2000);
    }
    expect(closed(running)).toEqual([]);
    expect(waiting.wasWritten()).toBe(false);
    running[0]!.written.resolve();
    await jest.advanceTimersByTimeAsync(0);
    expect(waiting.wasWritten()).toBe(true);
  });

  it('are not given up before they had the time of a check', async () => {
    const scrapes = new ScrapeSlots();
    const running = fill(scrapes);
    const late = new FakeResponse();
    void scrapes.run('10.1.0.2', late, () => late.written.promise).catch(() => undefined);
    const waiting = request(scrapes);
    await jest.advanceTimersByTimeAsync(1900);
    running[0]!.written.resolve();
    const readAll = (): void => running.forEach((response) => response.reads(inTwoSeconds));
    readAll();
    await jest.advanceTimersByTimeAsync(200);
    expect([late.destroyed, waiting.wasWritten()]).toEqual([false, false]);
    readAll();
    await jest.advanceTimersByTimeAsync(2000);
    expect([late.destroyed, waiting.wasWritten()]).toEqual([true, true]);
  });

  it('are not written for a client that has left while it waited', async () => {
    const scrapes = new ScrapeSlots();
    const running = fill(scrapes);
    const gone = request(scrapes);
    gone.response.destroy();
    const closedBefore = new FakeResponse();
    closedBefore.destroyed = true;
    await expect(scrapes.run('10.1.0.3', closedBefore, async () => undefined)).rejects.toThrow();
    running[0]!.written.resolve();
    await jest.advanceTimersByTimeAsync(5000);
    expect(gone.wasWritten()).toBe(false);
    expect(closed(running)).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
