/** Whom PersistentPodStates are for. @see spec/persistentpodstate.md 3, 6 */
import { describe, expect, it } from '@jest/globals';
import type { PersistentPodState } from '@kruise/api';
import type { WhiteListReading } from '../../workloads/finder/index.ts';
import { byRecordedNode, byTarget, chosenState, isSupported, targetOf } from './target.ts';
import { aState } from './world.testing.ts';

const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' };
const of = (target: object): PersistentPodState => aState({ targetRef: { ...targetRef, ...target } });

describe('the target', () => {
  it('is known by group, kind and name, whatever the version', () => {
    expect(targetOf(of({ apiVersion: 'apps/v1beta2' }))).toEqual({ group: 'apps', kind: 'StatefulSet', name: 'db' });
    expect(byTarget.valuesOf(of({}))).toEqual(byTarget.valuesOf(of({ apiVersion: 'apps/v1beta2' })));
    expect(byTarget.valuesOf(of({}))).not.toEqual(byTarget.valuesOf(of({ name: 'web' })));
  });

  it.each([{ apiVersion: 7 }, { kind: undefined }, { name: null }])('is none with %j', (over) => {
    expect([targetOf(of(over)), byTarget.valuesOf(of(over))]).toEqual([undefined, []]);
  });
});

it('the nodes that one remembers are those of its entries, each once', () => {
  const podStates = { 'db-0': { nodeName: 'a' }, 'db-1': { nodeName: 'a' }, 'db-2': { nodeName: 'b' }, 'db-3': {} };
  expect(byRecordedNode.valuesOf({ ...aState(), status: { observedGeneration: 1, podStates } })).toEqual(['a', 'b']);
  expect(byRecordedNode.valuesOf(aState())).toEqual([]);
});

it('of two for a workload the first by name counts, of those that do not go', () => {
  const named = (name: string, deletionTimestamp?: string): PersistentPodState =>
    aState({}, { name, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) });
  const states = [named('c'), named('a', '2026-01-01T00:00:00Z'), named('b')];
  expect(chosenState(states)?.metadata.name).toBe('b');
  expect(chosenState(states.toReversed())?.metadata.name).toBe('b');
  expect(chosenState([])).toBeUndefined();
});

describe('a kind', () => {
  const listed: WhiteListReading = { kind: 'Read', kinds: [{ group: 'game.example.com', version: 'v1', kind: 'GameSet' }] };
  const faulty: WhiteListReading = { kind: 'Faulty', why: 'it is no JSON' };
  it.each<{ group: string; kind: string; then: readonly boolean[] }>([
    { group: 'apps', kind: 'StatefulSet', then: [true, true] },
    { group: 'apps.kruise.io', kind: 'StatefulSet', then: [true, true] },
    { group: 'apps.kruise.io', kind: 'CloneSet', then: [false, false] },
    { group: 'apps', kind: 'Deployment', then: [false, false] },
    { group: 'game.example.com', kind: 'GameSet', then: [true, false] },
    { group: 'game.example.com', kind: 'Other', then: [false, false] },
  ])('$kind of $group is supported with a list of it, and with one that cannot be read: $then', ({ then, ...kind }) => {
    expect([isSupported(kind, listed), isSupported(kind, faulty)]).toEqual(then);
  });
});
