import { describe, expect, it } from '@jest/globals';
import { formatAdmissionReview, parseAdmissionReview, tooLarge } from './admission-review.ts';
import type { AdmissionRequest, Decision } from './decision.ts';

const request: AdmissionRequest = {
  uid: 'u1',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  operation: 'CREATE',
  userInfo: { username: 'someone' },
  object: { metadata: { name: 'a' } },
};
const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
const parse = (body: unknown, contentType: string | undefined = 'application/json'): unknown =>
  parseAdmissionReview(Buffer.from(JSON.stringify(body)), contentType);
const fault = (message: unknown, uid = ''): object => ({ kind: 'Faulty', apiVersion: 'admission.k8s.io/v1', uid, message });

describe('an admission review', () => {
  it('is read as it was sent', () => {
    expect(parse(review)).toEqual({ kind: 'Parsed', apiVersion: 'admission.k8s.io/v1', request });
    const { userInfo: _userInfo, ...anonymous } = request;
    expect(parse({ ...review, apiVersion: 'admission.k8s.io/v1beta1', request: anonymous })).toEqual({
      kind: 'Parsed',
      apiVersion: 'admission.k8s.io/v1beta1',
      request: { ...anonymous, userInfo: {} },
    });
  });

  it.each([['application/json'], ['application/json; charset=utf-8'], ['application/json ;charset=utf-8'], ['Application/JSON']])(
    'may have the content type %s',
    (contentType) => {
      expect(parse(review, contentType)).toMatchObject({ kind: 'Parsed' });
    },
  );

  it.each([['text/plain'], ['text/application/json'], ['application/jsonp'], ['application/jsonp;'], ['']])(
    'must not have the content type "%s"',
    (contentType) => {
      expect(parse(review, contentType)).toEqual(fault(`contentType=${contentType}, expected application/json`));
    },
  );

  it('must have a content type and a body', () => {
    expect(parseAdmissionReview(Buffer.from('{}'), undefined)).toEqual(fault('contentType=, expected application/json'));
    expect(parseAdmissionReview(Buffer.alloc(0), 'application/json')).toEqual(fault('request body is empty'));
  });

  it('may be nested 200 deep', () => {
    const nested = (depth: number): unknown => ({
      ...review,
      // The review, its request and the object are three.
      request: {
        ...request,
        object: { metadata: { name: 'a' }, deep: JSON.parse('['.repeat(depth - 3) + ']'.repeat(depth - 3)) as unknown },
      },
    });
    expect(parse(nested(200))).toMatchObject({ kind: 'Parsed' });
    expect(parse(nested(201))).toEqual(fault('the object is nested deeper than 200 levels'));
  });

  it.each<{ name: string; body: unknown }>([
    { name: 'null', body: null },
    { name: 'a list', body: [review] },
    { name: 'a string', body: 'AdmissionReview' },
    { name: 'another kind', body: { ...review, kind: 'ConversionReview' } },
    { name: 'another version', body: { ...review, apiVersion: 'admission.k8s.io/v2' } },
    { name: 'no version', body: { ...review, apiVersion: undefined } },
    { name: 'a version that is no string', body: { ...review, apiVersion: ['admission.k8s.io/v1'] } },
  ])('is not $name', ({ body }) => {
    expect(parse(body)).toEqual(fault('expected an AdmissionReview of admission.k8s.io/v1 or v1beta1'));
  });

  it.each<{ name: string; change: object }>([
    { name: 'no kind', change: { kind: undefined } },
    { name: 'a kind that is null', change: { kind: null } },
    { name: 'a kind that is a string', change: { kind: 'Pod' } },
    { name: 'a kind without version', change: { kind: { group: '', kind: 'Pod' } } },
    { name: 'a kind without name', change: { kind: { group: '', version: 'v1' } } },
    { name: 'no resource', change: { resource: undefined } },
    { name: 'a resource without version', change: { resource: { resource: 'pods' } } },
    { name: 'a resource whose name is no string', change: { resource: { version: 'v1', resource: 1 } } },
  ])('must not have $name', ({ change }) => {
    expect(parse({ ...review, request: { ...request, ...change } })).toEqual(
      fault('request.kind and request.resource must be given', 'u1'),
    );
  });

  it.each<{ name: string; object: unknown }>([
    { name: 'a string', object: 'Pod' },
    { name: 'a list', object: [] },
    { name: 'an object whose metadata is null', object: { metadata: null } },
    { name: 'an object whose metadata is a list', object: { metadata: [] } },
  ])('must not contain $name, old or new', ({ object }) => {
    const answer = fault('request.object and request.oldObject must be objects', 'u1');
    expect(parse({ ...review, request: { ...request, object } })).toEqual(answer);
    expect(parse({ ...review, request: { ...request, oldObject: object } })).toEqual(answer);
  });

  it.each<{ name: string; change: object }>([
    { name: 'nothing', change: { object: undefined } },
    { name: 'null', change: { object: null, oldObject: null } },
    { name: 'an object without metadata', change: { object: { kind: 'DeleteOptions' }, oldObject: {} } },
  ])('may contain $name', ({ change }) => {
    expect(parse({ ...review, request: { ...request, ...change } })).toMatchObject({ kind: 'Parsed' });
  });

  it('without a readable uid has an empty one', () => {
    expect(parse({ ...review, request: { ...request, uid: 7 } })).toMatchObject({ kind: 'Parsed', request: { uid: '' } });
    expect(parse({ ...review, request: { ...request, uid: 7, kind: null } })).toMatchObject({ kind: 'Faulty', uid: '' });
  });

  it('without a request is answered in its version', () => {
    expect(parse({ ...review, apiVersion: 'admission.k8s.io/v1beta1', request: null })).toEqual({
      ...fault('the review has no request'),
      apiVersion: 'admission.k8s.io/v1beta1',
    });
  });
});

