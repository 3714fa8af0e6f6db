/** YAML as kubectl reads it. */
import { describe, expect, it } from '@jest/globals';
import { parseDocuments } from './documents.ts';

const specOf = (value: string): unknown => {
  const [object] = parseDocuments(`apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: ${value}\n`, 'a.yaml');
  return (object as unknown as { readonly spec: unknown }).spec;
};

describe('a scalar', () => {
  it.each<[name: string, written: string, read: unknown]>([
    ['date is a text', '2026-01-02', '2026-01-02'],
    ['time is a text', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['pair of ports is a text', '22:22', '22:22'],
    ['time with fractions is a text', '1:02.5', '1:02.5'],
    ['word of YAML 1.1 is a boolean', 'on', true],
    ['number with a leading 0 is octal', '010', 8],
  ])('that is a %s', (_name, written, read) => {
    expect(specOf(written)).toBe(read);
  });

  it('that is a date as a key is a text', () => {
    expect(specOf('{2026-01-02: a}')).toEqual({ '2026-01-02': 'a' });
  });
});
