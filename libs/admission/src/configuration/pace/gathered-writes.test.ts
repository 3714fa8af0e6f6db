import { describe, expect, it } from '@jest/globals';
import { GatheredWrites } from './gathered-writes.ts';

const signal = new AbortController().signal;

/** Returns writes that end when the test ends them. */
function fixtureOf() {
  const written: (readonly string[])[] = [];
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const writes = new GatheredWrites<string>((items) => {
    written.push(items);
    return new Promise((resolve, reject) => ends.push({ resolve, reject }));
  });
  return { writes, written, ends };
}

describe('GatheredWrites', () => {
  it('combines what is requested while a write is in progress', async () => {
    const { writes, written, ends } = fixtureOf();
    const first = writes.ask(['a'], signal);
    const others = ['b', 'c', 'd'].map((item) => writes.ask([item], signal));
    expect(written).toEqual([['a']]);
    ends[0]?.resolve();
    await first;
    expect(written).toEqual([['a'], ['b', 'c', 'd']]);
    ends[1]?.resolve();
    await Promise.all(others);
    const later = writes.ask(['e'], signal);
    expect(written.at(-1)).toEqual(['e']);
    ends[2]?.resolve();
    await later;
  });

  it('reports a failure to every caller, and continues with the next', async () => {
    const { writes, ends } = fixtureOf();
    const failing = writes.ask(['a'], signal);
    const next = writes.ask(['b'], signal);
    ends[0]?.reject(new Error('no'));
    await expect(failing).rejects.toThrow('no');
    ends[1]?.resolve();
    await next;
  });

  it('releases a caller whose time has passed, and omits its items', async () => {
    const { writes, written, ends } = fixtureOf();
    const stop = new AbortController();
    const first = writes.ask(['a'], signal);
    const impatient = writes.ask(['b'], stop.signal);
    const last = writes.ask(['c'], signal);
    stop.abort(new Error('too late'));
    await expect(impatient).rejects.toThrow('too late');
    ends[0]?.resolve();
    await first;
    expect(written).toEqual([['a'], ['c']]);
    ends[1]?.resolve();
    await last;
  });
});
