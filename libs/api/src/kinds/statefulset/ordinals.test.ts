/** @see spec/statefulset.md 5.2, 6.14 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ordinalSlots, parsePodOrdinal, parseReservedOrdinals, type OrdinalRange } from './ordinals.ts';

const ordinals = (start: number, replicas: number, list: readonly unknown[]): readonly number[] => [
  ...ordinalSlots({ start, replicas, reserved: parseReservedOrdinals(list).ranges }),
];

describe('reserved ordinals', () => {
  it.each<{ name: string; list: unknown; then: readonly OrdinalRange[] }>([
    { name: 'none', list: [], then: [] },
    { name: 'none where there is no list', list: undefined, then: [] },
    { name: 'none where the list is null', list: null, then: [] },
    { name: 'none in what is no list', list: '1', then: [] },
    { name: 'one', list: [3], then: [{ first: 3, last: 3 }] },
    { name: 'a range with both its ends', list: ['2-5'], then: [{ first: 2, last: 5 }] },
    { name: 'a range of one', list: ['2-2'], then: [{ first: 2, last: 2 }] },
    {
      name: 'in ascending order',
      list: [7, '1-2'],
      then: [
        { first: 1, last: 2 },
        { first: 7, last: 7 },
      ],
    },
    { name: 'neighbours as one range', list: [1, 2, '3-4'], then: [{ first: 1, last: 4 }] },
    {
      name: 'not as one range with a gap',
      list: [1, 3],
      then: [
        { first: 1, last: 1 },
        { first: 3, last: 3 },
      ],
    },
    { name: 'overlapping ranges as one', list: ['1-5', '3-9', '2-4'], then: [{ first: 1, last: 9 }] },
    { name: 'repeated ones once', list: [1, 1, '1-1'], then: [{ first: 1, last: 1 }] },
    { name: 'a huge range as two numbers', list: ['0-2147483647'], then: [{ first: 0, last: 2147483647 }] },
  ])('$name', ({ list, then }) => {
    expect(parseReservedOrdinals(list)).toEqual({ ranges: then, faults: [] });
  });

  it.each([
    { value: -1, why: 'must be 0 or more' },
    { value: '5-2', why: 'the start of the range must not be above its end' },
    ...['', '5', '1-', '-1', 'a-b', '1-2-3', ' 1-2', '1.5-2', 1.5, null, true, {}, []].map((value) => ({
      value,
      why: 'must be a whole number or a range of them such as "2-5"',
    })),
  ])('cannot be read from $value, and those beside it count', ({ value, why }) => {
    expect(parseReservedOrdinals([1, value, '3-4'])).toEqual({
      ranges: [
        { first: 1, last: 1 },
        { first: 3, last: 4 },
      ],
      faults: [{ index: 1, value, why }],
    });
  });
});

it('a list of reservations is read once, however often it is requested', () => {
  const list = [1, '3-4'];
  expect(parseReservedOrdinals(list)).toBe(parseReservedOrdinals(list));
});

describe('ordinals that are used', () => {
  it('say how many of them are below one', () => {
    const slots = ordinalSlots({ start: 2, replicas: 5, reserved: parseReservedOrdinals([1, '4-5', 7]).ranges });
    expect([1, 2, 3, 4, 6, 7, 8, 9, 10].map((ordinal) => slots.rankOf(ordinal))).toEqual([
      undefined,
      0,
      1,
      undefined,
      2,
      undefined,
      3,
      4,
      undefined,
    ]);
  });

  it.each([
    { start: 0, replicas: 4, list: [1, 3], then: [0, 2, 4, 5] },
    { start: 2, replicas: 4, list: [1, 3], then: [2, 4, 5, 6] },
    { start: 0, replicas: 4, list: [1, '3-4'], then: [0, 2, 5, 6] },
    { start: 0, replicas: 3, list: [], then: [0, 1, 2] },
    { start: 5, replicas: 3, list: [], then: [5, 6, 7] },
    { start: 0, replicas: 0, list: [1], then: [] },
    { start: 0, replicas: 2, list: ['0-9'], then: [10, 11] },
    { start: 0, replicas: 2, list: [7], then: [0, 1] },
  ])('from $start, $replicas of them without $list', ({ start, replicas, list, then }) => {
    expect(ordinals(start, replicas, list)).toEqual(then);
  });

  it('end behind the last one', () => {
    const slots = (replicas: number) => ordinalSlots({ start: 2, replicas, reserved: [{ first: 3, last: 4 }] });
    expect([slots(0), slots(1), slots(2)].map(({ start, end }) => [start, end])).toEqual([
      [2, 2],
      [2, 3],
      [2, 6],
    ]);
  });

  it('are those that a walk over all numbers finds, one by one', () => {
    const element = fc.oneof(
      fc.nat(30),
      fc.tuple(fc.nat(30), fc.nat(6)).map(([first, more]) => `${first}-${first + more}`),
    );
    fc.assert(
      fc.property(fc.nat(12), fc.nat(20), fc.array(element, { maxLength: 8 }), (start, replicas, list) => {
        const isReserved = (ordinal: number): boolean =>
          list.some((one) => {
            const [first = 0, last = first] = String(one).split('-').map(Number);
            return first <= ordinal && ordinal <= last;
          });
        const walked: number[] = [];
        for (let ordinal = start; walked.length < replicas; ordinal++) if (!isReserved(ordinal)) walked.push(ordinal);
        const slots = ordinalSlots({ start, replicas, reserved: parseReservedOrdinals(list).ranges });
        expect([...slots]).toEqual(walked);
        const known = new Set(walked);
        for (let ordinal = 0; ordinal < 80; ordinal++) expect(slots.has(ordinal)).toBe(known.has(ordinal));
      }),
    );
  });

  it('cost nothing for a huge range', () => {
    expect(ordinals(0, 2, ['1-2147483646'])).toEqual([0, 2147483647]);
  });

  it.each([
    { list: ['0-9007199254740993'], then: [] },
    { list: ['1-9007199254740993'], then: [0] },
    { list: [`0-${'9'.repeat(400)}`], then: [] },
    { list: [1e300, `${'9'.repeat(20)}-${'9'.repeat(30)}`], then: [0, 1, 2] },
    { list: ['0-2147483647'], then: [] },
    { list: ['0-2147483645'], then: [2147483646, 2147483647] },
  ])('end where no Pod can have one, with $list', ({ list, then }) => {
    expect(ordinals(0, 3, list)).toEqual(then);
    expect(ordinalSlots({ start: 0, replicas: 3, reserved: parseReservedOrdinals(list).ranges }).size).toBe(then.length);
  });

  it('end there from any start', () => {
    expect(ordinals(2147483646, 5, [])).toEqual([2147483646, 2147483647]);
    expect(ordinals(2147483648, 5, [])).toEqual([]);
  });
});

describe('the ordinal of a Pod', () => {
  it.each([
    { name: 'web-0', then: { parent: 'web', ordinal: 0 } },
    { name: 'web-10', then: { parent: 'web', ordinal: 10 } },
    { name: 'a-b-3', then: { parent: 'a-b', ordinal: 3 } },
    { name: 'web-2147483647', then: { parent: 'web', ordinal: 2147483647 } },
    ...['web', 'web-', 'web-a', 'web-01', 'web-00', 'web-2147483648', 'web-99999999999', '0'].map((name) => ({ name, then: undefined })),
  ])('in $name', ({ name, then }) => {
    expect(parsePodOrdinal(name)).toEqual(then);
  });
});
