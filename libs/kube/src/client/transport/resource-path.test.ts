import { expect, it } from '@jest/globals';
import { isFailure } from '../../api-error.ts';
import { collectionPath, creationPath, groupVersionPath, objectPath, urlPath, withQuery } from './resource-path.ts';

const things = { group: 'a.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

it('builds paths', () => {
  expect(collectionPath(things, undefined)).toBe('/apis/a.io/v1/things');
  expect(collectionPath(things, 'ns')).toBe('/apis/a.io/v1/namespaces/ns/things');
  expect(collectionPath(nodes, 'ignored')).toBe('/api/v1/nodes');
  expect(objectPath(things, { namespace: 'ns', name: 'x:y' }, 'status')).toBe('/apis/a.io/v1/namespaces/ns/things/x%3Ay/status');
  expect(objectPath(nodes, { namespace: '', name: 'n' })).toBe('/api/v1/nodes/n');
  expect(
    withQuery(urlPath`/x`, [
      ['a', 'b,c in (d)'],
      ['e', undefined],
      ['f', true],
      ['g', 1],
    ]),
  ).toBe('/x?a=b%2Cc%20in%20(d)&f=true&g=1');
  expect(withQuery(urlPath`/x?y=1`, [['a', '']])).toBe('/x?y=1&a=');
});

it.each<() => unknown>([
  () => objectPath(things, { namespace: 'ns', name: '' }),
  () => objectPath(things, { namespace: '', name: 'a' }),
  () => objectPath(things, { namespace: '..', name: 'a' }),
  () => objectPath(nodes, { namespace: '', name: 'a/b' }),
  () => creationPath(things, ''),
  () => objectPath(things, { namespace: 'ns', name: 'a%2Fb' }),
  () => objectPath(things, { namespace: 'ns', name: 'a' }, '../b'),
  () => collectionPath({ ...things, group: 'a.io/v1' }, 'ns'),
  () => collectionPath({ ...things, plural: 'secrets?watch=1' }, 'ns'),
  () => groupVersionPath({ group: '', version: 'v1%2Fsecrets' }),
  () => groupVersionPath({ group: '', version: '' }),
  () => groupVersionPath({ group: '..', version: 'v1' }),
  () => groupVersionPath({ group: 'a.io', version: 'v1/secrets' }),
  () => groupVersionPath({ group: 'a.io', version: 'v'.repeat(254) }),
  () => urlPath`/api/v1/namespaces/${''}`,
  () => urlPath`/api/v1/namespaces/${'..'}`,
  () => urlPath`/api/v1/namespaces/${'a/secrets'}`,
])('refuses a path with another meaning (%#)', (build) => {
  let thrown: unknown;
  try {
    build();
  } catch (error) {
    thrown = error;
  }
  expect(isFailure(thrown, 'BadRequest')).toBe(true);
});

it('a value in a path is escaped, the fixed parts are not', () => {
  expect(urlPath`/api/v1/namespaces/${'a?b=#ü'}/pods`).toBe('/api/v1/namespaces/a%3Fb%3D%23%C3%BC/pods');
});
