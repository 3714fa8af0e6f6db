import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { findMember, skipSpace, skipString, skipValue } from './json-walk.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

/** Returns the JSON of `value` with white space from `spaces`, taken in turns, wherever JSON allows it. */
function written(value: unknown, spaces: readonly string[]): string {
  let turn = 0;
  const space = (): string => spaces[turn++ % Math.max(1, spaces.length)] ?? '';
  const write = (part: unknown): string => {
    if (typeof part !== 'object' || part === null) return JSON.stringify(part);
    const members = Array.isArray(part)
      ? part.map((item) => `${space()}${write(item)}${space()}`)
      : Object.entries(part).map(([key, item]) => `${space()}${JSON.stringify(key)}${space()}:${space()}${write(item)}${space()}`);
    const inside = members.length === 0 ? space() : members.join(',');
    return Array.isArray(part) ? `[${inside}]` : `{${inside}}`;
  };
  return write(value);
}

const spaces = fc.array(fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 }), { maxLength: 5 });
const trap = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'a', 'é'), maxLength: 6 });
const leaf = fc.oneof(trap, fc.integer(), fc.constantFrom(true, false, null, 1.5e-7, -1));
const key = fc.oneof(fc.constantFrom('a', 'b', 'ab', 'ba', 'aa', ''), trap);
const anyValue = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('node'), { maxLength: 3 }), fc.dictionary(key, tie('node'), { maxKeys: 3 })),
})).node;
/** Returns every prefix of `whole`. */
const beginningsOf = (whole: Buffer): readonly Buffer[] => Array.from({ length: whole.length }, (_, length) => whole.subarray(0, length));
const anObject = fc.dictionary(key, anyValue, { maxKeys: 4 });

describe('skipSpace', () => {
  it.each<[string, number, number]>([
    ['', 0, 0],
    ['  ', 0, 2],
    [' \n\r\tx ', 0, 4],
    ['x ', 0, 0],
    ['\v', 0, 0],
    ['\u00a0', 0, 0],
    [' x  y', 2, 4],
  ])('of %j from position %d on returns %d', (text, at, after) => {
    expect(skipSpace(bytes(text), at)).toBe(after);
  });
});

describe('skipString', () => {
  it.each<[string, number]>([
    ['""', 2],
    ['"a"b"', 3],
    ['"\\""', 4],
    ['"\\\\"', 4],
    ['"\\\\\\""', 6],
    ['"é"', 4],
    ['"', -1],
    ['"a', -1],
    ['"a\\"', -1],
    ['"\\', -1],
  ])('of %s returns %d', (text, after) => {
    expect(skipString(bytes(text), 0)).toBe(after);
  });
});

describe('skipValue', () => {
  it('finds the end of any value, whatever follows', () => {
    fc.assert(
      fc.property(anyValue, spaces, fc.constantFrom(',', '}', ']', ' ', '\n', '\r', '\t'), (value, between, follows) => {
        const text = written(value, between);
        const all = bytes(`:${text}${follows}${text}`);
        expect(skipValue(all, 1)).toBe(1 + Buffer.byteLength(text));
      }),
    );
  });

  it('is unsure of a value that breaks off', () => {
    fc.assert(
      fc.property(anyValue, spaces, (value, between) => {
        const whole = bytes(written(value, between));
        expect(beginningsOf(whole).filter((beginning) => skipValue(beginning, 0) !== -1)).toEqual([]);
      }),
    );
  });

  it.each([',', '}', ']', ' ', '\n', '\r', '\t'])('accepts %j as the end of a number', (follows) => {
    expect(skipValue(bytes(`12${follows}3,`), 0)).toBe(2);
  });

  it.each(['', ',', '}', ']', ' 1', '12', 'true'])('is unsure of %j, which is no value or may continue', (text) => {
    expect(skipValue(bytes(text), 0)).toBe(-1);
  });
});

describe('findMember', () => {
  const textOf = (text: string, from: number, to: number): string => bytes(text).subarray(from, to).toString();

  it('finds each field of the object itself, and no other', () => {
    fc.assert(
      fc.property(anObject, spaces, fc.constantFrom('', ' ', '[1, '), (object, between, before) => {
        const text = `${before}${written(object, between)}`;
        for (const name of ['a', 'b', 'ab', 'ba', 'aa', '']) {
          const found = findMember(bytes(text), before.length, name);
          if (found === -1) throw new Error(`unsure of ${text}`);
          expect(found !== undefined).toBe(Object.hasOwn(object, name));
          if (found === undefined) continue;
          expect(textOf(text, found.keyStart, found.keyStart + name.length + 2)).toBe(JSON.stringify(name));
          expect(JSON.parse(textOf(text, found.valueStart, found.valueEnd))).toEqual(JSON.parse(JSON.stringify(object[name])));
        }
      }),
    );
  });

  it('is unsure of an object that breaks off, unless the field came before', () => {
    fc.assert(
      fc.property(anObject, spaces, (object, between) => {
        const whole = bytes(written(object, between));
        const found = findMember(whole, 0, 'a');
        // The end of a number is recognised by the byte after it.
        const isSeen = ({ length }: Buffer): boolean => found !== undefined && found !== -1 && length > found.valueEnd;
        const [before, after] = [beginningsOf(whole).filter((one) => !isSeen(one)), beginningsOf(whole).filter(isSeen)];
        expect(after.map((beginning) => findMember(beginning, 0, 'a'))).toEqual(after.map(() => found));
        const sure = before.map((beginning) => findMember(beginning, 0, 'a')).filter((seen) => seen !== -1);
        expect(sure.filter((seen) => !isDeepStrictEqual(seen, found))).toEqual([]);
        expect(sure).not.toContain(undefined);
      }),
    );
  });

  it.each([
    '',
    '1',
    '"a":1',
    '["x":1}',
    '[]',
    '{',
    '{x":1}',
    '{:1}',
    '{x:1}',
    '{1:1}',
    '{"x" 1}',
    '{"x"x:1}',
    '{"x":}',
    '{"x":,"b":1}',
    '{"x":1 ;"b":1}',
    '{"x":1 "b":1}',
    '{"x":1,}',
    '{"x":"}',
    '{"x":{"y":1}',
    '{"x":[1}',
    '{"b":"',
    '{"b" 1}',
  ])('is unsure of %s', (text) => {
    expect(findMember(bytes(text), 0, 'b')).toBe(-1);
  });

  it.each(['{}', '{ }', '{"a":1}', '{"a":{"b":1}}', '{"a":[{"b":1}]}', '{"bb":1}', '{"":1}', '{"a":"\\",\\"b\\":1"}', '{"\\u0062":1}'])(
    'finds no b in %s',
    (text) => {
      expect(findMember(bytes(text), 0, 'b')).toBeUndefined();
    },
  );

  it('uses the end of the value from a caller that knows it, only for that field', () => {
    const text = '{"a":[1],"b":no JSON here|}';
    const asked: number[] = [];
    const endOf = (_bytes: Uint8Array, at: number): number => asked.push(at) && text.indexOf('|');
    expect(findMember(bytes(text), 0, 'b', endOf)).toEqual({ keyStart: 9, valueStart: 13, valueEnd: 25 });
    expect(asked).toEqual([13]);
    expect(findMember(bytes(text), 0, 'b', () => -1)).toBe(-1);
  });
});
