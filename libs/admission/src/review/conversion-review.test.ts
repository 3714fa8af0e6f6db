import { describe, expect, it } from '@jest/globals';
import { answerConversionReview, type Convert } from './conversion-review.ts';

const convert: Convert = (object, apiVersion) =>
  object.metadata.name === 'bad' ? { kind: 'Failed', message: 'bad is bad' } : { kind: 'Converted', object: { ...object, apiVersion } };
const request = { uid: 'u1', desiredAPIVersion: 'g/v1', objects: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }] };
const review = { apiVersion: 'apiextensions.k8s.io/v1beta1', kind: 'ConversionReview', request };
const answer = (body: string): unknown => {
  const text = answerConversionReview(Buffer.from(body), convert);
  return text === undefined ? undefined : JSON.parse(text);
};
const answerTo = (body: unknown): unknown => answer(JSON.stringify(body));

describe('a conversion review', () => {
  it('is answered in its version, with the objects in their order', () => {
    expect(answerTo(review)).toEqual({
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

  it('fails as a whole when one object cannot be converted', () => {
    expect(answerTo({ ...review, request: { ...request, objects: [...request.objects, { metadata: { name: 'bad' } }] } })).toMatchObject({
      response: { uid: 'u1', result: { status: 'Failure', message: 'bad is bad' } },
    });
  });

  it.each([[undefined], [7]])('whose version is %p is answered in v1', (apiVersion) => {
    expect(answerTo({ ...review, apiVersion })).toMatchObject({ apiVersion: 'apiextensions.k8s.io/v1', response: { uid: 'u1' } });
  });

  it('may be nested 200 deep', () => {
    const nested = (depth: number): string =>
      // The review, its request, the list and the object are four.
      JSON.stringify({ ...review, request: { ...request, objects: [{ metadata: { name: 'a' }, deep: 'DEEP' }] } }).replace(
        '"DEEP"',
        '['.repeat(depth - 4) + ']'.repeat(depth - 4),
      );
    expect(answer(nested(200))).toMatchObject({ response: { result: { status: 'Success' } } });
    expect(answer(nested(201))).toBeUndefined();
  });

  it.each<{ name: string; body: string }>([
    { name: 'broken JSON', body: '{' },
    { name: 'null', body: 'null' },
    { name: 'a review without request', body: JSON.stringify({ ...review, request: undefined }) },
    { name: 'a request without uid', body: JSON.stringify({ ...review, request: { ...request, uid: undefined } }) },
    { name: 'a request without version', body: JSON.stringify({ ...review, request: { ...request, desiredAPIVersion: 1 } }) },
    { name: 'a request without objects', body: JSON.stringify({ ...review, request: { ...request, objects: {} } }) },
  ])('is not $name', ({ body }) => {
    expect(answer(body)).toBeUndefined();
  });
});
