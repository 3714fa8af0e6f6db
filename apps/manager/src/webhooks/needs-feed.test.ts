import { describe, expect, it } from '@jest/globals';
import type { HandlerNeeds, Narrowing, RequestNeed } from '@kruise/admission';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { NeedsFeed } from './needs-feed.ts';

const need = (reason: string): RequestNeed => ({ reason });

function feedOf(
  first: readonly string[],
  isReady = true,
): {
  readonly clock: FakeClock;
  readonly told: string[];
  readonly change: (...reasons: string[]) => void;
  /** Changes without a word, as a cache does before it tells. */
  readonly turn: (...reasons: string[]) => void;
  readonly fill: () => void;
} {
  let reasons = first;
  let ready = isReady;
  let changed = (): void => undefined;
  const source: HandlerNeeds = {
    webhook: 'w',
    isReady: () => ready,
    current: () => ({ needs: reasons.map(need) }),
    watch: (listener) => {
      changed = listener;
    },
  };
  const clock = new FakeClock();
  const told: string[] = [];
  new NeedsFeed([source], clock, (narrowing: Narrowing) =>
    told.push((narrowing['w']?.needs ?? []).map(({ reason }) => reason).join()),
  ).start();
  const change = (...next: string[]): void => {
    reasons = next;
    changed();
  };
  return { clock, told, change, turn: (...next) => void (reasons = next), fill: () => void (ready = true) };
}

