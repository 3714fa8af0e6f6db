import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { orAborted, rejection, untilAborted } from './until-aborted.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each([
  { name: 'untilAborted', wait: untilAborted, end: 'resolved' },
  { name: 'rejection', wait: rejection, end: 'rejected with the reason' },
])('$name', ({ wait, end }) => {
  const reason = new Error('enough');
  const ends = async (signal: AbortSignal): Promise<string[]> => {
    const seen: string[] = [];
    wait(signal).then(
      () => seen.push('resolved'),
      (error: unknown) => seen.push(error === reason ? 'rejected with the reason' : `rejected with ${String(error)}`),
    );
    await nextTurn();
    return seen;
  };

  it(`is ${end} when the signal aborts, not before, and leaves no listener on it`, async () => {
    const stop = new AbortController();
    const seen = await ends(stop.signal);
    expect([seen, getEventListeners(stop.signal, 'abort').length]).toEqual([[], 1]);
    stop.abort(reason);
    await nextTurn();
    expect([seen, getEventListeners(stop.signal, 'abort').length]).toEqual([[end], 0]);
  });

  it(`is ${end} immediately when the signal has aborted`, async () => {
    const stop = new AbortController();
    stop.abort(reason);
    expect([await ends(stop.signal), getEventListeners(stop.signal, 'abort').length]).toEqual([[end], 0]);
  });
});

describe('orAborted', () => {
  const reason = new Error('over');

  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(orAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  });

  it.each(['before', 'meanwhile'])(
    'rejects with the reason of a signal that aborts %s, and ignores the rejection of the work',
    async (when) => {
      const controller = new AbortController();
      const { promise, reject } = Promise.withResolvers<never>();
      if (when === 'before') controller.abort(reason);
      const waiting = orAborted(promise, controller.signal);
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      reject(new Error('nobody listens'));
      // An unhandled rejection would end the process.
      await nextTurn();
    },
  );
});
