/** What the API server refused goes behind the others. */
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { instant, type Instant } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { nothingRefused, refusedLast, Refusals } from './refusals.ts';

const at = (seconds: number): Instant => instant(epoch + seconds * 1000);
const denied = new ApiError('admission webhook "a" denied the request', { kind: 'Forbidden' });
const refuse = async (refusals: Refusals, part: string, now: Instant, error: Error = denied): Promise<boolean> => {
  const pass = refusals.pass('set', now);
  await expect(pass.watch(part, () => Promise.reject(error))).rejects.toBe(error);
  return pass.foundNew();
};
const order = (refusals: Refusals, now: Instant): string => refusedLast([...'abcd'], (part) => part, refusals.of('set', now)).join('');

describe('what was refused', () => {
  it('goes behind the others, the one first whose refusal is the longest ago', async () => {
    const refusals = new Refusals();
    expect(order(refusals, at(0))).toBe('abcd');
    await refuse(refusals, 'a', at(0));
    await refuse(refusals, 'c', at(1));
    expect(order(refusals, at(2))).toBe('bdac');
    await refuse(refusals, 'a', at(3));
    expect(order(refusals, at(4))).toBe('bdca');
  });

  it('is one like any other once it was accepted, after half an hour, and when the workload is deleted', async () => {
    const refusals = new Refusals();
    for (const part of ['a', 'b', 'c']) await refuse(refusals, part, at(part === 'b' ? 0 : 60));
    expect(await refusals.pass('set', at(60)).watch('a', () => Promise.resolve('made'))).toBe('made');
    expect(order(refusals, at(60))).toBe('adbc');
    expect([order(refusals, at(1801)), refusals.of('set', at(1801)).size]).toEqual(['abdc', 1]);
    refusals.forget('set');
    expect(refusals.of('set', at(1801))).toBe(nothingRefused);
  });

  it.each<[string, Error, boolean, boolean]>([
    ['a policy that refuses one', denied, true, true],
    ['a Pod that is invalid', new ApiError('no', { kind: 'Invalid', causes: [] }), true, true],
    ['a quota', new ApiError('pods "a" is forbidden: exceeded quota: few', { kind: 'Forbidden' }), true, false],
    ['a webhook that fails', new ApiError('failed calling webhook "a"', { kind: 'ServerError', status: 500 }), true, false],
    ['a server that is busy', new ApiError('later', { kind: 'TooManyRequests', retryAfter: 1 as never }), true, false],
    ['another writer', new ApiError('newer', { kind: 'Conflict' }), false, false],
    ['a Pod that is gone', new ApiError('gone', { kind: 'NotFound' }), false, false],
    ['no answer', new ApiError('down', { kind: 'Unreachable', cause: undefined }), false, false],
  ])('%s', async (_name, error, isRemembered, saysNothingOfOthers) => {
    const refusals = new Refusals();
    expect([await refuse(refusals, 'a', at(0), error), refusals.of('set', at(0)).size]).toEqual([
      saysNothingOfOthers,
      isRemembered ? 1 : 0,
    ]);
    expect(await refuse(refusals, 'a', at(1), error)).toBe(false);
  });
});
