import { describe, expect, it } from '@jest/globals';
import { withDoubles, withInt64 } from './long-integers.ts';

describe('integers that a double cannot represent', () => {
  it('are the nearest double at any depth', () => {
    const value = { a: [{ b: 9007199254740993n }], c: 'x', d: null };
    expect(withDoubles(value)).toStrictEqual({ a: [{ b: 9007199254740992 }], c: 'x', d: null });
    expect(value.a[0]?.b).toBe(9007199254740993n);
  });

  it.each([
    [9223372036854776000n, 9223372036854775807n],
    [-9223372036854776000n, -9223372036854775808n],
    [9223372036854775807n, 9223372036854775807n],
    [9007199254740993n, 9007199254740993n],
  ])('%s is the int64 %s', (written, held) => {
    expect(withInt64({ a: [written] })).toStrictEqual({ a: [held] });
  });

  it.each([{ a: [{ b: 1 }], c: [] }, [1, 'x'], 'x', null, undefined])('keep %j unchanged, because it has none', (value) => {
    expect([withDoubles(value), withInt64(value)]).toStrictEqual([value, value]);
    expect(Object.is(withDoubles(value), value)).toBe(true);
  });
});
