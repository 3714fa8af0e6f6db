/** Which nodes come to the update revision. @see spec/daemonset.md 5.6 step 3, 5.7 */
import { describe, expect, it } from '@jest/globals';
import { chooseNodes, type ChosenNodes } from './chosen-nodes.ts';
import { momentOf, nodesTo, noExecute, noSchedule, onEach, type MemberShape, type Members, type Situation } from '../situation.testing.ts';
import { aNode, type SetShape } from '../testing.ts';

function chosenIn(given: Situation, prunesIneligible = false): ChosenNodes {
  const { seen, sites, hash } = momentOf(given);
  return chooseNodes(seen.set, sites, hash, prunesIneligible);
}
const namesOf = ({ chosen }: ChosenNodes): readonly string[] => chosen.map(({ site }) => site.name);

interface Row {
  readonly name: string;
  readonly given: Situation;
  /** In the order of the update. */
  readonly then: readonly string[];
  readonly kept?: number;
  readonly prunes?: boolean;
}

const check = ({ given, then, kept = 0, prunes = false }: Row): void => {
  const next = chosenIn({ revisions: 2, ...given }, prunes);
  expect([namesOf(next), next.kept]).toEqual([then, kept]);
};

const partition = (value: number | string): SetShape => ({ rollingUpdate: { partition: value } });
const old: MemberShape = { of: 1 };
const preparing: MemberShape = { of: 1, state: 'PreparingDelete' };
const ten = { nodes: ['n0', ...nodesTo(9)], pods: onEach(9, old, { n0: old }) };

describe('the partition', () => {
  it.each<Row>([
    {
      name: 'of 7 lets the 3 nodes with the highest names of 10 be updated',
      given: { ...ten, set: partition(7) },
      then: ['n9', 'n8', 'n7'],
      kept: 7,
    },
    { name: 'of all nodes lets none be updated', given: { ...ten, set: partition(10) }, then: [], kept: 10 },
    { name: 'of more than all lets none be updated', given: { ...ten, set: partition(11) }, then: [], kept: 10 },
    { name: 'of 100% lets none be updated', given: { ...ten, set: partition('100%') }, then: [], kept: 10 },
    { name: 'of a percentage is rounded down', given: { ...ten, set: partition('89%') }, then: ['n9', 'n8'], kept: 8 },
    { name: 'of nothing lets all be updated, in descending order of names', given: { pods: onEach(3, old) }, then: ['n3', 'n2', 'n1'] },
    {
      name: 'counts a node that was updated before its turn, as one whose Pod was deleted by hand',
      given: { ...ten, set: partition(7), pods: { ...ten.pods, n2: {} } },
      then: ['n2', 'n9', 'n8'],
      kept: 7,
    },
    {
      name: 'counts updated nodes before those whose update is under way, those before the rest',
      given: { set: partition(1), nodes: nodesTo(5), pods: { n1: {}, n2: preparing, n4: old, n5: old } },
      then: ['n1', 'n3', 'n2', 'n5'],
      kept: 1,
    },
    {
      name: 'takes a node with too many Pods for an updated one',
      given: { set: partition(2), pods: onEach(2, old, { n3: old, 'n1-b': old }) },
      then: ['n1'],
      kept: 2,
    },
    {
      name: 'counts nodes that keep a Pod they would not get',
      given: { set: partition(1), nodes: ['n1', aNode('n2', { spec: noSchedule })], pods: onEach(2, old) },
      then: ['n2'],
      kept: 1,
    },
    {
      name: 'keeps no node that is not to run the Pod',
      given: { set: partition(1), nodes: [aNode('n1', { spec: noSchedule }), 'n2'], pods: onEach(2, old) },
      then: ['n2'],
      kept: 0,
    },
    {
      name: 'leaves Pods alone that would be updated first, when others of the nodes are enough',
      given: { set: partition(2), pods: onEach(3, {}) },
      then: ['n3'],
    },
  ])('$name', check);
});

