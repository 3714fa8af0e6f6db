import { describe, expect, it } from '@jest/globals';
import { boolean, intOrString, list, object, opaque, optional, string, stringMap, time, int32 } from './builder.ts';
import { conforms } from './conforms.ts';

const schema = object('A thing.', {
  name: string('Its name.', { pattern: '^[a-z]+$', maxLength: 4 }),
  count: optional(int32('How many.', { minimum: 1, maximum: 9 })),
  code: optional(string('A code.', { minLength: 2, maxLength: 3, nullable: true })),
  mode: optional(string('How.', { enum: ['On', 'Off'] })),
  share: optional(intOrString('How much.')),
  labels: optional(stringMap('Its labels.')),
  on: optional(boolean('Whether.')),
  since: optional(time('Since when.')),
  parts: optional(list('Its parts.', string('A part.'), { minItems: 1 })),
  raw: optional(opaque<unknown>('Anything.')),
}).json;

describe('conforms', () => {
  it.each([
    { name: 'only what is required', value: { name: 'a' }, then: true },
    {
      name: 'everything',
      value: { name: 'a', count: 9, mode: 'On', share: '20%', labels: { a: 'b' }, on: false, parts: ['x'], raw: null },
      then: true,
    },
    { name: 'the longest text', value: { name: 'abcd' }, then: true },
    { name: 'the shortest text', value: { name: 'a', code: 'ab' }, then: true },
    { name: 'text that is too short', value: { name: 'a', code: 'a' }, then: false },
    { name: 'null where it may be', value: { name: 'a', code: null }, then: true },
    { name: 'null where a number or text may be', value: { name: 'a', share: null }, then: false },
    { name: 'text for a boolean', value: { name: 'a', on: 'true' }, then: false },
    { name: 'a member that is undefined', value: { name: 'a', count: undefined }, then: true },
    { name: 'members that the schema does not know', value: { name: 'a', other: 1 }, then: true },
    { name: 'an integer where a percentage may be', value: { name: 'a', share: 3 }, then: true },
    { name: 'no required member', value: {}, then: false },
    { name: 'null for a member', value: { name: null }, then: false },
    { name: 'a list for an object', value: [], then: false },
    { name: 'text for a number', value: { name: 'a', count: '3' }, then: false },
    { name: 'a fraction for an integer', value: { name: 'a', count: 1.5 }, then: false },
    { name: 'the smallest number', value: { name: 'a', count: 1 }, then: true },
    { name: 'a number below the minimum', value: { name: 'a', count: 0 }, then: false },
    { name: 'a number above the maximum', value: { name: 'a', count: 10 }, then: false },
    { name: 'a value outside of the enum', value: { name: 'a', mode: 'Maybe' }, then: false },
    { name: 'text that the pattern refuses', value: { name: 'A' }, then: false },
    { name: 'text that is too long', value: { name: 'abcde' }, then: false },
    { name: 'a number in a string map', value: { name: 'a', labels: { a: 1 } }, then: false },
    { name: 'a wrong item', value: { name: 'a', parts: [1] }, then: false },
    { name: 'too few items', value: { name: 'a', parts: [] }, then: false },
    { name: 'an object where a number or text may be', value: { name: 'a', share: {} }, then: false },
  ])('$name: $then', ({ value, then }) => {
    expect(conforms(schema, value)).toBe(then);
  });

  it('every required member must be there', () => {
    expect(conforms({ type: 'object', required: ['a', 'b'] }, { a: 1 })).toBe(false);
    expect(conforms({ type: 'object', required: ['a', 'b'] }, { a: 1, b: 2 })).toBe(true);
  });

  it('a list without a schema for its items holds anything', () => {
    expect(conforms({ type: 'array' }, [1, null, 'x'])).toBe(true);
  });
});
