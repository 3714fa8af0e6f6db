import { describe, expect, it } from '@jest/globals';
import { instant, type Pod } from '@kruise/objects';
import { runStages, sumOf, type Planned, type RunStage } from './run-stages.ts';

const pod = (name: string): Pod => ({ metadata: { name }, spec: { containers: [] } });
const now = instant(0);

/** Runs stages under a budget that refuses what is listed, as `operation pod`. */
function run(stages: readonly RunStage<Planned>[], ...refused: readonly string[]) {
  const asked: string[] = [];
  const applied: Planned[] = [];
  const ask = (about: Pod, operation: string): string | undefined => {
    const question = `${operation} ${about.metadata.name}`;
    asked.push(question);
    return refused.includes(question) ? `budget of ${about.metadata.name}` : undefined;
  };
  const outcomes = runStages(stages, (action) => applied.push(action), { budgets: { ask }, now });
  return { asked, applied, outcomes };
}

describe('an action', () => {
  it.each<{ action: Planned; asks: readonly string[] }>([
    { action: { kind: 'DeletePod', pod: pod('a') }, asks: ['DELETE a'] },
    { action: { kind: 'UpdatePodInPlace', pod: pod('a') }, asks: ['UPDATE a'] },
    { action: { kind: 'RecreatePod', pod: pod('a') }, asks: ['UPDATE a', 'DELETE a'] },
    { action: { kind: 'SetLifecycle', pod: pod('a'), transition: { to: 'PreparingUpdate' } }, asks: ['UPDATE a'] },
    { action: { kind: 'SetLifecycle', pod: pod('a'), transition: { to: 'Normal' } }, asks: [] },
    { action: { kind: 'SetLifecycle', pod: pod('a') }, asks: [] },
    { action: { kind: 'LabelPod', pod: pod('a'), transition: { to: 'PreparingUpdate' } }, asks: [] },
    { action: { kind: 'DeletePod' }, asks: [] },
  ])('is checked before it is done: $action.kind $action.transition.to', ({ action, asks }) => {
    const { asked, applied } = run([{ actions: [action] }]);
    expect(asked).toEqual(asks);
    expect(applied).toEqual([action]);
  });

  it.each(['UPDATE a', 'DELETE a'])('of two operations is not done if a budget refuses %s', (refused) => {
    const action = { kind: 'RecreatePod', pod: pod('a') };
    const { applied, outcomes } = run([{ actions: [action] }], refused);
    expect(applied).toEqual([]);
    expect(outcomes).toStrictEqual([{ done: 0, refused: [action], refusedBy: 'budget of a' }]);
  });

  it('that a budget refuses delays no other', () => {
    const actions = ['a', 'b', 'c'].map((name) => ({ kind: 'DeletePod', pod: pod(name) }));
    const { outcomes } = run([{ actions }], 'DELETE a', 'DELETE b');
    expect(outcomes).toStrictEqual([{ done: 1, refused: actions.slice(0, 2), refusedBy: 'budget of a' }]);
  });
});

describe('a stage', () => {
  const label = { kind: 'LabelPod', pod: pod('a') };
  it.each<{ name: string; before: readonly Planned[]; isAlternative?: boolean; done: readonly number[] }>([
    { name: 'runs after one that has done something', before: [label], done: [1, 1] },
    { name: 'is skipped after such a stage if it is an alternative', before: [label], isAlternative: true, done: [1, 0] },
    { name: 'runs as an alternative to a stage without actions', before: [], isAlternative: true, done: [0, 1] },
    {
      name: 'runs as an alternative to a stage of which everything is refused',
      before: [{ kind: 'DeletePod', pod: pod('b') }],
      isAlternative: true,
      done: [0, 1],
    },
  ])('$name', ({ before, isAlternative, done }) => {
    const { outcomes } = run(
      [{ actions: before }, { actions: [label], ...(isAlternative === undefined ? {} : { isAlternative }) }],
      'DELETE b',
    );
    expect(outcomes.map((outcome) => outcome.done)).toEqual(done);
  });

  it('that is the first one runs as an alternative', () => {
    expect(run([{ actions: [label], isAlternative: true }]).outcomes).toStrictEqual([{ done: 1, refused: [] }]);
  });

  it('is an alternative only to the one before it', () => {
    const { outcomes } = run([{ actions: [label] }, { actions: [] }, { actions: [label], isAlternative: true }]);
    expect(outcomes.map(({ done }) => done)).toEqual([1, 0, 1]);
  });
});

describe('the sum of stages', () => {
  it('counts all of them, and names the first budget that refused', () => {
    const stages = [
      { done: 1, refused: [] },
      { done: 2, refused: ['a'], refusedBy: 'first' },
      { done: 0, refused: ['b'], refusedBy: 'second' },
    ];
    expect(sumOf(stages)).toStrictEqual({ done: 3, refused: ['a', 'b'], refusedBy: 'first' });
    expect(sumOf([])).toStrictEqual({ done: 0, refused: [] });
  });
});