describe('the selector of nodes', () => {
  const canary = (more: object = {}): SetShape => ({ rollingUpdate: { selector: { matchLabels: { tier: 'canary' } }, ...more } });
  const marked = (name: string) => aNode(name, { labels: { tier: 'canary' } });
  it.each<Row>([
    {
      name: 'lets those be updated that it matches',
      given: { set: canary(), nodes: ['n1', marked('n2'), 'n3'], pods: onEach(3, old) },
      then: ['n2'],
      kept: 2,
    },
    {
      name: 'lets another one be updated that is marked later',
      given: { set: canary(), nodes: [marked('n1'), marked('n2'), 'n3'], pods: onEach(3, old, { n2: {} }) },
      then: ['n2', 'n1'],
      kept: 1,
    },
    {
      name: 'does not take back what is updated',
      given: { set: canary(), pods: onEach(2, old, { n3: {} }) },
      then: ['n3'],
      kept: 2,
    },
    {
      name: 'counts with the partition, which the updated nodes use up first',
      given: { set: canary({ partition: 1 }), nodes: [marked('n1'), marked('n2'), 'n3'], pods: onEach(2, old, { n3: {} }) },
      then: ['n3', 'n2'],
      kept: 1,
    },
    {
      name: 'and the partition together leave more than one of them would',
      given: { set: canary({ partition: 2 }), nodes: [marked('n1'), marked('n2'), 'n3'], pods: onEach(3, old) },
      then: ['n2'],
      kept: 2,
    },
    {
      name: 'matches no node without the label',
      given: { set: canary(), nodes: [aNode('n1', { labels: { tier: 'prod' } }), 'n2', 'n3'], pods: onEach(3, old) },
      then: [],
      kept: 3,
    },
    {
      name: 'that is empty matches all',
      given: { set: { rollingUpdate: { selector: {} } }, pods: onEach(3, old) },
      then: ['n3', 'n2', 'n1'],
    },
    {
      name: 'does not matter for a node whose update is under way',
      given: { set: canary(), pods: onEach(2, preparing) },
      then: ['n3', 'n2', 'n1'],
    },
  ])('$name', check);
});

describe('nodes that are not to have a Pod', () => {
  const nodes = ['n1', aNode('n2', { spec: noSchedule }), aNode('n3', { spec: noExecute })];
  it.each<Row>([
    { name: 'use up the budget while they have one', given: { nodes, pods: onEach(3, old) }, then: ['n3', 'n2', 'n1'] },
    { name: 'use up none with the gate that prunes them', given: { nodes, pods: onEach(3, old) }, prunes: true, then: ['n1'] },
    { name: 'use up none without one', given: { nodes, pods: { n1: old } }, then: ['n1'] },
    { name: 'use it up while their Pods go', given: { nodes, pods: { n2: { ...old, terminating: true } } }, then: ['n2', 'n1'] },
    { name: 'that are deleted use up none', given: { nodes: ['n1'], pods: onEach(2, old) }, then: ['n1'] },
    { name: 'that are deleted use up none with the gate', given: { nodes: ['n1'], pods: onEach(2, old) }, prunes: true, then: ['n1'] },
    {
      name: 'are none of those that the partition counts, with the gate',
      given: { set: partition(1), nodes: [...nodesTo(2), aNode('n3', { spec: noSchedule })], pods: onEach(3, old) },
      prunes: true,
      then: ['n2'],
      kept: 1,
    },
  ])('$name', check);
});

describe('a node in an update', () => {
  const shown = (pods: Members) =>
    chosenIn({ revisions: 2, nodes: ['n1'], ...(pods === undefined ? {} : { pods }) }).chosen.map(({ fresh, old: before, isCrowded }) => [
      fresh?.pod.metadata.name,
      before?.pod.metadata.name,
      isCrowded,
    ]);
  it.each<{ name: string; pods: Members; then: readonly unknown[] }>([
    { name: 'has a new and an old Pod', pods: { 'n1-a': old, 'n1-b': {} }, then: ['n1-b', 'n1-a', false] },
    {
      name: 'has none of those that go',
      pods: { 'n1-a': { ...old, terminating: true }, 'n1-b': { terminating: true } },
      then: [undefined, undefined, false],
    },
    { name: 'is crowded with two new ones', pods: { 'n1-a': {}, 'n1-b': {} }, then: ['n1-a', undefined, true] },
    { name: 'is crowded with two old ones', pods: { 'n1-a': old, 'n1-b': old }, then: [undefined, 'n1-a', true] },
    {
      name: 'is not crowded with two of which one is being deleted',
      pods: { 'n1-a': {}, 'n1-b': { terminating: true } },
      then: ['n1-a', undefined, false],
    },
  ])('$name', ({ pods, then }) => {
    expect(shown(pods)).toEqual([then]);
  });

  it('says nothing of Pods that are not there', () => {
    expect(chosenIn({ nodes: ['n1'] }).chosen).toStrictEqual([{ site: expect.anything(), isCrowded: false, isPlaced: false }]);
  });
});
