import { describe, expect, it } from '@jest/globals';
import { formatQuantity, parseQuantity } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { compileResourceExpression } from './resource-expression.ts';

const amount = fc.oneof(
  fc.integer({ min: 0, max: 200_000 }).map((milli) => `${milli}m`),
  fc.integer({ min: 0, max: 4096 }).map((mi) => `${mi}Mi`),
);

describe('a resource expression', () => {
  it('of any text gives an amount of 0 or more or says why not', () => {
    const word = fc.constantFrom(
      'cpu',
      'memory',
      'max',
      'min',
      '(',
      ')',
      ',',
      '+',
      '-',
      '*',
      '/',
      '1',
      '.5',
      '50%',
      '2Gi',
      '30m',
      '1e3',
      ' ',
      'x',
      '$',
    );
    const seen = new Occurrences();
    const operand = fc.constantFrom('cpu', '1', '.5', '50%', '2Gi', '30m', 'max(cpu,1)', '(cpu-1)', 'x');
    const sound = fc
      .tuple(operand, fc.array(fc.tuple(fc.constantFrom('+', '-', '*', '/'), operand), { maxLength: 4 }))
      .map(([first, rest]) => [first, ...rest.flat()]);
    fc.assert(
      fc.property(fc.oneof(fc.array(word, { maxLength: 12, size: 'max' }), sound), amount, (words, given) => {
        const compiled = compileResourceExpression(words.join(''), 'cpu');
        const result = compiled.kind === 'Illegal' ? compiled : compiled.evaluate(parseQuantity(given)!);
        expect(result.kind === 'Evaluated' ? result.value.nanos >= 0n : result.why !== '').toBe(true);
        seen.note(result.kind === 'Evaluated' ? 'an amount' : compiled.kind === 'Illegal' ? 'no expression' : 'no amount');
      }),
      { numRuns: 1000 },
    );
    seen.expectAtLeast({ 'an amount': 100, 'no expression': 100, 'no amount': 10 });
  });

  it('that names the variable alone gives it back, and a sum does not depend on its order', () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const value = (text: string): string => {
          const compiled = compileResourceExpression(text, 'cpu');
          const result = compiled.kind === 'Compiled' ? compiled.evaluate(parseQuantity(a)!) : compiled;
          return result.kind === 'Evaluated' ? String(result.value.nanos) : result.why;
        };
        expect(value('cpu')).toBe(String(parseQuantity(a)!.nanos));
        expect(value(`cpu+${b}`)).toBe(value(`${b}+cpu`));
        expect(formatQuantity(parseQuantity(b)!)).not.toBe('');
      }),
    );
  });
});
