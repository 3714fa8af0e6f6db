import { describe, expect, it } from '@jest/globals';
import { recordedEncodings } from '@kruise/testing';
import { compileRe2 } from './re2.ts';

/** Without texts: an expression that Go refuses. */
type Case = readonly [expression: string, matching?: readonly string[], others?: readonly string[]];

describe('the matches that Go finds', () => {
  const cases = recordedEncodings<Case>('regular-expressions');

  it('are found, and no others', () => {
    const found = cases.map(([expression, matching, others]): Case => {
      const compiled = compileRe2(expression);
      if (compiled.kind === 'Illegal') return [expression];
      const isMatch = (text: string): boolean => compiled.matches(text);
      const texts = [...(matching ?? []), ...(others ?? [])];
      return [expression, texts.filter(isMatch), texts.filter((text) => !isMatch(text))];
    });
    expect(found).toEqual(cases);
  });

  it('are of expressions of each sort', () => {
    const isOf = (sort: (one: Case) => boolean): number => cases.filter(sort).length;
    expect(isOf(([, matching]) => matching === undefined)).toBeGreaterThan(100);
    expect(isOf(([, matching = [], others = []]) => matching.length > 0 && others.length > 0)).toBeGreaterThan(200);
  });
});
