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
  return { clock, told, change, fill: () => void (ready = true) };
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
});
