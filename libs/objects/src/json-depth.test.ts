import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isNestedDeeperThan } from './json-depth.ts';
import { jsonValue } from './testdata/json-arbitraries.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value as Readonly<Record<string, unknown>>).map(depthOf))
    : 0;

describe('isNestedDeeperThan', () => {
  it.each([
    ['[]', 0, true],
    ['[]', 1, false],
    ['{"a":[{}]}', 2, true],
    ['{"a":[{}]}', 3, false],
    ['"[[[["', 0, false],
    ['["\\"[[[["]', 1, false],
    ['["\\\\",[]]', 1, true],
    ['"unfinished [', 0, false],
    ['['.repeat(100_000), 500, true],
  ])('%.20s deeper than %d: %j', (text, limit, expected) => {
    expect(isNestedDeeperThan(text, limit)).toBe(expected);
  });

  it('agrees with the parsed value', () => {
    fc.assert(
      fc.property(jsonValue, fc.nat(5), (value, limit) => {
        expect(isNestedDeeperThan(JSON.stringify(value), limit)).toBe(depthOf(value) > limit);
      }),
    );
  });
});
