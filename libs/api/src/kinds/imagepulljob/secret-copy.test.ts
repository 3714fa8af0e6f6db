import { expect, it } from '@jest/globals';
import { isNamedAsCopyOf, secretCopyName } from './secret-copy.ts';

const key = { namespace: 'default', name: 's' };

it('a copy has the name of its source and six digits, the same each time', () => {
  expect(secretCopyName(key, 0)).toMatch(/^s-[0-9a-f]{6}$/);
  expect(new Set([secretCopyName(key, 0), secretCopyName(key, 1), secretCopyName({ ...key, namespace: 'other' }, 0)]).size).toBe(3);
  expect(secretCopyName({ ...key, name: 'x'.repeat(253) }, 0)).toHaveLength(253);
  // The digits are those of 1.0: copies of an earlier version are found again.
  expect([secretCopyName(key, 0), secretCopyName(key, 1), secretCopyName({ ...key, name: 's518' }, 0)]).toEqual([
    's-d80b0d',
    's-bbe950',
    's518-0ffa55',
  ]);
});

it.each<[string, string, string, boolean]>([
  ['its namespace', 'default', 's-d80b0d', true],
  ['another namespace', 'other', 's-d80b0d', false],
  ['a name without digits', 'default', 's', false],
  ['no name', 'default', '', false],
  ['a name of a second attempt', 'default', 's-bbe950', false],
  ['a name of another manager', 'default', 's-000000', false],
  ['a name that was cut', 'default', secretCopyName({ ...key, name: 'x'.repeat(253) }, 0), false],
])('a copy is recognised by %s', (_name, namespace, name, expected) => {
  expect(isNamedAsCopyOf(namespace, name)).toBe(expected);
});
