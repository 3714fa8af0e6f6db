/** To which findings a request to ignore applies. */
import { expect, it } from '@jest/globals';
import { isIgnored, unknownIds } from './ignored.ts';

it.each<{ name: string; comment: number; finding: number; ignored: boolean }>([
  { name: 'before the object', comment: 2, finding: 90, ignored: true },
  { name: 'in the line', comment: 20, finding: 20, ignored: true },
  { name: 'in the line before', comment: 19, finding: 20, ignored: true },
  { name: 'two lines before', comment: 18, finding: 20, ignored: false },
  { name: 'in the line after', comment: 21, finding: 20, ignored: false },
  { name: 'in the first line of the object', comment: 10, finding: 20, ignored: false },
])('a comment $name: $ignored', ({ comment, finding, ignored }) => {
  const extent = { firstLine: 10, comments: [{ line: comment, ids: ['KR101'] }], annotated: [] };
  expect(isIgnored('KR101', finding, extent)).toBe(ignored);
  expect(isIgnored('KR102', finding, extent)).toBe(false);
});

it('an annotation applies to the whole object', () => {
  expect(isIgnored('KR101', 20, { firstLine: 10, comments: [], annotated: ['KR101'] })).toBe(true);
});

it('names what is no finding', () => {
  expect(unknownIds(['KR101', 'KR999', 'toString'])).toEqual(['KR999', 'toString']);
});
