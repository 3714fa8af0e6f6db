/** Whom PersistentPodStates are for. @see spec/persistentpodstate.md 3, 6 */
import { describe, expect, it } from '@jest/globals';
import type { WhiteListReading } from '@kruise/workloads';
import { byRecordedNode, isSupported } from '@kruise/kinds/persistentpodstate';
import { aState } from './cluster.testing.ts';

it('the nodes that one remembers are those of its entries, each once', () => {
  const podStates = { 'db-0': { nodeName: 'a' }, 'db-1': { nodeName: 'a' }, 'db-2': { nodeName: 'b' }, 'db-3': {} };
  expect(byRecordedNode.valuesOf({ ...aState(), status: { observedGeneration: 1, podStates } })).toEqual(['a', 'b']);
  expect(byRecordedNode.valuesOf(aState())).toEqual([]);
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
