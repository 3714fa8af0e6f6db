import { describe, expect, it } from '@jest/globals';
import { diffJson, formatJsonPath } from './json-diff.ts';

describe('the differences of two JSON trees', () => {
  it.each<{ name: string; before: unknown; after: unknown; then: string[] }>([
    { name: 'are none between equals', before: { a: [1, { b: null }] }, after: { a: [1, { b: null }] }, then: [] },
    {
      name: 'are reported as deep as the shapes agree',
      before: { a: { b: [1, 2] } },
      after: { a: { b: [1, 3] } },
      then: ['a.b[1]: 2 -> 3'],
    },
    {
      name: 'of objects follow the members before, then the new ones',
      before: { c: 1, a: 1 },
      after: { b: 2, a: 2 },
      then: ['c: 1 -> undefined', 'a: 1 -> 2', 'b: undefined -> 2'],
    },
    {
      name: 'of a list that grew are its last elements',
      before: [1],
      after: [1, 2, 3],
      then: ['[1]: undefined -> 2', '[2]: undefined -> 3'],
    },
    { name: 'of a list that shrank are its last elements', before: [1, 2], after: [1], then: ['[1]: 2 -> undefined'] },
    { name: 'are reported whole when a list became an object', before: { a: [] }, after: { a: {} }, then: ['a: [] -> {}'] },
    { name: 'are reported whole when an object became a list', before: { a: {} }, after: { a: [] }, then: ['a: {} -> []'] },
    { name: 'are reported whole when an object became null', before: { a: {} }, after: { a: null }, then: ['a: {} -> null'] },
    { name: 'are reported whole when null became an object', before: { a: null }, after: { a: {} }, then: ['a: null -> {}'] },
    { name: 'distinguish numbers and strings', before: 1, after: '1', then: [': 1 -> "1"'] },
  ])('$name', ({ before, after, then }) => {
    const written = diffJson(before, after).map(
      (one) => `${formatJsonPath(one.path)}: ${JSON.stringify(one.before)} -> ${JSON.stringify(one.after)}`,
    );
    expect(written).toEqual(then);
  });

  it('have paths as in messages', () => {
    expect(formatJsonPath(['spec', 'containers', 0, 'image'])).toBe('spec.containers[0].image');
    expect(formatJsonPath([0, 'a', 1, 2])).toBe('[0].a[1][2]');
  });
});
