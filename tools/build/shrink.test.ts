import { describe, expect, it } from '@jest/globals';
import { shrunk } from './shrink.ts';

const evaluated = async (source: string): Promise<unknown> => {
  const { result } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as { readonly result: unknown };
  return result;
};

describe('a shrunk module', () => {
  it.each<{ name: string; source: string }>([
    { name: 'private members', source: 'class A { #count = 1; next() { return ++this.#count; } } export const result = new A().next();' },
    {
      name: 'defaults and absent members',
      source: 'const f = ({ a = 1, b } = {}) => [a, b ?? 2, b?.c]; export const result = [f(), f({ b: 0 })];',
    },
    {
      name: 'getters with effects',
      source: 'let n = 0; const o = { get next() { return ++n; } }; o.next; o.next; export const result = n;',
    },
    {
      name: 'generators and labels',
      source: 'function* g() { a: for (;;) for (const i of [1, 2, 3]) { if (i === 3) break a; yield i; } } export const result = [...g()];',
    },
    { name: 'big integers and templates', source: 'const n = 2n ** 64n; export const result = `${n}/${0.1 + 0.2}/${-0}`;' },
    { name: 'characters beyond ASCII', source: 'export const result = ["größe", /[\\u2028]/u.test("\\u2028"), "\\u{1f600}".length];' },
  ])('behaves the same: $name', async ({ source }) => {
    const short = await shrunk(source);
    expect(await evaluated(short)).toEqual(await evaluated(source));
    expect(short).toMatch(/^[\0-\x7f]+$/);
  });

  it('is shorter, and exports the same names', async () => {
    const source =
      'function unused() { return 1 } const someLongName = [1, 2].map((element) => element * 2); export { someLongName as result };';
    const short = await shrunk(source);
    expect(short.length).toBeLessThan(source.length / 2);
    expect(await evaluated(short)).toEqual([2, 4]);
  });
});
