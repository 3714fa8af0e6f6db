import { describe, expect, it } from '@jest/globals';
import { boolean, intOrString, list, object, opaque, optional, string, stringMap, time, int32 } from './builder.ts';
import { conforms } from './conforms.ts';

const schema = object('A thing.', {
  name: string('Its name.', { pattern: '^[a-z]+$', maxLength: 4 }),
  count: optional(int32('How many.', { minimum: 1, maximum: 9 })),
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
    { name: 'members that the schema does not know', value: { name: 'a', other: 1 }, then: true },
    { name: 'an integer where a percentage may be', value: { name: 'a', share: 3 }, then: true },
    { name: 'no required member', value: {}, then: false },
    { name: 'null for a member', value: { name: null }, then: false },
    { name: 'a list for an object', value: [], then: false },
    { name: 'text for a number', value: { name: 'a', count: '3' }, then: false },
    { name: 'a fraction for an integer', value: { name: 'a', count: 1.5 }, then: false },
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
});
