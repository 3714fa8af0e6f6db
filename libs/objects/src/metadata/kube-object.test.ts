import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, formatKey, identityIn, keyOf, parseKey } from './kube-object.ts';

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

it('is identified by name, namespace, uid and version, as far as it has them', () => {
  const identity = { name: 'web', namespace: 'default', uid: 'u-1', resourceVersion: '7' };
  expect(identityIn({ ...identity, generation: 2, labels: { app: 'web' }, finalizers: ['example.com/a'] })).toEqual(identity);
  expect(Object.keys(identityIn({ name: 'node-1' }))).toEqual(['name']);
});

it('has no group in the apiVersion of the core group', () => {
  expect([apiVersionOf({ group: '', version: 'v1' }), apiVersionOf({ group: 'apps', version: 'v1' })]).toEqual(['v1', 'apps/v1']);
});
