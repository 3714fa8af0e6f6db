import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseSubsetShare } from './subset-share.ts';

describe('the share of a subset', () => {
  it.each<{ value: unknown; total?: number; then: number }>([
    { value: 0, then: 0 },
    { value: 7, total: 3, then: 7 },
    { value: Number.MAX_SAFE_INTEGER, then: Number.MAX_SAFE_INTEGER },
    { value: '0%', total: 9, then: 0 },
    { value: '100%', total: 9, then: 9 },
    { value: '+20%', total: 10, then: 2 },
    { value: '000000050%', total: 4, then: 2 },
    { value: '50%', total: 5, then: 3 },
    { value: '49%', total: 5, then: 2 },
    { value: '10%', total: 5, then: 1 },
    { value: '9%', total: 5, then: 0 },
    { value: '50%', total: 0, then: 0 },
  ])('$value of $total is $then Pods', ({ value, total, then }) => {
    expect(parseSubsetShare(value, total)).toEqual({ kind: 'Pods', value: then });
  });

  it.each<unknown>([
    -1,
    1.5,
    NaN,
    Infinity,
    2 ** 53,
    null,
    undefined,
    true,
    {},
    [],
    '',
    '5',
    '%',
    '-5%',
    '5.5%',
    ' 5%',
    '5% ',
    '5%%',
    '101%',
    '0000000050%',
    '٥%',
  ])('%p is none, with the reason', (value) => {
    const why = 'must be a whole number of at least 0, or a whole percentage from "0%" to "100%"';
    for (const total of [undefined, 10]) expect(parseSubsetShare(value, total)).toEqual({ kind: 'Illegal', why });
  });

  it('needs spec.replicas for a percentage', () => {
    expect(parseSubsetShare('0%', undefined)).toEqual({ kind: 'Illegal', why: 'a percentage needs spec.replicas' });
  });

  it('of two subsets that have 100 % together is at most one Pod more than all', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(1_000_000), (percent, total) => {
        const [some, others] = [percent, 100 - percent].map((one) => parseSubsetShare(`${one}%`, total));
        if (some?.kind !== 'Pods' || others?.kind !== 'Pods') throw new Error('a percentage is a number of Pods');
        expect([total, total + 1]).toContain(some.value + others.value);
      }),
    );
  });
});
