import { describe, expect, it } from '@jest/globals';
import { cloneSets, statefulSets } from '@kruise/api';
import { jobs } from '@kruise/objects';
import { builtInStatefulSets, deployments, replicaSets, type GroupKind } from '@kruise/workloads';
import { isOwnerKind, mayBeAbove, ownerKinds, spreadableType } from './spreadable-kinds.ts';

const game = { group: 'game.example.com', kind: 'GameSet' };
const room = { group: 'game.example.com', kind: 'Room' };
const listed = [
  { ...game, version: 'v1', subResources: [room] },
  { group: 'shop.example.com', version: 'v1', kind: 'Shop' },
];

it.each([cloneSets, deployments, replicaSets, jobs, builtInStatefulSets, statefulSets])('$group $kind is spread wherever it is', (type) => {
  const { group, kind } = type;
  expect([spreadableType({ group, kind }), isOwnerKind({ group, kind }, [])]).toEqual([type, true]);
});

it.each<GroupKind>([{ group: 'apps', kind: 'DaemonSet' }, { group: 'apps', kind: 'CloneSet' }, game])(
  '$group $kind is not, unless it is listed',
  (kind) => {
    expect([spreadableType(kind), isOwnerKind(kind, [])]).toEqual([undefined, false]);
  },
);

it('owners of Pods that may be spread are listed kinds, and the kinds below them', () => {
  expect(ownerKinds(listed)).toEqual([game, room, { group: 'shop.example.com', kind: 'Shop' }]);
  expect([game, room, { ...room, group: 'other' }].map((kind) => isOwnerKind(kind, listed))).toEqual([true, true, false]);
});

describe('above an owner', () => {
  it.each<[GroupKind, GroupKind, boolean]>([
    [deployments, replicaSets, true],
    [cloneSets, replicaSets, false],
    [deployments, cloneSets, false],
    [deployments, jobs, false],
    [replicaSets, replicaSets, false],
    [game, replicaSets, true],
    [game, cloneSets, true],
    [deployments, room, true],
    [game, room, true],
  ])('a $kind may own a $kind: %p', (target, owner, then) => {
    expect(mayBeAbove(target, owner)).toBe(then);
  });
});
