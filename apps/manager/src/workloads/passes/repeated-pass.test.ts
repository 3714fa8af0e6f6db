import { describe, expect, it } from '@jest/globals';
import { ApiError, afterConflict, settled } from '@kruise/kube';
import { repeatedPass } from './repeated-pass.ts';

const failing = (error: Error) => repeatedPass(() => Promise.reject(error));

describe('a pass', () => {
  it('that ends well has its own outcome', async () => {
    expect(await repeatedPass(() => Promise.resolve(settled))).toBe(settled);
  });

  it.each([new ApiError('no answer', { kind: 'Unreachable', cause: undefined }), new Error('not yet')])(
    'that fails is repeated after a minute at the latest: %s',
    async (error) => {
      expect(await failing(error)).toEqual({ kind: 'Retry', error, within: 60_000 });
    },
  );

  it('that meets another writer is repeated soon', async () => {
    expect(await failing(new ApiError('changed', { kind: 'Conflict' }))).toBe(afterConflict);
  });

  it('that has a defect leaves it to the runner, which counts it', async () => {
    await expect(failing(new TypeError('x is undefined'))).rejects.toThrow('x is undefined');
  });
});
