import { describe, expect, it } from '@jest/globals';
import { earliest, formatMicroTime, formatTime, instant, parseTime, seconds, shortest } from './time.ts';

describe('times as Kubernetes writes them', () => {
  it.each([
    [0, '1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
    [1_767_323_045_999, '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.999000Z'],
    [1_767_323_045_001, '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.001000Z'],
  ])('%i is %s, and %s in microseconds', (at, whole, micro) => {
    expect([formatTime(instant(at)), formatMicroTime(instant(at))]).toEqual([whole, micro]);
    expect(parseTime(micro)).toBe(at);
  });

  it.each([
    ['2026-01-02T03:04:05Z', 1_767_323_045_000],
    ['2026-01-02T04:04:05+01:00', 1_767_323_045_000],
    ['1970-01-01T00:00:00Z', 0],
    ['', undefined],
    ['then', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('%j is read as %p', (text, at) => {
    expect(parseTime(text)).toBe(at);
  });

  it('differ in milliseconds, also for integers that exceed a number', () => {
    expect([seconds(1.5), seconds(9007199254740993n as never)]).toEqual([1500, 9007199254740992000]);
  });
});

describe('of several lengths of time', () => {
  it.each<[readonly (number | undefined)[], number | undefined]>([
    [[], undefined],
    [[undefined, undefined], undefined],
    [[3], 3],
    [[3, 1, 2], 1],
    [[undefined, 2, undefined, 5], 2],
    [[5, 0, undefined], 0],
    [[1, -1], -1],
  ])('%j: the shortest is %p', (lengths, least) => {
    expect(shortest(lengths)).toBe(least);
    expect(earliest(lengths)).toStrictEqual(least === undefined ? {} : { requeueAfter: least });
  });
});
