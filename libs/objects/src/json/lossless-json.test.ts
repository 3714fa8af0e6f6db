import { describe, expect, it } from '@jest/globals';
import { parseLossless, stringifyLossless } from './lossless-json.ts';

describe('JSON that keeps integers beyond 2^53', () => {
  it.each([
    '{"a":9223372036854775807,"b":[-9223372036854775808,9007199254740991,1.5],"c":"9007199254740993"}',
    '9007199254740993',
    '{"a":1}',
    '[true,null,"x"]',
  ])('writes %s unchanged', (text) => {
    expect(stringifyLossless(parseLossless(text))).toBe(text);
  });

  it.each([
    ['behind a space', '{"a": 9007199254740993}', { a: 9007199254740993n }],
    ['behind a line feed', '[\n9007199254740993]', [9007199254740993n]],
    ['behind another', '[1,9007199254740993]', [1, 9007199254740993n]],
    ['first of all', '-9007199254740993', -9007199254740993n],
  ])('keeps the digits of a number %s', (_name, text, value) => {
    expect(parseLossless(text)).toEqual(value);
  });

  it('keeps digits only where a number would lose them', () => {
    expect(parseLossless('{"a":9007199254740993,"b":9007199254740991,"c":1234567890123456.5}')).toEqual({
      a: 9007199254740993n,
      b: 9007199254740991,
      c: 1234567890123456.5,
    });
  });

  it('reads what is longer than any int64 as a floating-point number, quickly', () => {
    expect(parseLossless(`{"a":${'9'.repeat(1_000_000)},"b":1${'0'.repeat(25)}}`)).toEqual({ a: Infinity, b: 1e25 });
  });

  it('reads a text without such an integer at any nesting depth', () => {
    const depth = 100_000;
    const value = parseLossless(`{"a":0,"b":"x1234567890123456","c":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(Object.keys(value as object)).toEqual(['a', 'b', 'c']);
  });

  it('has no text for a value without a JSON form', () => {
    expect(() => stringifyLossless(undefined)).toThrow(TypeError);
  });
});
