import { expect, it } from '@jest/globals';
import { ApiError } from './api-error.ts';
import { unlessGone } from './unless-gone.ts';

it.each<[string, () => Promise<string>, string | undefined]>([
  ['what is there is returned', () => Promise.resolve('there'), 'there'],
  ['what is not found is undefined', () => Promise.reject(new ApiError('not found', { kind: 'NotFound' })), undefined],
])('%s', async (_name, call, result) => {
  expect(await unlessGone(call())).toBe(result);
});

it.each([
  new ApiError('expired', { kind: 'Gone' }),
  new ApiError('modified', { kind: 'Conflict' }),
  new ApiError('unreachable', { kind: 'Unreachable', cause: undefined }),
  new Error('not found'),
])('%s is thrown', async (error) => {
  await expect(unlessGone(Promise.reject(error))).rejects.toBe(error);
});
