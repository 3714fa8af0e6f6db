import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../configuration/plan-webhook-configuration.ts';
import { isRefusedByFailure, withSecondChance, type MatchCondition } from './second-chance.ts';

const part: Webhook = { name: 'r-ns1.mpod.kb.io', failurePolicy: 'Fail', timeoutSeconds: 30 };
const entries = withSecondChance(part, 'A', 'answered');
const conditionOf = (webhook: Webhook): string => (webhook['matchConditions'] as readonly MatchCondition[]).at(-1)?.expression ?? '';

interface Outcome {
  readonly end: 'refused' | 'answered' | 'unanswered';
  readonly calls: number;
}

/** What the API server does, one entry after the other. @param lost by how manieth call @param leaves whether an answer leaves a trace */
function run(bearsTrace: boolean, leaves: boolean, lost: readonly boolean[]): Outcome {
  let isAnswered = false;
  let trace = bearsTrace;
  let calls = 0;
  for (const entry of entries) {
    if ((conditionOf(entry) === 'A') !== trace) continue;
    const isLost = lost[calls++] === true;
    if (isLost && entry['failurePolicy'] === 'Fail') return { end: 'refused', calls };
    if (isLost) continue;
    isAnswered = true;
    trace ||= leaves;
  }
  return { end: isAnswered ? 'answered' : 'unanswered', calls };
}

describe('a part with a second chance', () => {
  it('has a name of its own for each call, and the installer’s failure policy for the one that counts', () => {
    expect(entries.map(({ name, failurePolicy, timeoutSeconds }) => [name, failurePolicy, timeoutSeconds])).toEqual([
      ['r-ns1-again.mpod.kb.io', 'Fail', 30],
      ['r-ns1-first.mpod.kb.io', 'Ignore', 3],
      ['r-ns1.mpod.kb.io', 'Fail', 30],
    ]);
  });

  it('gives the first call no more time than the installer gives', () => {
    expect(withSecondChance({ ...part, timeoutSeconds: 2 }, 'A', 'c')[1]?.['timeoutSeconds']).toBe(2);
    expect(withSecondChance({ name: 'a.b' }, 'A', 'c')[1]?.['timeoutSeconds']).toBe(3);
  });

  it('keeps the conditions of the part', () => {
    const own = { name: 'own', expression: 'B' };
    expect(withSecondChance({ ...part, matchConditions: [own] }, 'A', 'c').map((entry) => entry['matchConditions'])).toEqual([
      [own, { name: 'c', expression: 'A' }],
      [own, { name: 'c', expression: '!(A)' }],
      [own, { name: 'c', expression: '!(A)' }],
    ]);
  });

  it.each<{ name: string; bearsTrace?: boolean; leaves?: boolean; lost: readonly boolean[]; then: Outcome }>([
    { name: 'is called once when it is answered', lost: [], then: { end: 'answered', calls: 1 } },
    { name: 'is called again when the first call is lost', lost: [true], then: { end: 'answered', calls: 2 } },
    { name: 'refuses when both are lost', lost: [true, true], then: { end: 'refused', calls: 2 } },
    { name: 'is called twice when there was nothing to change', leaves: false, lost: [], then: { end: 'answered', calls: 2 } },
    { name: 'is called once about a copy', bearsTrace: true, lost: [], then: { end: 'answered', calls: 1 } },
    { name: 'refuses a copy when the call is lost', bearsTrace: true, lost: [true], then: { end: 'refused', calls: 1 } },
  ])('$name', ({ bearsTrace = false, leaves = true, lost, then }) => {
    expect(run(bearsTrace, leaves, lost)).toEqual(then);
  });

  it('lets nothing pass unanswered, whatever is lost', () => {
    for (let bits = 0; bits < 32; bits++) {
      const [bearsTrace = false, leaves = false, ...lost] = Array.from({ length: 5 }, (_, bit) => ((bits >> bit) & 1) === 1);
      expect(run(bearsTrace, leaves, lost).end).not.toBe('unanswered');
    }
  });

  it('is not for a webhook whose failure refuses nothing', () => {
    expect([{ name: 'a' }, part, { ...part, failurePolicy: 'Ignore' }].map(isRefusedByFailure)).toEqual([true, true, false]);
  });
});
