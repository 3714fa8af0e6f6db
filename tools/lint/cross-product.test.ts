import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { crossProduct } from './cross-product.mjs';

const plugins = { kruise: { rules: { 'cross-product': crossProduct } } };
const refusals = (code: string): readonly string[] =>
  new Linter().verify(code, [{ plugins, rules: { 'kruise/cross-product': 'error' } }]).map(({ message }) => message.split(':')[0] ?? '');

describe('lint', () => {
  it.each([
    { code: 'const f = (as, bs) => as.map((a) => bs.filter((b) => b.of === a));', refusal: 'Walks bs for each item of as' },
    { code: 'const f = (as, bs) => as.filter((a) => bs.includes(a));', refusal: 'Walks bs for each item of as' },
    { code: 'function f(as, bs) { for (const a of as) for (const b of bs) g(a, b); }', refusal: 'Walks bs for each item of as' },
    {
      code: 'function f({ as, spec }) { for (const a of as) { spec.bs.some((b) => b === a); } }',
      refusal: 'Walks spec.bs for each item of as',
    },
    { code: 'const f = (as) => as.filter((a) => as.find((b) => b === a));', refusal: 'Walks as for each item of as' },
    {
      code: 'const f = (as, o) => as.flatMap((a) => Object.keys(o).map((k) => k + a));',
      refusal: 'Walks Object.keys(o) for each item of as',
    },
    { code: 'const f = (as, bs) => as.flatMap((a) => [...bs].map((b) => a + b));', refusal: 'Walks [...bs] for each item of as' },
  ])('refuses to walk a list for each item of another: $code', ({ code, refusal }) => {
    expect(refusals(code)).toEqual([refusal]);
  });

  it.each([
    'const f = (as) => as.flatMap(({ bs }) => bs.map((b) => b.name));',
    'function f(as) { for (const a of as) { const bs = g(a); for (const b of bs) h(b); } }',
    'const f = (as, bs) => { const names = new Set(bs); return as.filter((a) => names.has(a)); };',
    'const known = ["a"]; const f = (as) => as.filter((a) => known.includes(a));',
    'const known = ["a"]; const f = (words) => known.filter((a) => words.includes(a));',
    'const f = (as, x, y) => as.flatMap((a) => [x, y].map((b) => a + b));',
    'const f = (as, text) => as.filter((a) => text.includes("/"));',
    'const f = (as, bs) => as.map(g).filter((a) => a.length > bs.length);',
    'const f = (as, bs) => as.concat(bs.filter(g)).map(h);',
  ])('takes walks whose steps grow with the objects: %s', (code) => {
    expect(refusals(code)).toEqual([]);
  });
});