describe('the answer', () => {
  const answer = (decision: Decision, to?: AdmissionRequest): unknown =>
    JSON.parse(formatAdmissionReview('admission.k8s.io/v1beta1', 'u1', decision, to));
  const patch = (...operations: readonly object[]): string => Buffer.from(JSON.stringify(operations)).toString('base64');

  it.each<{ decision: Decision; response: object }>([
    { decision: { kind: 'Allowed' }, response: { allowed: true, status: { code: 200 } } },
    { decision: { kind: 'Allowed', warnings: [] }, response: { allowed: true, status: { code: 200 } } },
    { decision: { kind: 'Allowed', warnings: ['w'] }, response: { allowed: true, status: { code: 200 }, warnings: ['w'] } },
    {
      decision: { kind: 'Allowed', warnings: Array.from({ length: 101 }, (_, i) => `w${i}`) },
      response: { allowed: true, status: { code: 200 }, warnings: Array.from({ length: 100 }, (_, i) => `w${i}`) },
    },
    {
      decision: { kind: 'Changed', object: { metadata: { name: 'b' } }, warnings: ['w'] },
      response: {
        allowed: true,
        status: { code: 200 },
        patchType: 'JSONPatch',
        patch: patch({ op: 'replace', path: '/metadata/name', value: 'b' }),
        warnings: ['w'],
      },
    },
    {
      decision: { kind: 'Changed', object: { metadata: { name: 'a' } }, warnings: ['w'] },
      response: { allowed: true, status: { code: 200 }, warnings: ['w'] },
    },
    {
      decision: { kind: 'Denied', message: 'no', warnings: ['w'] },
      response: { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'no' }, warnings: ['w'] },
    },
    {
      decision: { kind: 'NotYet', message: 'no', cause: { reason: 'DisruptionBudget', message: 'used up' }, warnings: ['w'] },
      response: {
        allowed: false,
        status: {
          code: 429,
          reason: 'TooManyRequests',
          message: 'no',
          details: { causes: [{ reason: 'DisruptionBudget', message: 'used up' }] },
        },
        warnings: ['w'],
      },
    },
    {
      decision: { kind: 'Failed', code: 422, message: 'no', warnings: ['w'] },
      response: { allowed: false, status: { code: 422, message: 'no' }, warnings: ['w'] },
    },
  ])('to $decision', ({ decision, response }) => {
    expect(answer(decision, request)).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1beta1',
      response: { uid: 'u1', ...response },
    });
  });

  it('to a body that is too large states the limit', () => {
    expect(JSON.parse(tooLarge(17))).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: { uid: '', allowed: false, status: { code: 413, message: 'request entity is too large; limit is 17 bytes' } },
    });
  });
});
