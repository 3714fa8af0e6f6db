import { expect, it } from '@jest/globals';
import { ApiError } from './api-error.ts';
import { errorFromAnswer } from './client/transport/error-from-answer.ts';
import { unlessDeleted } from './unless-deleted.ts';

const answered = (body: unknown): ApiError => errorFromAnswer({ code: 404, body, asked: 'PATCH /x' });
const aStatus = (details: object): object => ({ kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound', details });

it.each<[string, () => Promise<string>, string | undefined]>([
  ['what is there is returned', () => Promise.resolve('there'), 'there'],
  ['what was replaced is undefined', () => Promise.reject(new ApiError('replaced', { kind: 'NotFound' })), undefined],
  ['what the server does not find is undefined', () => Promise.reject(answered(aStatus({ name: 'a', kind: 'pods' }))), undefined],
])('%s', async (_name, call, result) => {
  expect(await unlessDeleted(call())).toBe(result);
});

it.each([
  new ApiError('expired', { kind: 'Gone' }),
  new ApiError('modified', { kind: 'Conflict' }),
  new ApiError('unreachable', { kind: 'Unreachable', cause: undefined }),
  new Error('not found'),
  answered('<html>a page of a load balancer</html>'),
  answered(aStatus({})),
])('%s is thrown', async (error) => {
  await expect(unlessDeleted(Promise.reject(error))).rejects.toBe(error);
});
