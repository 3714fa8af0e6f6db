/** The answers of several guards, and what a refusal means to the user. @see spec/podunavailablebudget.md 4.6 */
import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { causeOfRefusal, guardedByAll, type UpdateAnswer, type UpdateGuard } from './update-guard.ts';

const pod = aPod({ name: 'web' });

it('an update is allowed if all guards allow it, and the first refusal is the answer', async () => {
  const asked: string[] = [];
  const guard = (name: string, answer: UpdateAnswer): UpdateGuard => ({
    mayUpdate: ({ metadata }) => {
      asked.push(`${name} about ${metadata.name}`);
      return Promise.resolve(answer);
    },
  });
  const allowing = guard('first', { kind: 'Allowed' });
  const refusing = guard('second', { kind: 'Refused', why: 'nothing is left' });
  const { signal } = new AbortController();
  expect(await guardedByAll([allowing]).mayUpdate(pod, signal)).toEqual({ kind: 'Allowed' });
  expect(await guardedByAll([allowing, refusing, allowing]).mayUpdate(pod, signal)).toEqual({ kind: 'Refused', why: 'nothing is left' });
  expect(asked).toEqual(['first about web', 'first about web', 'second about web']);
});

it.each([
  { name: 'names the Pod and the reason of the budget', about: { pod }, message: 'Pod web may not be updated now: nothing is left' },
  { name: 'of an action without a Pod names the reason', about: {}, message: 'Pod  may not be updated now: nothing is left' },
])('a refusal $name', ({ about, message }) => {
  const action = { kind: 'UpdatePod', because: 'of a test', ...about };
  expect(causeOfRefusal({ action, why: 'nothing is left' })).toEqual({ reason: 'BudgetRefuses', message });
});
