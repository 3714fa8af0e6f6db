import { describe, expect, it } from '@jest/globals';
import type { Refused } from '@kruise/objects';
import { ReportedRefusals, type GuardAnswer } from './reported-refusals.ts';

interface Update {
  readonly kind: 'UpdatePodInPlace';
  readonly because: string;
  readonly pod: string;
}

const refusal = (pod: string): Refused<Update> => ({ action: { kind: 'UpdatePodInPlace', because: '', pod }, why: 'not now' });
const refused = (pod: string): GuardAnswer<Update> => ({ kind: 'Refused', refused: refusal(pod) });
const generation = (number: number) => ({ metadata: { name: 'web', uid: 'web', generation: number } });

describe('the refusal that a status names', () => {
  it.each<{
    name: string;
    answers: readonly (readonly [GuardAnswer<Update>, number])[];
    open?: readonly string[];
    then: string | undefined;
  }>([
    { name: 'is the first one', answers: [[refused('a'), 1]], then: 'a' },
    {
      name: 'stays while the Pod is refused, although another one was refused last',
      answers: [
        [refused('a'), 1],
        [refused('b'), 1],
      ],
      then: 'a',
    },
    {
      name: 'changes once its Pod is no longer refused',
      answers: [
        [refused('a'), 1],
        [refused('b'), 1],
      ],
      open: ['a'],
      then: 'b',
    },
    {
      name: 'changes with the specification, which may keep its Pod',
      answers: [
        [refused('a'), 1],
        [refused('b'), 2],
      ],
      then: 'b',
    },
    {
      name: 'stays in a pass that asks no guard',
      answers: [
        [refused('a'), 1],
        [{ kind: 'NotAsked' }, 1],
      ],
      then: 'a',
    },
    {
      name: 'is none of an older specification',
      answers: [
        [refused('a'), 1],
        [{ kind: 'NotAsked' }, 2],
      ],
      then: undefined,
    },
    {
      name: 'ends when the guards allow everything',
      answers: [
        [refused('a'), 1],
        [{ kind: 'Allowed' }, 1],
      ],
      then: undefined,
    },
    {
      name: 'does not return',
      answers: [
        [refused('a'), 1],
        [{ kind: 'Allowed' }, 1],
        [{ kind: 'NotAsked' }, 1],
      ],
      then: undefined,
    },
  ])('$name', ({ answers, open = [], then }) => {
    const reported = new ReportedRefusals<Update>();
    const named = answers.map(([answer, number]) => reported.after(generation(number), answer, ({ pod }) => !open.includes(pod)));
    expect(named.at(-1)?.action.pod).toBe(then);
  });

  it('is forgotten with the workload', () => {
    const reported = new ReportedRefusals<Update>();
    reported.after(generation(1), refused('a'), () => true);
    reported.forget('web');
    expect(reported.after(generation(1), { kind: 'NotAsked' }, () => true)).toBeUndefined();
  });
});
