import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration.ts';
import { randomSuffix } from '../hashes/random-suffix.ts';
import { compareResourceVersions } from '../metadata/resource-version.ts';
import { milliseconds } from './time.ts';

describe('durations', () => {
  it.each([
    ['0', 0, '0s'],
    ['1s', 1000, '1s'],
    ['1.5h', 5_400_000, '1h30m0s'],
    ['1h2m3s', 3_723_000, '1h2m3s'],
    ['-1m', -60_000, '-1m0s'],
    ['+5s', 5000, '5s'],
    ['300ms', 300, '300ms'],
    ['.5s', 500, '500ms'],
    ['1.5ms', 1.5, '1.5ms'],
    ['100us', 0.1, '100µs'],
    ['100µs', 0.1, '100µs'],
    ['7ns', 7e-6, '7ns'],
    ['100h', 360_000_000, '100h0m0s'],
    ['61s', 61_000, '1m1s'],
    ['1us', 0.001, '1µs'],
    ['1ms', 1, '1ms'],
    ['1000ms', 1000, '1s'],
    ['60s', 60_000, '1m0s'],
    ['60m', 3_600_000, '1h0m0s'],
    ['-0s', 0, '0s'],
    ['1s500ms', 1500, '1.5s'],
    ['1h1ms', 3_600_001, '1h0m0.001s'],
    [`${'0'.repeat(62)}1s`, 1000, '1s'],
  ])('%s', (text, length, written) => {
    const parsed = parseDuration(text);
    expect(parsed).toBeCloseTo(length, 9);
    expect(parsed === undefined ? undefined : formatDuration(parsed)).toBe(written);
  });

  it.each([
    '',
    '1',
    's',
    '1x',
    '1s ',
    ' 1s',
    '1s2',
    '1-s',
    '1s-1s',
    '--1s',
    '1.2.3s',
    '-',
    '.s',
    '1d',
    '300y',
    '9999999h',
    `${'1'.repeat(70)}s`,
    '9223372036854775808ns',
    `${'0'.repeat(63)}1s`,
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it("reach to the end of Go's own", () => {
    expect(parseDuration('9223372036854775807ns')).toBeCloseTo(9_223_372_036_854.775, 2);
  });

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (length) => {
        expect(parseDuration(formatDuration(milliseconds(length)))).toBe(length);
      }),
    );
  });
});

describe('compareResourceVersions', () => {
  it.each<[string | undefined, string | undefined, number | undefined]>([
    ['1', '2', -1],
    ['10', '9', 1],
    ['9', '10', -1],
    ['1', undefined, undefined],
    ['1', 'a', undefined],
    ['2', '1', 1],
    ['5', '5', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['0', '0', 0],
    ['', '1', undefined],
    ['a', '1', undefined],
    ['01', '1', undefined],
    [undefined, '1', undefined],
  ])('%j and %j: %j', (a, b, expected) => {
    const order = compareResourceVersions(a, b);
    expect(order === undefined ? undefined : Math.sign(order)).toBe(expected);
  });
});

it('creates suffixes from the given source', () => {
  expect(randomSuffix(() => 0)).toBe('bbbbb');
  expect(randomSuffix(() => 0.999_999)).toBe('99999');
  expect(randomSuffix(() => 0.5, 8)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{8}$/);
});
