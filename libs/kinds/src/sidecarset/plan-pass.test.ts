/** What a pass over a SidecarSet does with its plan. @see spec/sidecarset.md 5.5 */
import { describe, expect, it } from '@jest/globals';
import type { Stage } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import type { Action } from './action.ts';
import { planPass, stagesOf, statusWithCollisions, subjectsOf, type PassPlan } from './plan-pass.ts';
import { Simulation } from './simulation.testing.ts';
import { aContext, anInjectedPod, aSidecar, aSidecarSet } from './testing.ts';

/** A SidecarSet with a new image whose revision has been created, and one Pod. */
function anUpdate(): Simulation {
  const sidecarSet = aSidecarSet();
  const simulation = new Simulation(sidecarSet, [anInjectedPod(sidecarSet, { name: 'pod-1' })]);
  simulation.settle();
  simulation.change({ containers: [aSidecar('side', 'side:2')] });
  return simulation;
}

const namesOf = (stages: readonly Stage<Action>[]): readonly string[] =>
  stages.map(({ name, actions }) => [name, ...actions.map(({ kind }) => kind)].join(' '));
const shown = (pass: PassPlan): unknown => [pass.opening?.observedGeneration, namesOf(stagesOf(pass, {}))];
const before = (simulation: Simulation, seen: { readonly doubt?: object } = {}): PassPlan =>
  planPass({ snapshot: simulation.snapshot, ...seen }, aContext());

describe('a pass', () => {
  it('creates the revision of a version and does nothing else', () => {
    expect(shown(before(anUpdate()))).toEqual([undefined, ['revisions CreateRevision']]);
  });

  it('then writes the status before it changes Pods', () => {
    const simulation = anUpdate();
    simulation.pass();
    expect(shown(before(simulation))).toEqual([2, ['housekeeping', 'conditions', 'changes UpdatePod']]);
  });

  it('changes no Pod while a write is in doubt', () => {
    const simulation = anUpdate();
    simulation.pass();
    expect(shown(before(simulation, { doubt: {} }))).toEqual([2, ['housekeeping']]);
  });

  it('writes no status that does not differ', () => {
    const simulation = anUpdate();
    simulation.settle();
    expect(shown(before(simulation))).toEqual([undefined, ['housekeeping', 'conditions', 'changes']]);
  });

  it('guards its updates only, lets no failure delay other Pods, and does one burst of each stage', () => {
    const simulation = anUpdate();
    simulation.pass();
    const guard = { concerns: () => true, ask: () => Promise.resolve(undefined) };
    const stages = stagesOf(before(simulation), { guard });
    expect(stages.map(({ guard: asked }) => asked)).toEqual([undefined, undefined, guard]);
    expect(stages.map(({ onFailure, pace }) => [onFailure, pace])).toEqual([
      ['Log', 'AtOnce'],
      ['Collect', 'AtOnce'],
      ['Collect', 'AtOnce'],
    ]);
    expect(stages.map(({ burst }) => burst)).toEqual([500, 500, 500]);
    const [revisions] = stagesOf(before(anUpdate()), { guard });
    expect(revisions).toMatchObject({ onFailure: 'Collect', pace: 'AtOnce', burst: 500 });
  });
});

it('a refusal concerns the Pod that is updated', () => {
  const pod = aPod({ name: 'web', uid: 'u1' });
  const because = 'of a test';
  const actions: readonly Action[] = [
    { kind: 'UpdatePod', pod, because },
    { kind: 'FlipPod', pod, because },
    { kind: 'SetUpgradable', upgradable: true, pod, because },
    { kind: 'UpdatePod', pod: { ...pod, metadata: { name: 'web' } }, because },
  ];
  expect(actions.map(subjectsOf)).toEqual([['u1'], ['u1'], [], []]);
});

describe('the number of taken names', () => {
  const held = { matchedPods: 3, readyPods: 2, updatedPods: 1, collisionCount: 1 };
  it.each([
    { name: 'is not written while it is 0', status: undefined, count: 0, then: undefined },
    {
      name: 'is written with the counters that a first status must have',
      status: undefined,
      count: 1,
      then: { matchedPods: 0, readyPods: 0, updatedPods: 0, collisionCount: 1 },
    },
    { name: 'is added to a status', status: held, count: 2, then: { ...held, collisionCount: 2 } },
    { name: 'is not written again', status: held, count: 1, then: undefined },
    { name: 'never shrinks', status: held, count: 0, then: undefined },
  ])('$name', ({ status, count, then }) => {
    expect(statusWithCollisions(aSidecarSet(status === undefined ? {} : { status }), count)).toEqual(then);
  });
});
