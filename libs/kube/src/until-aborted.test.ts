import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { rejection, untilAborted } from './until-aborted.ts';

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

  it(`is ${end} when the signal aborts, not before, and leaves nothing on it`, async () => {
    const stop = new AbortController();
    const seen = await ends(stop.signal);
    expect([seen, getEventListeners(stop.signal, 'abort').length]).toEqual([[], 1]);
    stop.abort(reason);
    await nextTurn();
    expect([seen, getEventListeners(stop.signal, 'abort').length]).toEqual([[end], 0]);
  });

  it(`is ${end} at once when the signal has aborted`, async () => {
    const stop = new AbortController();
    stop.abort(reason);
    expect([await ends(stop.signal), getEventListeners(stop.signal, 'abort').length]).toEqual([[end], 0]);
  });
});
