import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { parseLossless, stringifyLossless } from './lossless-json.ts';
import { jsonValue } from '../testdata/json-arbitraries.ts';
import { compareUtf8, sortUtf8 } from '../text/utf8-order.ts';

describe('canonicalJson', () => {
  it.each<[string, unknown, string]>([
    ['integer-like keys in byte order', { 9: 'y', 10: 'z', a: 1 }, '{"10":"z","9":"y","a":1}'],
    ['keys in UTF-8 order, not UTF-16', { '\uff5e': 1, '\u{1f600}': 2 }, '{"\uff5e":1,"\u{1f600}":2}'],
    ['a prefix before the longer key', { ab: 1, a: 2 }, '{"a":2,"ab":1}'],
    ['Go escapes', '<a>&\u2028\u2029', '"\\u003ca\\u003e\\u0026\\u2028\\u2029"'],
    ['control characters', '\b\f\n\r\t\u0000\u001f\u007f', '"\\b\\f\\n\\r\\t\\u0000\\u001f\u007f"'],
    ['quotes and backslashes', '"\\', '"\\"\\\\"'],
    ['a lone surrogate', 'a\ud800b', '"a\\ufffdb"'],
    ['the last of the lone surrogates', '\udfff\ue000', '"\\ufffd\ue000"'],
    ['a surrogate pair as it is', '\u{1f600}', '"\u{1f600}"'],
    ['numbers', [0, -0, 1.5, 1e21, 1e-7, 123456789012, 1e20], '[0,0,1.5,1e+21,1e-7,123456789012,100000000000000000000]'],
    ['bigints', [9223372036854775807n], '[9223372036854775807]'],
    ['no undefined members', { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ['empty containers and null', { a: {}, b: [], c: null }, '{"a":{},"b":[],"c":null}'],
  ])('writes %s', (_name, value, json) => {
    expect(canonicalJson(value)).toBe(json);
  });

  it('keeps a member called __proto__', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol('s')])('refuses values without a JSON form', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('writes the same JSON, whatever the order of members', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });
});

describe('compareUtf8', () => {
  it('orders as the encoded bytes do', () => {
    const encoder = new TextEncoder();
    const byBytes = (a: string, b: string): number => Math.sign(Buffer.compare(encoder.encode(a), encoder.encode(b)));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareUtf8(a, b))).toBe(byBytes(a, b));
        expect(sortUtf8([a, b])).toEqual([a, b].sort(byBytes));
      }),
    );
  });
});

describe('lossless JSON', () => {
  it.each([
    ['{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615}'],
    ['[9007199254740993]'],
    ['9007199254740993'],
    ['{"a":1,"b":"9007199254740993","c":1.5,"d":":9007199254740993"}'],
    ['{"x":[1,9007199254740993,{"y":12345678901234567890}]}'],
  ])('keeps %s', (text) => {
    expect(stringifyLossless(parseLossless(text))).toBe(text);
  });

  it('reads ordinary numbers as numbers', () => {
    expect(parseLossless('{"a":9007199254740991,"b":1.0000000000000000001,"c":9007199254740993}')).toEqual({
      a: 9007199254740991,
      b: 1,
      c: 9007199254740993n,
    });
  });

  it('refuses cycles and undefined', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => stringifyLossless(cycle)).toThrow(TypeError);
    expect(() => stringifyLossless(undefined)).toThrow(TypeError);
  });

  it('is JSON for everything else', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = JSON.stringify(value);
        expect(stringifyLossless(parseLossless(text))).toBe(text);
      }),
    );
  });
});
