import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileRe2 } from './re2.ts';

/** Expressions with the same meaning in RE2 and JavaScript. */
const { expression } = fc.letrec<{ expression: string; atom: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('atom'),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `${a}${b}`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}|${b})`),
    fc.tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{2,}', '*?')).map(([a, op]) => `(?:${a})${op}`),
  ),
  atom: fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '\\b', '^', '$', '\\.', ''),
}));

describe('an RE2 expression', () => {
  it('matches what JavaScript matches', () => {
    fc.assert(
      fc.property(expression, fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '.'), maxLength: 8 }), (source, text) => {
        const compiled = compileRe2(source);
        expect(compiled.kind === 'Compiled' && compiled.matches(text)).toBe(new RegExp(source).test(text));
      }),
      { numRuns: 500 },
    );
  });

  it('answers for every text as if it were the first one', () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '1', '-', '\n', '\u{1F600}'), maxLength: 8 }), {
      minLength: 2,
      maxLength: 8,
    });
    fc.assert(
      fc.property(expression, texts, (source, asked) => {
        const compiled = compileRe2(source);
        const answers = asked.map((text) => compiled.kind === 'Compiled' && compiled.matches(text));
        expect(answers).toEqual(asked.map((text) => new RegExp(source, 'u').test(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its answers when it needs more states than it may cache', () => {
    const source = '(a|b)*a(a|b){10}c';
    const compiled = compileRe2(source);
    const random = fc.sample(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 3000, maxLength: 3000, size: 'max' }), {
      numRuns: 4,
      seed: 1,
    });
    const asked = random.flatMap((text) => [text, `${text}aaaaaaaaaaac`, `${text}aaaaaaaaaaa`, 'aaaaaaaaaaac']);
    expect(asked.map((text) => compiled.kind === 'Compiled' && compiled.matches(text))).toEqual(
      asked.map((text) => /a[ab]{10}c/.test(text)),
    );
  });

  it('of any text compiles or reports why not', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab(){}[]|*+?\\^$.-,0129:P<>imsxQEpdé') }), (source) => {
        const compiled = compileRe2(source);
        expect(compiled.kind === 'Illegal' ? compiled.why !== '' : typeof compiled.matches('ab1') === 'boolean').toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
