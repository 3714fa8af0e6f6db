import { describe, expect, it } from '@jest/globals';
import { isNotServed } from '../../api-error.ts';
import { errorFromAnswer, errorFromStatus, parseRetryAfter, unreachable } from './error-from-answer.ts';

const asked = 'GET /api/v1/pods';
const status = (code: number, reason: string, more: object = {}): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  code,
  reason,
  message: 'words',
  ...more,
});
const failureOf = (code: number, body: unknown, retryAfter?: string): unknown => errorFromAnswer({ code, body, retryAfter, asked }).failure;

describe('errorFromAnswer', () => {
  it.each([
    [400, 'BadRequest', 'BadRequest'],
    [401, 'Unauthorized', 'Unauthorized'],
    [403, 'Forbidden', 'Forbidden'],
    [405, 'MethodNotAllowed', 'MethodNotAllowed'],
    [409, 'AlreadyExists', 'AlreadyExists'],
    [409, 'Conflict', 'Conflict'],
    [409, '', 'Conflict'],
    [410, 'Gone', 'Gone'],
    [410, 'Expired', 'Gone'],
    [410, '', 'Gone'],
    [415, 'UnsupportedMediaType', 'UnsupportedMediaType'],
  ])('%i %s is %s', (code, reason, kind) => {
    expect(failureOf(code, status(code, reason))).toEqual({ kind });
  });

  it.each([
    { name: 'a Status that names an object', body: status(404, 'NotFound', { details: { name: 'a', kind: 'pods' } }), kind: 'NotFound' },
    { name: 'a Status that names none', body: status(404, 'NotFound', { details: {} }), kind: 'ServerError' },
    { name: 'a Status without details', body: status(404, 'NotFound'), kind: 'ServerError' },
    { name: 'a Status without reason', body: status(404, '', { details: { name: 'a' } }), kind: 'ServerError' },
    { name: 'a page', body: '<html>not here</html>', kind: 'ServerError' },
    { name: 'nothing', body: '', kind: 'ServerError' },
  ])('404 with $name is $kind', ({ body, kind }) => {
    const error = errorFromAnswer({ code: 404, body, asked });
    expect([error.failure.kind, isNotServed(error)]).toEqual([kind, true]);
  });

  it.each([
    [410, 'Gone'],
    [403, 'Forbidden'],
  ])('the code %i alone is sufficient', (code, kind) => {
    expect(failureOf(code, '')).toEqual({ kind });
  });

  it('Invalid contains its causes, whatever they lack', () => {
    const causes = [{ field: 'spec.replicas', reason: 'FieldValueInvalid', message: 'Invalid value: -1' }, {}];
    expect(failureOf(422, status(422, 'Invalid', { details: { causes } }))).toEqual({
      kind: 'Invalid',
      causes: [causes[0], { field: '', reason: '', message: '' }],
    });
    expect(failureOf(422, status(422, 'Invalid', { details: { causes: 'x' } }))).toEqual({ kind: 'Invalid', causes: [] });
  });

  it.each<{ details: unknown; read: unknown }>([
    { details: { name: 'a', group: 'g', kind: 'pods', uid: 'u', causes: [] }, read: { name: 'a', group: 'g', kind: 'pods', uid: 'u' } },
    { details: { name: 'a' }, read: { name: 'a', group: '', kind: '', uid: '' } },
    { details: { name: 7, group: {}, kind: null }, read: { name: '', group: '', kind: '', uid: '' } },
    { details: 'x', read: { name: '', group: '', kind: '', uid: '' } },
    { details: null, read: undefined },
    { details: undefined, read: undefined },
  ])('names the object of the Status ($details)', ({ details, read }) => {
    expect(errorFromAnswer({ code: 404, body: status(404, 'NotFound', { details }), asked }).details).toEqual(read);
  });

  it('a Forbidden keeps its causes as well', () => {
    const details = { causes: [{ field: 'metadata.namespace', reason: 'NamespaceTerminating', message: 'm' }] };
    expect(errorFromAnswer({ code: 403, body: status(403, 'Forbidden', { details }), asked }).causes).toEqual(details.causes);
  });

  it('TooManyRequests waits as long as the header or else the Status requests', () => {
    expect(failureOf(429, status(429, 'TooManyRequests', { details: { retryAfterSeconds: 3 } }))).toEqual({
      kind: 'TooManyRequests',
      retryAfter: 3_000,
    });
    expect(failureOf(429, status(429, 'TooManyRequests', { details: { retryAfterSeconds: 3 } }), '7')).toEqual({
      kind: 'TooManyRequests',
      retryAfter: 7_000,
    });
    expect(failureOf(429, '')).toEqual({ kind: 'TooManyRequests', retryAfter: 0 });
  });

  it('everything else is a ServerError with its code', () => {
    expect(failureOf(500, status(500, 'InternalError'))).toEqual({ kind: 'ServerError', status: 500 });
    expect(failureOf(503, '<html>away</html>', '2')).toEqual({ kind: 'ServerError', status: 503, retryAfter: 2_000 });
    expect(failureOf(413, status(413, 'RequestEntityTooLarge'))).toEqual({ kind: 'ServerError', status: 413 });
  });

  it.each<[string, unknown, string]>([
    ['the message of the Status', status(404, 'NotFound'), `${asked}: words`],
    ['the words of a page', '<html><style>x{}</style><p>No  <b>way</b></p>', `${asked}: the server answered 404: No way`],
    ['an empty body', '', `${asked}: the server answered 404 without a message`],
    ['JSON that is no Status', { a: 1 }, `${asked}: the server answered 404 without a message`],
    ['null', null, `${asked}: the server answered 404 without a message`],
  ])('contains the request and %s', (_name, body, message) => {
    const error = errorFromAnswer({ code: 404, body, asked });
    expect([error.message, `${asked}: ${error.said}`]).toEqual([message, message]);
  });

  it('cuts a long page', () => {
    expect(errorFromAnswer({ code: 502, body: 'x'.repeat(10_000), asked }).message.length).toBeLessThan(400);
  });
});

it('the Status in a watch becomes the same error', () => {
  expect(errorFromStatus(status(410, 'Expired'), asked)).toMatchObject({ failure: { kind: 'Gone' }, code: 410, reason: 'Expired' });
  expect(errorFromStatus('nonsense', asked).failure).toEqual({ kind: 'ServerError', status: 500 });
});

it('an error of several addresses reports the first', () => {
  expect(unreachable(asked, new AggregateError([new Error('connect ECONNREFUSED')], '')).message).toBe(`${asked}: connect ECONNREFUSED`);
});

it.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['soon', undefined],
  ['0', 0],
  [' 12 ', 12_000],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 9_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
])('Retry-After %p is %p ms', (header, wait) => {
  expect(parseRetryAfter(header, 1_000)).toBe(wait);
});
