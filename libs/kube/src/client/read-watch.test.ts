import { expect, it } from '@jest/globals';
import { pods } from '@kruise/objects';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseEvent, takeWatch } from './read-watch.ts';
import { TransportError, type WireResponse } from './transport/transport.ts';

const how = { type: pods, keepManagedFields: false, asked: 'GET /x' };
const event = (text: string): unknown => parseEvent(Buffer.from(text), how);

it('reads the events of a watch', () => {
  const object = { kind: 'Pod', metadata: { name: 'a' }, note: '"object":{}' };
  expect(event(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","managedFields":[{}]},"note":"\\"object\\":{}"}}`)).toEqual({
    type: 'ADDED',
    object,
  });
  expect(event(`{ "object": ${JSON.stringify(object)}, "type": "DELETED" }`)).toEqual({ type: 'DELETED', object });
});

it('keeps only the metadata on request, with the kind of the object', () => {
  const metadata = { name: 'a', resourceVersion: '7' };
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  // A server that does not support partial objects sends whole ones.
  for (const object of [partial, { kind: 'Pod', metadata, spec: { nodeName: 'n' } }])
    expect(parseEvent(Buffer.from(JSON.stringify({ type: 'MODIFIED', object })), { ...how, part: 'Metadata' })).toStrictEqual({
      type: 'MODIFIED',
      object: { apiVersion: 'v1', kind: 'Pod', metadata },
    });
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

it('throws the Status of an ERROR event', () => {
  expect(() => event('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}')).toThrow(
    'GET /x: too old',
  );
});

it.each([
  ...['', 'x', '{}', '{"type":"ADDED"}', '{"type":"ODD","object":{}}', '{"type":"ADDED","object":{"a"}}'],
  ...['{"type":"BOOKMARK","object":{}}', '{"type":"BOOKMARK","object":null}', '{"type":"BOOKMARK","object":{"metadata":null}}'],
])('refuses %p', (line) => {
  expect(() => event(line)).toThrow(SyntaxError);
});

const line = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', metadata: { name } } })}\n`;
const nameOf = (given: { type: string; object?: { metadata: { name: string } } }): string => given.object?.metadata.name ?? given.type;

/** Returns a watch whose bytes the test writes. */
function aWatch(whole = true): { body: PassThrough; answer: WireResponse } {
  const body = new PassThrough();
  return { body, answer: { status: 200, retryAfter: undefined, body, isWhole: () => whole } };
}

it('passes events on as they arrive, one after the other', async () => {
  const { body, answer } = aWatch();
  const seen: string[] = [];
  const { promise: turn, resolve: goOn } = Promise.withResolvers<void>();
  const ended = takeWatch(answer, how, (given) => {
    seen.push(nameOf(given));
    return seen.length === 2 ? turn : undefined;
  });
  const text = line('a') + line('b') + line('c') + line('d');
  body.write(text.slice(0, 20));
  body.write(text.slice(20));
  body.end(line('e'));
  await nextTurn();
  expect(seen).toEqual(['a', 'b']);
  goOn();
  await ended;
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('passes no more events on once the watch is closed', async () => {
  const { body, answer } = aWatch();
  const seen: string[] = [];
  const { promise: turn, resolve: goOn } = Promise.withResolvers<void>();
  const ended = takeWatch(answer, how, (given) => {
    seen.push(nameOf(given));
    return turn;
  });
  body.write(line('a') + line('b'));
  await nextTurn();
  body.destroy();
  await expect(ended).rejects.toThrow(TransportError);
  goOn();
  await nextTurn();
  expect(seen).toEqual(['a']);
});

it.each([
  [
    'at once',
    (error: Error): Promise<void> => {
      throw error;
    },
  ],
  ['later', (error: Error): Promise<void> => Promise.reject(error)],
])('ends with what its taker throws %s, and closes the stream', async (_when, fail) => {
  const { body, answer } = aWatch();
  const refused = new Error('refused');
  const ended = takeWatch(answer, how, () => fail(refused));
  body.write(line('a') + line('b'));
  await expect(ended).rejects.toBe(refused);
  expect(body.destroyed).toBe(true);
});

it.each([
  ['in the middle of an event', line('a').slice(0, -4), true],
  ['by a broken connection', line('a'), false],
])('reports that the watch ended %s', async (_how, text, whole) => {
  const { body, answer } = aWatch(whole);
  const ended = takeWatch(answer, how, () => undefined);
  body.end(text);
  await expect(ended).rejects.toThrow(TransportError);
});

it('lets the rest of the program run while many events arrive', async () => {
  const { body, answer } = aWatch();
  let turns = 0;
  let running = true;
  const counting = (async () => {
    for (; running; turns++) await nextTurn();
  })();
  const ended = takeWatch(answer, how, () => {
    const until = performance.now() + 1;
    while (performance.now() < until);
    return undefined;
  });
  for (let at = 0; at < 60; at++) body.write(line(`pod-${at}`));
  body.end();
  await ended;
  running = false;
  await counting;
  expect(turns).toBeGreaterThanOrEqual(4);
});
