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
  readonly published: string[];
  readonly change: (...reasons: string[]) => void;
  /** Changes without notifying the listener, as a cache does before it calls its handlers. */
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
  const published: string[] = [];
  new NeedsFeed([source], clock, (narrowing: Narrowing) =>
    published.push((narrowing['w']?.needs ?? []).map(({ reason }) => reason).join()),
  ).start();
  const change = (...next: string[]): void => {
    reasons = next;
    changed();
  };
  return { clock, published, change, turn: (...next) => void (reasons = next), fill: () => void (ready = true) };
}

describe('the feed of needs', () => {
  it('publishes the first state', () => {
    expect(feedOf(['a']).published).toEqual(['a']);
  });

  it('waits for the caches', async () => {
    const { clock, published, change, fill } = feedOf(['a'], false);
    change('a', 'b');
    await clock.step(milliseconds(1000));
    expect(published).toEqual([]);
    fill();
    await clock.step(milliseconds(50));
    expect(published).toEqual(['a,b']);
  });

  it('publishes added needs immediately, and removed needs after a delay', async () => {
    const { clock, published, change } = feedOf(['a']);
    change('a', 'b');
    await clock.step(milliseconds(10));
    expect(published).toEqual(['a', 'a,b']);
    change('b');
    await clock.step(milliseconds(299));
    expect(published).toEqual(['a', 'a,b']);
    await clock.step(milliseconds(20));
    expect(published).toEqual(['a', 'a,b', 'b']);
  });

  it('publishes nothing when a removed need has returned within the delay', async () => {
    const { clock, published, change, turn } = feedOf(['a', 'b']);
    change('a');
    await clock.step(milliseconds(10));
    turn('a', 'b');
    await clock.step(milliseconds(300));
    expect(published).toEqual(['a,b']);
  });

  it('reads the needs once for simultaneous changes, and starts no timer when nothing differs', async () => {
    const clock = new FakeClock();
    let [looks, changed] = [0, (): void => undefined];
    const source: HandlerNeeds = {
      webhook: 'w',
      isReady: () => true,
      current: () => (looks++, { needs: [need('a')] }),
      watch: (listener) => void (changed = listener),
    };
    const published: Narrowing[] = [];
    new NeedsFeed([source], clock, (narrowing) => published.push(narrowing)).start();
    const before = looks;
    changed();
    changed();
    await clock.step(milliseconds(10));
    expect([looks - before, clock.pending, published.length]).toEqual([1, 0, 1]);
  });

  it('publishes all webhooks when one of them needs more', async () => {
    const clock = new FakeClock();
    let second: readonly string[] = [];
    let changed = (): void => undefined;
    const sourceOf = (webhook: string, reasons: () => readonly string[]): HandlerNeeds => ({
      webhook,
      isReady: () => true,
      current: () => ({ needs: reasons().map(need) }),
      watch: (listener) => void (changed = listener),
    });
    const published: Narrowing[] = [];
    new NeedsFeed([sourceOf('v', () => ['a']), sourceOf('w', () => second)], clock, (narrowing) => published.push(narrowing)).start();
    second = ['b'];
    changed();
    await clock.step(milliseconds(10));
    expect(published.at(-1)).toEqual({ v: { needs: [need('a')] }, w: { needs: [need('b')] } });
  });

  it('keeps a removed need while it publishes an added one', async () => {
    const { clock, published, change } = feedOf(['a']);
    change('b');
    await clock.step(milliseconds(10));
    expect(published).toEqual(['a', 'b,a']);
    await clock.step(milliseconds(310));
    expect(published).toEqual(['a', 'b,a', 'b']);
  });

  it('publishes nothing for a need that was removed and added again', async () => {
    const { clock, published, change } = feedOf(['a', 'b']);
    change('a');
    await clock.step(milliseconds(100));
    change('a', 'b');
    await clock.step(milliseconds(1000));
    expect(published).toEqual(['a,b']);
  });

  it('combines simultaneous changes', async () => {
    const { clock, published, change } = feedOf(['a']);
    change('a', 'b');
    await clock.step(milliseconds(9));
    change('a', 'b', 'c');
    expect(published).toEqual(['a']);
    await clock.step(milliseconds(1));
    expect(published).toEqual(['a', 'a,b,c']);
  });

  it('restarts the delay of removed needs with each change', async () => {
    const { clock, published, change } = feedOf(['a', 'b', 'c']);
    change('a', 'b');
    await clock.step(milliseconds(200));
    change('a');
    await clock.step(milliseconds(290));
    expect(published).toEqual(['a,b,c']);
    await clock.step(milliseconds(30));
    expect(published).toEqual(['a,b,c', 'a']);
  });

  it('publishes nothing when only the order differs', async () => {
    const { clock, published, change } = feedOf(['a', 'b']);
    change('b', 'a');
    await clock.step(milliseconds(100));
    expect(published).toEqual(['a,b']);
  });

  it('publishes nothing after its end, not even the first state', async () => {
    const ended = new AbortController();
    const published: unknown[] = [];
    let changed = (): void => undefined;
    let reasons = ['a'];
    const source: HandlerNeeds = {
      webhook: 'w',
      isReady: () => true,
      current: () => ({ needs: reasons.map(need) }),
      watch: (listener) => void (changed = listener),
    };
    const clock = new FakeClock();
    new NeedsFeed([source], clock, (narrowing) => published.push(narrowing), ended.signal).start();
    expect(published).toEqual([{ w: { needs: [need('a')] } }]);
    ended.abort();
    reasons = ['a', 'b'];
    changed();
    await clock.step(milliseconds(1000));
    expect(published).toHaveLength(1);
    new NeedsFeed([source], clock, (narrowing) => published.push(narrowing), ended.signal).start();
    expect(published).toHaveLength(1);
  });

  it('stops polling the caches after its end', async () => {
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

  it('publishes several webhooks together, once all their caches are filled', async () => {
    let isFilled = false;
    const sourceOf = (webhook: string, isReady: () => boolean): HandlerNeeds => ({
      webhook,
      isReady,
      current: () => ({ needs: [need(webhook)] }),
      watch: () => undefined,
    });
    const clock = new FakeClock();
    const published: unknown[] = [];
    new NeedsFeed([sourceOf('v', () => true), sourceOf('w', () => isFilled)], clock, (narrowing) => published.push(narrowing)).start();
    expect(published).toEqual([]);
    isFilled = true;
    await clock.step(milliseconds(50));
    expect(published).toEqual([{ v: { needs: [need('v')] }, w: { needs: [need('w')] } }]);
  });
});
