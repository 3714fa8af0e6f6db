import { expect, it } from '@jest/globals';
import { isFailure } from '../api-error.ts';
import { parseEvent } from './read-watch.ts';
import { collectionPath, creationPath, objectPath, withQuery } from './resource-path.ts';

const how = { keepManagedFields: false, asked: 'GET /x' };
const event = (text: string): unknown => parseEvent(Buffer.from(text), how);

it('reads the events of a watch', () => {
  const object = { kind: 'Pod', metadata: { name: 'a' }, note: '"object":{}' };
  expect(event(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","managedFields":[{}]},"note":"\\"object\\":{}"}}`)).toEqual({
    type: 'ADDED',
    object,
  });
  expect(event(`{ "object": ${JSON.stringify(object)}, "type": "DELETED" }`)).toEqual({ type: 'DELETED', object });
});

it('reads bookmarks and the end of the initial events', () => {
  const bookmark = (annotations: object): string =>
    JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '7', annotations } } });
  expect(event(bookmark({}))).toEqual({ type: 'BOOKMARK', resourceVersion: '7', initialEventsEnd: false });
  expect(event(bookmark({ 'k8s.io/initial-events-end': 'true' }))).toEqual({
    type: 'BOOKMARK',
    resourceVersion: '7',
    initialEventsEnd: true,
  });
});

it('throws what an ERROR event says', () => {
  expect(() => event('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}')).toThrow(
    'GET /x: too old',
  );
});

it.each(['', 'x', '{}', '{"type":"ADDED"}', '{"type":"ODD","object":{}}', '{"type":"ADDED","object":{"a"}}'])('refuses %p', (line) => {
  expect(() => event(line)).toThrow(SyntaxError);
});

const things = { group: 'a.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

it('builds paths', () => {
  expect(collectionPath(things, undefined)).toBe('/apis/a.io/v1/things');
  expect(collectionPath(things, 'ns')).toBe('/apis/a.io/v1/namespaces/ns/things');
  expect(collectionPath(nodes, 'ignored')).toBe('/api/v1/nodes');
  expect(objectPath(things, { namespace: 'ns', name: 'x:y' }, 'status')).toBe('/apis/a.io/v1/namespaces/ns/things/x%3Ay/status');
  expect(objectPath(nodes, { namespace: '', name: 'n' })).toBe('/api/v1/nodes/n');
  expect(
    withQuery('/x', [
      ['a', 'b,c in (d)'],
      ['e', undefined],
      ['f', true],
      ['g', 1],
    ]),
  ).toBe('/x?a=b%2Cc%20in%20(d)&f=true&g=1');
  expect(withQuery('/x?y=1', [['a', '']])).toBe('/x?y=1&a=');
});

it.each<() => unknown>([
  () => objectPath(things, { namespace: 'ns', name: '' }),
  () => objectPath(things, { namespace: '', name: 'a' }),
  () => objectPath(things, { namespace: '..', name: 'a' }),
  () => objectPath(nodes, { namespace: '', name: 'a/b' }),
  () => creationPath(things, ''),
])('refuses a path that would mean something else (%#)', (build) => {
  let thrown: unknown;
  try {
    build();
  } catch (error) {
    thrown = error;
  }
  expect(isFailure(thrown, 'BadRequest')).toBe(true);
});
