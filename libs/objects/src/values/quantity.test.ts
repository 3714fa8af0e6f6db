import { describe, expect, it } from '@jest/globals';
import { Occurrences, recordedEncodings } from '@kruise/testing';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  equalQuantities,
  formatQuantity,
  formatQuantityText,
  parseQuantity,
  quantityMilliValue,
  quantityToNumber,
  quantityValue,
  roundUpToMilli,
  subtractQuantities,
  type Quantity,
} from './quantity.ts';

const quantity = (text: unknown): Quantity => {
  const parsed = parseQuantity(text);
  if (parsed === undefined) throw new Error(`${String(text)} is no quantity`);
  return parsed;
};

describe('formatQuantityText', () => {
  it('is the canonical form of the amount of the text, as is what Kubernetes writes for short ones', () => {
    const seen = new Occurrences();
    const texts = fc.tuple(
      fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 0, max: 1100 }).map(String) }, fc.constantFrom('01', '1.5', '-7', '+7', '')),
      fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei', 'e3', 'K'),
    );
    fc.assert(
      fc.property(texts, ([digits, suffix]) => {
        const text = digits + suffix;
        const parsed = parseQuantity(text);
        const formatted = formatQuantityText(text);
        expect(formatted).toBe(parsed === undefined ? undefined : formatQuantity(parsed));
        seen.note(formatted === undefined ? 'none' : 'another', formatted !== text);
        if (seen.note('as it is', formatted === text)) expect(canonicalQuantity(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
    seen.expectAtLeast({ none: 20, 'as it is': 20, another: 20 });
  });
});

describe('canonicalQuantity', () => {
  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['-0', '0'],
    ['0Ki', '0'],
    ['0m', '0'],
    ['1', '1'],
    ['+1', '+1'],
    ['-1', '-1'],
    ['01', '01'],
    ['1.', '1.'],
    ['.5', '500m'],
    ['0.1', '100m'],
    ['-0.1', '-100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['0.001', '1m'],
    ['0.0001', '100u'],
    ['0.0000001', '100n'],
    ['0.0000000001', '1n'],
    ['1.1n', '2n'],
    ['-1.1n', '-2n'],
    ['100u', '100u'],
    ['1000u', '1m'],
    ['1000', '1k'],
    ['1k', '1k'],
    ['1000k', '1M'],
    ['1234', '1234'],
    ['1230', '1230'],
    ['123000', '123k'],
    ['1G', '1G'],
    ['0.5G', '500M'],
    ['1T', '1T'],
    ['1P', '1P'],
    ['1E', '1E'],
    ['100E', '100E'],
    ['1000E', '1e21'],
    ['1Ki', '1Ki'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Mi', '512Ki'],
    ['1025Ki', '1025Ki'],
    ['1Ei', '1Ei'],
    ['0.5Ki', '512'],
    ['0.9765625Ki', '1k'],
    ['-0.9765625Ki', '-1k'],
    ['1023Ki', '1023Ki'],
    ['0.0001Ki', '102400u'],
    ['1.1Ki', '1126400m'],
    ['-1Ki', '-1Ki'],
    ['-1.5Gi', '-1536Mi'],
    ['8Ei', '9223372036854775807'],
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['1e0', '1e0'],
    ['12e6', '12e6'],
    ['1e5', '100e3'],
    ['1e-3', '1e-3'],
    ['1.5e3', '1500'],
    ['1E', '1E'],
    ['1e', undefined],
    ['', undefined],
    ['.', '0'],
    ['-', '0'],
    ['m', '0'],
    ['1i', undefined],
    ['0.1mi', undefined],
    ['0.1am', undefined],
    ['.5i', undefined],
    ['1.1.M', undefined],
    ['1+1.0M', undefined],
    ['-3.01e-', undefined],
    ['1ki', undefined],
    ['1 Gi', undefined],
    [' 1', undefined],
    ['1\n', undefined],
    ['--1', undefined],
    ['1K', undefined],
    ['1e1001', undefined],
    ['1e1000', '10e999'],
    ['1e-1000', '1e-9'],
    ['1e-1001', undefined],
    ['1e+3', '1e+3'],
    ['1E-3', '1E-3'],
    ['1'.repeat(256), '1'.repeat(256)],
    ['1x', undefined],
    ['x1', undefined],
    ['1Kix', undefined],
    ['-1.5', '-1500m'],
    ['1n', '1n'],
    ['1u', '1u'],
    ['1Ti', '1Ti'],
    ['1Pi', '1Pi'],
    ['1024Pi', '1Ei'],
    ['-8Ei', '-9223372036854775807'],
    ['0.99', '990m'],
    ['1e999999999', undefined],
    ['toString', undefined],
    ['1'.repeat(257), undefined],
    [0.1, '100m'],
    [2, '2'],
    [1e21, '1e+21'],
    [Number.NaN, undefined],
    [null, undefined],
    [{}, undefined],
    [5000n, '5k'],
    [true, undefined],
    [['1'], undefined],
  ])('%j is %j', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it('writes hundreds of texts as Kubernetes does, which keeps some of them that have a shorter form', () => {
    const cases = recordedEncodings<readonly [string, string | null]>('quantities');
    expect(cases.map(([text]) => [text, canonicalQuantity(text) ?? null])).toEqual(cases);
    expect(cases.filter(([text, written]) => text === written && formatQuantity(quantity(text)) !== text).length).toBeGreaterThan(50);
  });

  const amount = fc.record({
    nanos: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    format: fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const),
  });
  /** Binary amounts stop at 2^63 - 1. */
  const representable = amount.filter(
    ({ nanos, format }) => format !== 'BinarySI' || (nanos < 2n ** 62n * 10n ** 9n && nanos > -(2n ** 62n) * 10n ** 9n),
  );

  it('keeps the amount when a formatted quantity is parsed', () => {
    fc.assert(
      fc.property(representable, (value) => {
        expect(quantity(formatQuantity(value)).nanos).toBe(value.nanos);
      }),
    );
  });

  it('is its own canonical form', () => {
    fc.assert(
      fc.property(representable, (value) => {
        const text = formatQuantity(value);
        expect(canonicalQuantity(text)).toBe(text);
      }),
    );
  });

  it('reads any text without throwing', () => {
    const junk = fc.string({ unit: fc.constantFrom(...'0123456789.eEnumkMGTPi+- '), maxLength: 20, size: 'max' });
    const number = fc.tuple(fc.integer({ min: -9999, max: 9999 }), fc.constantFrom('', '.5', '.000', '.'));
    const nearly = fc
      .tuple(number, fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'Ki', 'Gi', 'e3', 'E-2', 'K', ' ', 'i', 'mm'))
      .map(([[whole, rest], suffix]) => `${whole}${rest}${suffix}`);
    const seen = new Occurrences();
    fc.assert(
      fc.property(fc.oneof(junk, nearly), (input) => {
        const canonical = canonicalQuantity(input);
        if (canonical !== undefined) expect(equalQuantities(input, canonical)).toBe(true);
        seen.note(canonical === undefined ? 'refused' : canonical === input ? 'canonical already' : 'written otherwise');
      }),
    );
    seen.expectAtLeast({ refused: 10, 'canonical already': 5, 'written otherwise': 5 });
  });
});

