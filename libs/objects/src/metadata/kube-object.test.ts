import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, formatKey, keyOf, parseKey } from './kube-object.ts';

describe('the key of an object', () => {
  it.each([
    ['default/web', { namespace: 'default', name: 'web' }],
    ['node-1', { namespace: '', name: 'node-1' }],
  ])('is %s as a text', (text, key) => {
    expect(formatKey(key)).toBe(text);
    expect(parseKey(text)).toEqual(key);
    const { namespace, name } = key;
    expect(keyOf({ metadata: { name, ...(namespace === '' ? {} : { namespace }) } })).toEqual(key);
  });

  it('is split at the first slash', () => {
    expect(parseKey('/a')).toEqual({ namespace: '', name: 'a' });
    expect(parseKey('a/b/c')).toEqual({ namespace: 'a', name: 'b/c' });
  });
});

it('has no group in the apiVersion of the core group', () => {
  expect([apiVersionOf({ group: '', version: 'v1' }), apiVersionOf({ group: 'apps', version: 'v1' })]).toEqual(['v1', 'apps/v1']);
});
