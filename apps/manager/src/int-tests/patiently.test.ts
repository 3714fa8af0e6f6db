import { expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { patiently } from './patiently.testing.ts';

const refusal = (message: string): ApiError => new ApiError(message, { kind: 'ServerError', status: 500 });
const tryAgain = refusal('the Pod webhook cannot be widened for it now, please try again: no answer');

/** Fails in this way for so many times. */
function failing(error: Error, times: number): { readonly work: () => Promise<string>; readonly calls: () => number } {
  let calls = 0;
  const work = (): Promise<string> => (++calls > times ? Promise.resolve('done') : Promise.reject(error));
  return { work, calls: () => calls };
}

it('repeats what a manager asks to repeat, three times at most', async () => {
  const { work, calls } = failing(tryAgain, 3);
  expect([await patiently(work), calls()]).toEqual(['done', 4]);
  const hopeless = failing(tryAgain, Infinity);
  await expect(patiently(hopeless.work)).rejects.toBe(tryAgain);
  expect(hopeless.calls()).toBe(4);
});

it.each([refusal('spec.selector: Required value'), new Error('please try again')])(
  'takes any other failure for the answer: %s',
  async (error) => {
    const { work, calls } = failing(error, 1);
    await expect(patiently(work)).rejects.toBe(error);
    expect(calls()).toBe(1);
  },
);