describe('the family of suffixes', () => {
  it.each([
    ['1Ki', 'BinarySI'],
    ['0.0009765625Ki', 'BinarySI'],
    ['0.0009Ki', 'DecimalSI'],
    ['-0.0009Ki', 'DecimalSI'],
    ['0Ki', 'BinarySI'],
    ['1k', 'DecimalSI'],
    ['1', 'DecimalSI'],
    ['1e3', 'DecimalExponent'],
  ])('of %s is %s', (text, format) => {
    expect(quantity(text).format).toBe(format);
  });

  it('of a sum and a difference is that of the first, unless that is zero', () => {
    const formats = (a: string, b: string) => [
      addQuantities(quantity(a), quantity(b)).format,
      subtractQuantities(quantity(a), quantity(b)).format,
    ];
    expect(formats('1k', '1Ki')).toEqual(['DecimalSI', 'DecimalSI']);
    expect(formats('0', '1Ki')).toEqual(['BinarySI', 'BinarySI']);
    expect(formats('1Ki', '0')).toEqual(['BinarySI', 'BinarySI']);
  });

  it('of a rounded amount is what it was', () => {
    expect(roundUpToMilli(quantity('1Ki')).format).toBe('BinarySI');
  });
});

describe('arithmetic', () => {
  it.each([
    ['1', '1000m', 0],
    ['1Gi', '1G', 1],
    ['999m', '1', -1],
    ['-1', '0', -1],
  ])('compares %s with %s', (a, b, expected) => {
    expect(compareQuantities(quantity(a), quantity(b))).toBe(expected);
  });

  it.each([
    ['1', '500m', '1500m', '500m'],
    ['1Gi', '1Mi', '1025Mi', '1023Mi'],
    ['0', '1Gi', '1Gi', '-1Gi'],
    ['1500m', '1Ki', '1025500m', '-1022500m'],
  ])('adds and subtracts %s and %s', (a, b, sum, difference) => {
    expect(formatQuantity(addQuantities(quantity(a), quantity(b)))).toBe(sum);
    expect(formatQuantity(subtractQuantities(quantity(a), quantity(b)))).toBe(difference);
  });

  it.each([
    ['0.0001', '1m'],
    ['1.0001', '1001m'],
    ['-0.0001', '-1m'],
    ['100m', '100m'],
    ['1.5Gi', '1536Mi'],
    ['1n', '1m'],
  ])('rounds %s up to %s', (text, rounded) => {
    expect(formatQuantity(roundUpToMilli(quantity(text)))).toBe(rounded);
  });

  it.each([
    ['1.5', 2n, 1500n, 1.5],
    ['0', 0n, 0n, 0],
    ['2', 2n, 2000n, 2],
    ['1001u', 1n, 2n, 0.001001],
    ['-1001u', -1n, -2n, -0.001001],
    ['1Gi', 1073741824n, 1073741824000n, 1073741824],
    ['100u', 1n, 1n, 0.0001],
    ['-1.5', -2n, -1500n, -1.5],
  ])('reads %s in units, thousandths and as a number', (text, units, thousandths, number) => {
    expect(quantityValue(quantity(text))).toBe(units);
    expect(quantityMilliValue(quantity(text))).toBe(thousandths);
    expect(quantityToNumber(quantity(text))).toBeCloseTo(number, 9);
  });

  it('compares equal amounts by value, and other texts by identity', () => {
    expect(equalQuantities('0.1', '100m')).toBe(true);
    expect(equalQuantities('1Gi', '1073741824')).toBe(true);
    expect(equalQuantities('1Gi', '1G')).toBe(false);
    expect(equalQuantities('many', 'many')).toBe(true);
    expect(equalQuantities('many', 'few')).toBe(false);
    expect([equalQuantities('many', '1'), equalQuantities('1', 'many'), equalQuantities(1, '1000m'), equalQuantities(null, '0')]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});
