import { expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { ApiError } from '../api-error.ts';
import { failures } from '../testing/fake-server.ts';
import { EndedEarly, HistoryInDoubt, MalformedAnswer, nextStep, Stalled, type NextStep } from './watch-failure.ts';

const again = (more: object = {}): NextStep => ({ kind: 'Again', atLeast: undefined, reached: true, ...more });
const throttled = new ApiError('wait', { kind: 'TooManyRequests', retryAfter: milliseconds(2000) });
const overloaded = new ApiError('wait', { kind: 'ServerError', status: 503, retryAfter: milliseconds(3000) });
const refused = (kind: 'MethodNotAllowed' | 'UnsupportedMediaType'): ApiError => new ApiError(kind, { kind });
const invalid = new ApiError('invalid', { kind: 'Invalid', causes: [] });

it.each<{ name: string; error: unknown; streaming: NextStep; otherwise: NextStep }>([
  {
    name: 'an expired version',
    error: failures.gone(),
    streaming: { kind: 'Relist', atOnce: true },
    otherwise: { kind: 'Relist', atOnce: true },
  },
  {
    name: 'a history that is in doubt',
    error: new HistoryInDoubt('set back'),
    streaming: { kind: 'Relist', atOnce: true },
    otherwise: { kind: 'Relist', atOnce: true },
  },
  {
    name: 'a malformed answer',
    error: new MalformedAnswer('no object'),
    streaming: { kind: 'Relist', atOnce: false },
    otherwise: { kind: 'Relist', atOnce: false },
  },
  {
    name: 'an answer that cannot be read',
    error: failures.serverError(200),
    streaming: { kind: 'Relist', atOnce: false },
    otherwise: { kind: 'Relist', atOnce: false },
  },
  {
    name: 'a connection that broke after the answer had begun',
    error: new ApiError('broken', { kind: 'Unreachable', cause: undefined }, { code: 200 }),
    streaming: again(),
    otherwise: again(),
  },
  { name: 'a bad request', error: failures.badRequest('no'), streaming: { kind: 'PagedLists' }, otherwise: again() },
  { name: 'an invalid request', error: invalid, streaming: { kind: 'PagedLists' }, otherwise: again() },
  { name: 'a refused method', error: refused('MethodNotAllowed'), streaming: { kind: 'PagedLists' }, otherwise: again() },
  { name: 'a refused type', error: refused('UnsupportedMediaType'), streaming: { kind: 'PagedLists' }, otherwise: again() },
  { name: 'silence', error: new Stalled('silent'), streaming: again(), otherwise: { kind: 'Renew' } },
  { name: 'an early end', error: new EndedEarly('ended'), streaming: again(), otherwise: again() },
  { name: 'no connection', error: failures.unreachable(), streaming: again({ reached: false }), otherwise: again({ reached: false }) },
  { name: 'an error of the server', error: failures.serverError(), streaming: again(), otherwise: again() },
  { name: 'too many requests', error: throttled, streaming: again({ atLeast: 2000 }), otherwise: again({ atLeast: 2000 }) },
  { name: 'overload', error: overloaded, streaming: again({ atLeast: 3000 }), otherwise: again({ atLeast: 3000 }) },
  { name: 'anything else', error: new Error('unexpected'), streaming: again(), otherwise: again() },
])('after $name', ({ error, streaming, otherwise }) => {
  expect(nextStep(error, true)).toEqual(streaming);
  expect(nextStep(error, false)).toEqual(otherwise);
});

it('errors name their cause', () => {
  expect([new MalformedAnswer('x'), new Stalled('x'), new EndedEarly('x'), new HistoryInDoubt('x')].map(({ name }) => name)).toEqual([
    'MalformedAnswer',
    'Stalled',
    'EndedEarly',
    'HistoryInDoubt',
  ]);
});
