import { expect, it } from '@jest/globals';
import { aPod } from '@kruise/testing';
import { causeOfRefusal } from './update-guard.ts';

it('a refused update names the Pod and the reason of the budget', () => {
  const action = { kind: 'UpdatePod', because: 'of a test', pod: aPod({ name: 'web' }) };
  expect(causeOfRefusal({ action, why: 'nothing is left' })).toEqual({
    reason: 'BudgetRefuses',
    message: 'Pod web may not be updated now: nothing is left',
  });
});
