import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from '@jest/globals';
import { answerConversionReview, type ConversionAnswer, type Convert } from './conversion-review.ts';

const convert: Convert = (object, apiVersion) =>
  object.metadata.name === 'bad' ? { kind: 'Failed', message: 'bad is bad' } : { kind: 'Converted', object: { ...object, apiVersion } };
const request = { uid: 'u1', desiredAPIVersion: 'g/v1', objects: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] };
const review = { apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'ConversionReview', request };
let turns = 0;
const work = { convert, objectLimit: 100_000, turn: () => Promise.resolve(void turns++) };
const reply = (body: string, over: object = {}): Promise<ConversionAnswer> =>
  answerConversionReview(Buffer.from(body), { ...work, ...over });
const textOf = (answered: ConversionAnswer): string | undefined =>
  answered.kind === 'Answered' ? Buffer.concat(answered.pieces).toString() : undefined;
const answer = async (body: string): Promise<unknown> => {
  const text = textOf(await reply(body));
  return text === undefined ? undefined : JSON.parse(text);
};
const answerTo = (body: unknown): Promise<unknown> => answer(JSON.stringify(body));
const withObjects = (text: string): string =>
  JSON.stringify({ ...review, request: { ...request, objects: [] } }).replace('[]', `[${text}]`);

describe('a conversion review', () => {
  it('is answered in its version, with the objects in their order', async () => {
    expect(await answerTo(review)).toEqual({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      response: {
        uid: 'u1',
        convertedObjects: [
          { apiVersion: 'g/v1', metadata: { name: 'a' } },
          { apiVersion: 'g/v1', metadata: { name: 'b' } },
        ],
        result: { status: 'Success' },
      },
    });
  });

  it.each<[object, string]>([
    [{ kind: 'K', metadata: { namespace: 'shop', name: 'bad' } }, 'K shop/bad: bad is bad'],
    [{ kind: 'K', metadata: { name: 'bad' } }, 'K bad: bad is bad'],
    [{ kind: ['K'], metadata: { namespace: {}, name: 'bad' } }, 'bad: bad is bad'],
  ])('fails as a whole when one object, %j, cannot be converted, and names it', async (bad, message) => {
    expect(await answerTo({ ...review, request: { ...request, objects: [...request.objects, bad] } })).toMatchObject({
      response: { uid: 'u1', result: { status: 'Failure', message } },
    });
  });

  it.each([[undefined], [7]])('whose version is %p is answered in v1', async (apiVersion) => {
    expect(await answerTo({ ...review, apiVersion })).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', response: { uid: 'u1' } });
  });

  it('may be nested 200 deep', async () => {
    const nested = (depth: number): string =>
      // The review, its request, the list and the object are four.
      JSON.stringify({ ...review, request: { ...request, objects: [{ metadata: { name: 'a' }, deep: 'DEEP' }] } }).replace(
        '"DEEP"',
        '['.repeat(depth - 4) + ']'.repeat(depth - 4),
      );
    expect(await answer(nested(200))).toMatchObject({ response: { result: { status: 'Success' } } });
    expect(await answer(nested(201))).toBeUndefined();
  });

  it.each<{ name: string; body: string }>([
    { name: 'broken JSON', body: '{' },
    { name: 'null', body: 'null' },
    { name: 'a review without request', body: JSON.stringify({ ...review, request: undefined }) },
    { name: 'a request without uid', body: JSON.stringify({ ...review, request: { ...request, uid: undefined } }) },
    { name: 'a request without version', body: JSON.stringify({ ...review, request: { ...request, desiredAPIVersion: 1 } }) },
    { name: 'a list of objects that does not end', body: withObjects('{},{}').slice(0, -3) },
    { name: 'a list with an extra comma', body: withObjects('{},') },
    { name: 'a list with a comma before it', body: withObjects(',{}') },
    { name: 'two objects without a comma', body: withObjects('{} {}') },
    { name: 'a list that ends with another bracket', body: withObjects('{}').replace('[{}]', '[{}}') },
    { name: 'an object that is no JSON', body: withObjects('{"metadata":{}},{a:1}') },
    { name: 'a list that occurs twice', body: withObjects('{}').replace('"objects":', '"objects":[{}],"objects":') },
    { name: 'a review with something after it', body: `${withObjects('{}')}x` },
    { name: 'a string that does not end', body: '{"request":{"objects":["' },
    { name: 'a request without objects', body: JSON.stringify({ ...review, request: { ...request, objects: {} } }) },
  ])('is not $name', async ({ body }) => {
    expect(await answer(body)).toBeUndefined();
  });

  it('may be in any order, with white space, and with brackets and quotes in strings', async () => {
    const named = { metadata: { name: 'a', labels: { x: 'a"]},{[\\' } } };
    const body = `{ "request" : { "objects" : [ ${JSON.stringify(named)} , {"metadata":{"objects":[1]}} ] , "desiredAPIVersion": "g/v1", "uid": "u" } }`;
    expect(await answer(body)).toMatchObject({
      response: {
        uid: 'u',
        convertedObjects: [
          { apiVersion: 'g/v1', ...named },
          { apiVersion: 'g/v1', metadata: { objects: [1] } },
        ],
      },
    });
    expect(await answerTo({ ...review, request: { ...request, objects: [] } })).toMatchObject({ response: { convertedObjects: [] } });
  });

  it('keeps integers beyond 2^53', async () => {
    expect(textOf(await reply(withObjects('{"metadata":{},"big":9007199254740993}')))).toContain('"big":9007199254740993');
  });

  it('of many objects is converted in slices, none of them lost', async () => {
    turns = 0;
    const names = Array.from({ length: 20_000 }, (_, index) => `object-${index}`);
    const objects = names.map((name) => ({ metadata: { name, annotations: { a: 'x'.repeat(100) } } }));
    const answered = (await answerTo({ ...review, request: { ...request, objects } })) as {
      response: { convertedObjects: { metadata: { name: string } }[] };
    };
    expect(answered.response.convertedObjects.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(turns).toBeGreaterThan(10);
  });

  it('is abandoned when its caller no longer waits for it', async () => {
    const large = withObjects(Array.from({ length: 20_000 }, () => '{"metadata":{"name":"a","annotations":{}}}').join());
    await expect(reply(large, { turn: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone');
  });

  it.each<[string, string, RegExp]>([
    ['an object above the limit', withObjects(`{"metadata":{"name":"${'a'.repeat(100_000)}"}}`), /an object has more than 100000 bytes/],
    ['more objects than a list has', withObjects(Array.from({ length: 100_001 }, () => '1').join()), /more than 100000 objects/],
    ['much beside its objects', withObjects('').replace('"u1"', `"${'u'.repeat(70_000)}"`), /bytes beside its objects/],
  ])('with %s is too large', async (_name, body, why) => {
    expect(await reply(body)).toEqual({ kind: 'TooLarge', why: expect.stringMatching(why) });
  });

  it('of 9 MB of small values is converted in a thread with 24 MB of heap', async () => {
    const thread = new Worker(new URL('large-conversion.testing.ts', import.meta.url), {
      workerData: { objects: 15_000, padding: 200 },
      resourceLimits: { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 8 },
    });
    const [reported] = (await once(thread, 'message')) as [{ kind: string; bodyBytes: number; bytes: number }];
    expect(reported.kind).toBe('Answered');
    expect(reported.bodyBytes).toBeGreaterThan(9_000_000);
    expect(reported.bytes).toBeGreaterThan(reported.bodyBytes);
    await thread.terminate();
  });
});
