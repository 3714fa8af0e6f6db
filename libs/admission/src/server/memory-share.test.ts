import { describe, expect, it } from '@jest/globals';
import { MemoryShare } from './memory-share.ts';

const share = (): MemoryShare => new MemoryShare({ bytes: 100, smallBytes: 10, requests: 3 });

describe('the memory of requests', () => {
  it('is given up to the limit, and to small ones beyond it', () => {
    const all = share();
    const [large, other] = [all.open(), all.open()];
    expect([large?.grow(60), large?.grow(40), large?.grow(1)]).toEqual([true, true, false]);
    expect([other?.grow(10), other?.grow(1)]).toEqual([true, false]);
  });

  it('is given to others once a request has ended', () => {
    const all = share();
    const [large, other] = [all.open(), all.open()];
    large?.grow(100);
    expect(other?.grow(50)).toBe(false);
    large?.release();
    expect([other?.grow(50), other?.grow(50), other?.grow(1)]).toEqual([true, true, false]);
  });

  it('counts nothing of what it refused', () => {
    const all = share();
    const one = all.open();
    expect([one?.grow(101), one?.grow(100)]).toEqual([false, true]);
    one?.release();
    expect(all.open()?.grow(100)).toBe(true);
  });

  it('is given to one holder up to its part, small ones beyond it, and the rest to others', () => {
    const all = new MemoryShare({ bytes: 100, smallBytes: 10, requests: 9, holderBytes: 50 });
    const [one, small, other] = [all.open('a'), all.open('a'), all.open('b')];
    expect([one?.grow(50), one?.grow(1), small?.grow(10), small?.grow(1)]).toEqual([true, false, true, false]);
    expect([other?.grow(40), other?.grow(1)]).toEqual([true, false]);
    one?.release();
    expect(small?.grow(40)).toBe(true);
  });

  it('is limited to a number of requests of one holder, whose bytes are dropped with the last of them', () => {
    const all = new MemoryShare({ bytes: 100, smallBytes: 10, requests: 9, holderBytes: 50, holderRequests: 2 });
    const held = [all.open('a'), all.open('a')];
    held[0]?.grow(50);
    expect([all.open('a') === undefined, all.open('b') === undefined]).toEqual([true, false]);
    for (const one of held) one?.release();
    expect(all.open('a')?.grow(50)).toBe(true);
  });

  it('is limited to a number of parallel requests', () => {
    const all = share();
    const held = [all.open(), all.open(), all.open()];
    expect(all.open()).toBeUndefined();
    held[0]?.release();
    expect([all.open() === undefined, all.open() === undefined]).toEqual([false, true]);
  });
});
