import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { literalRegexp } from './literal-regexp.mjs';

const plugins = { kruise: { rules: { 'literal-regexp': literalRegexp } } };
const refused = (code: string): number => new Linter().verify(code, [{ plugins, rules: { 'kruise/literal-regexp': 'error' } }]).length;

describe('lint', () => {
  it.each(['new RegExp(text)', "RegExp(text, 'u')", 'new RegExp(`^${text}$`)', "new RegExp('^' + text)", 'new RegExp()'])(
    'refuses a pattern that is made while the program runs: %s',
    (code) => {
      expect(refused(code)).toBe(1);
    },
  );

  it.each(["new RegExp('^a$', 'u')", 'new RegExp(/a/y)', '/a/.test(text)', 'compileRe2(text)'])('takes a literal: %s', (code) => {
    expect(refused(code)).toBe(0);
  });
});
