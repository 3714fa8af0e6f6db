import { expect, it } from '@jest/globals';
import { succeeds } from './succeeds.ts';

it('returns whether a call is fulfilled', async () => {
  expect(await succeeds(Promise.resolve(undefined))).toBe(true);
  expect(await succeeds(Promise.reject(new Error('refused')))).toBe(false);
});
