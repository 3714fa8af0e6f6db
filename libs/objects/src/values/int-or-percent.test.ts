import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseInt32, parseIntOrPercent, scaleIntOrPercent, scaleIntOrPercentOr, type Rounding } from './int-or-percent.ts';

describe('scaleIntOrPercent', () => {
  it.each<[unknown, number, Rounding, number | undefined]>([
    [0, 10, 'up', 0],
    [3, 10, 'up', 3],
    [-1, 10, 'up', -1],
    ['0%', 10, 'up', 0],
    ['100%', 7, 'down', 7],
    ['120%', 4, 'up', 5],
    ['99%', 4, 'up', 4],
    ['99%', 4, 'down', 3],
    ['1%', 10, 'up', 1],
    ['1%', 10, 'down', 0],
    ['20%', 3, 'up', 1],
    ['25%', 10, 'down', 2],
    ['33.4%', 3, 'up', 2],
    ['33.4%', 3, 'down', 1],
    ['7%', 100, 'up', 7],
    ['14%', 50, 'up', 7],
    ['28%', 25, 'down', 7],
    ['0.1%', 1000, 'up', 1],
    ['50%', -3, 'up', -1],
    ['50%', -3, 'down', -2],
    ['5', 10, 'up', undefined],
    ['', 10, 'up', undefined],
    ['%', 10, 'up', undefined],
    ['-5%', 10, 'up', undefined],
    ['+5%', 10, 'up', 1],
    ['1e1%', 10, 'up', 1],
    ['25e-1%', 1000, 'up', 25],
    ['.25E2%', 100, 'up', 25],
    ['5.%', 100, 'up', 5],
    ['.%', 10, 'up', undefined],
    ['e1%', 10, 'up', undefined],
    ['1e100%', 10, 'up', undefined],
    ['5 %', 10, 'up', undefined],
    ['5%%', 10, 'up', undefined],
    ['.5%', 200, 'up', 1],
    [1.5, 10, 'up', undefined],
    [Number.NaN, 10, 'up', undefined],
    [undefined, 10, 'up', undefined],
    [null, 10, 'up', undefined],
    [{}, 10, 'up', undefined],
    [['20%'], 10, 'up', undefined],
  ])('%j of %j rounded %s is %j', (value, total, rounding, expected) => {
    const scaled = scaleIntOrPercent(value, total, rounding);
    expect(scaled.kind === 'Scaled' ? scaled.value : undefined).toBe(expected);
  });

  it.each<[unknown, boolean, string]>([
    ['33.4%', false, 'must be an integer or a whole percentage (e.g. 1 or "20%")'],
    ['x', true, 'must be an integer or a percentage (e.g. 1 or "20%")'],
    [1.5, false, 'must be an integer or a percentage (e.g. 1 or "20%")'],
    [null, false, 'must be an integer or a percentage (e.g. 1 or "20%")'],
  ])('names why %j is refused, with fractions allowed: %p', (value, fractions, why) => {
    expect(parseIntOrPercent(value, { fractions })).toEqual({ kind: 'Illegal', why });
    expect(scaleIntOrPercent(value, 10, 'up', { fractions })).toEqual({ kind: 'Illegal', why });
  });

  it('reads percentages exactly, and fractions unless they are not allowed', () => {
    expect(parseIntOrPercent('33.40%')).toEqual({ kind: 'Percent', mantissa: 3340n, decimals: 2 });
    expect(parseIntOrPercent('33%', { fractions: false })).toEqual({ kind: 'Percent', mantissa: 33n, decimals: 0 });
    expect(parseIntOrPercent('33.4%', {})).toMatchObject({ kind: 'Percent' });
    expect(parseIntOrPercent(-7)).toEqual({ kind: 'Int', value: -7 });
  });

  it.each(['x5%', '5%x', '1.5.5%', '5.5x%', `${'9'.repeat(19)}%`, `1.${'9'.repeat(19)}%`])(
    'does not accept %j as a percentage',
    (value) => {
      expect([parseIntOrPercent(value).kind, parseIntOrPercent(value, { fractions: false }).kind]).toEqual(['Illegal', 'Illegal']);
    },
  );

  it('uses the fallback for an illegal value', () => {
    expect(scaleIntOrPercentOr(7, 'lots', 10, 'up')).toBe(7);
    expect(scaleIntOrPercentOr(7, undefined, 10, 'down')).toBe(7);
    expect(scaleIntOrPercentOr(7, '20%', 10, 'up')).toBe(2);
  });

  it('rounds up to at most one more than down, with the exact share between them', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(10_000), (hundredths, total) => {
        const percent = `${(hundredths / 100).toFixed(2)}%`;
        const up = scaleIntOrPercentOr(Number.NaN, percent, total, 'up');
        const down = scaleIntOrPercentOr(Number.NaN, percent, total, 'down');
        const exact = hundredths * total;
        expect(down * 10_000 <= exact && exact <= up * 10_000 && up - down <= 1).toBe(true);
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(['Scaled', 'Illegal']).toContain(scaleIntOrPercent(value, 10, 'up').kind);
      }),
    );
  });
});

describe('an int32', () => {
  it.each([
    { text: '2147483647', then: 2147483647 },
    { text: '2147483648', then: undefined },
    { text: '-2147483648', then: -2147483648 },
    { text: '-2147483649', then: undefined },
    { text: '+5', then: 5 },
    { text: '-0', then: 0 },
    { text: '5 ', then: undefined },
    { text: '', then: undefined },
  ])('of "$text" is $then', ({ text, then }) => {
    expect(parseInt32(text)).toBe(then);
  });
});