describe('the feed of needs', () => {
  it('tells the first state', () => {
    expect(feedOf(['a']).told).toEqual(['a']);
  });

  it('waits for the caches', async () => {
    const { clock, told, change, fill } = feedOf(['a'], false);
    change('a', 'b');
    await clock.step(milliseconds(1000));
    expect(told).toEqual([]);
    fill();
    await clock.step(milliseconds(50));
    expect(told).toEqual(['a,b']);
  });

  it('tells more at once, and less after a moment', async () => {
    const { clock, told, change } = feedOf(['a']);
    change('a', 'b');
    await clock.step(milliseconds(10));
    expect(told).toEqual(['a', 'a,b']);
    change('b');
    await clock.step(milliseconds(299));
    expect(told).toEqual(['a', 'a,b']);
    await clock.step(milliseconds(20));
    expect(told).toEqual(['a', 'a,b', 'b']);
  });

  it('says nothing when what became less is as it was by the time that it would be told', async () => {
    const { clock, told, change, turn } = feedOf(['a', 'b']);
    change('a');
    await clock.step(milliseconds(10));
    turn('a', 'b');
    await clock.step(milliseconds(300));
    expect(told).toEqual(['a,b']);
  });

  it('looks once at changes that come together, and waits for nothing when nothing is other than it was', async () => {
    const clock = new FakeClock();
    let [looks, changed] = [0, (): void => undefined];
    const source: HandlerNeeds = {
      webhook: 'w',
      isReady: () => true,
      current: () => (looks++, { needs: [need('a')] }),
      watch: (listener) => void (changed = listener),
    };
    const told: Narrowing[] = [];
    new NeedsFeed([source], clock, (narrowing) => told.push(narrowing)).start();
    const before = looks;
    changed();
    changed();
    await clock.step(milliseconds(10));
    expect([looks - before, clock.pending, told.length]).toEqual([1, 0, 1]);
  });

  it('tells of one webhook that needs more beside another that does not', async () => {
    const clock = new FakeClock();
    let second: readonly string[] = [];
    let changed = (): void => undefined;
    const sourceOf = (webhook: string, reasons: () => readonly string[]): HandlerNeeds => ({
      webhook,
      isReady: () => true,
      current: () => ({ needs: reasons().map(need) }),
      watch: (listener) => void (changed = listener),
    });
    const told: Narrowing[] = [];
    new NeedsFeed([sourceOf('v', () => ['a']), sourceOf('w', () => second)], clock, (narrowing) => told.push(narrowing)).start();
    second = ['b'];
    changed();
    await clock.step(milliseconds(10));
    expect(told.at(-1)).toEqual({ v: { needs: [need('a')] }, w: { needs: [need('b')] } });
  });

  it('keeps what goes while it tells what comes', async () => {
    const { clock, told, change } = feedOf(['a']);
    change('b');
    await clock.step(milliseconds(10));
    expect(told).toEqual(['a', 'b,a']);
    await clock.step(milliseconds(310));
    expect(told).toEqual(['a', 'b,a', 'b']);
  });

  it('says nothing of what went and came back', async () => {
    const { clock, told, change } = feedOf(['a', 'b']);
    change('a');
    await clock.step(milliseconds(100));
    change('a', 'b');
    await clock.step(milliseconds(1000));
    expect(told).toEqual(['a,b']);
  });

  it('takes together what changes together', async () => {
    const { clock, told, change } = feedOf(['a']);
    change('a', 'b');
    await clock.step(milliseconds(9));
    change('a', 'b', 'c');
    expect(told).toEqual(['a']);
    await clock.step(milliseconds(1));
    expect(told).toEqual(['a', 'a,b,c']);
  });

  it('waits for less anew with each change', async () => {
    const { clock, told, change } = feedOf(['a', 'b', 'c']);
    change('a', 'b');
    await clock.step(milliseconds(200));
    change('a');
    await clock.step(milliseconds(290));
    expect(told).toEqual(['a,b,c']);
    await clock.step(milliseconds(30));
    expect(told).toEqual(['a,b,c', 'a']);
  });

  it('says nothing of another order', async () => {
    const { clock, told, change } = feedOf(['a', 'b']);
    change('b', 'a');
    await clock.step(milliseconds(100));
    expect(told).toEqual(['a,b']);
  });

  it('says nothing once it has ended, not even the first state', async () => {
    const ended = new AbortController();
    const told: unknown[] = [];
    let changed = (): void => undefined;
    let reasons = ['a'];
    const source: HandlerNeeds = {
      webhook: 'w',
      isReady: () => true,
      current: () => ({ needs: reasons.map(need) }),
      watch: (listener) => void (changed = listener),
    };
    const clock = new FakeClock();
    new NeedsFeed([source], clock, (narrowing) => told.push(narrowing), ended.signal).start();
    expect(told).toEqual([{ w: { needs: [need('a')] } }]);
    ended.abort();
    reasons = ['a', 'b'];
    changed();
    await clock.step(milliseconds(1000));
    expect(told).toHaveLength(1);
    new NeedsFeed([source], clock, (narrowing) => told.push(narrowing), ended.signal).start();
    expect(told).toHaveLength(1);
  });

  it('asks for the caches no longer once it has ended', async () => {
    const ended = new AbortController();
    let asked = 0;
    const source: HandlerNeeds = { webhook: 'w', isReady: () => asked++ < 0, current: () => ({ needs: [] }), watch: () => undefined };
    const clock = new FakeClock();
    new NeedsFeed([source], clock, () => undefined, ended.signal).start();
    await clock.step(milliseconds(50));
    expect(asked).toBe(2);
    ended.abort();
    await clock.step(milliseconds(1000));
    expect(asked).toBe(2);
  });

  it('tells of several webhooks together, once all their caches are filled', async () => {
    let isFilled = false;
    const sourceOf = (webhook: string, isReady: () => boolean): HandlerNeeds => ({
      webhook,
      isReady,
      current: () => ({ needs: [need(webhook)] }),
      watch: () => undefined,
    });
    const clock = new FakeClock();
    const told: unknown[] = [];
    new NeedsFeed([sourceOf('v', () => true), sourceOf('w', () => isFilled)], clock, (narrowing) => told.push(narrowing)).start();
    expect(told).toEqual([]);
    isFilled = true;
    await clock.step(milliseconds(50));
    expect(told).toEqual([{ v: { needs: [need('v')] }, w: { needs: [need('w')] } }]);
  });
});
