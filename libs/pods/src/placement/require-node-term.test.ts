import { expect, it } from '@jest/globals';
import { isEmptyTerm, joinFault, requiredTermsOf, requireNodeTerm, type NodeTerm } from './require-node-term.ts';

const zone = { key: 'zone', operator: 'In', values: ['a'] };
const disk = { key: 'disk', operator: 'Exists' };
const name = { key: 'metadata.name', operator: 'In', values: ['n1'] };
const requiring = (...nodeSelectorTerms: readonly NodeTerm[]) =>
  ({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }) as Parameters<typeof requireNodeTerm>[0];

it.each<{ name: string; held: readonly NodeTerm[]; term: NodeTerm; then: readonly NodeTerm[] }>([
  { name: 'the only term where none is required', held: [], term: { matchExpressions: [zone] }, then: [{ matchExpressions: [zone] }] },
  {
    name: 'added to every alternative',
    held: [{ matchExpressions: [disk] }, { matchFields: [name] }],
    term: { matchExpressions: [zone] },
    then: [{ matchExpressions: [disk, zone] }, { matchExpressions: [zone], matchFields: [name] }],
  },
  {
    name: 'fields as well as labels',
    held: [{ matchExpressions: [disk] }],
    term: { matchFields: [name] },
    then: [{ matchExpressions: [disk], matchFields: [name] }],
  },
  { name: 'replaces an empty alternative', held: [{}], term: { matchExpressions: [zone] }, then: [{ matchExpressions: [zone] }] },
  {
    name: 'without empty members',
    held: [{ matchExpressions: [disk], matchFields: [] }],
    term: { matchExpressions: [zone], matchFields: [] },
    then: [{ matchExpressions: [disk, zone] }],
  },
])('a required term is $name', ({ held, term, then }) => {
  expect(requireNodeTerm(requiring(...held), term)).toEqual(requiring(...then));
});

it('a term is required when there is no affinity at all, and beside all other affinity', () => {
  const term = { matchExpressions: [zone] };
  expect(requireNodeTerm(undefined, term)).toEqual(requiring(term));
  const preferred = [{ weight: 1, preference: {} }];
  const held = { podAffinity: {}, nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  expect(requireNodeTerm(held, term)).toEqual({
    podAffinity: {},
    nodeAffinity: { ...requiring(term)?.nodeAffinity, preferredDuringSchedulingIgnoredDuringExecution: preferred },
  });
});

it('an empty term, which no node would fulfil, is never written', () => {
  const held = requiring({ matchExpressions: [disk] });
  expect(requireNodeTerm(held, { matchExpressions: [] })).toBe(held);
  expect(requireNodeTerm(undefined, {})).toBeUndefined();
  expect([{}, { matchFields: [] }, { matchFields: [name] }, { matchExpressions: [zone] }].map(isEmptyTerm)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it.each<[string, number, number, string | undefined]>([
  ['as many requirements as the bound', 200, 499, undefined],
  ['one term more', 201, 499, 'result in 100500 requirements, more than 100000'],
  ['one requirement more', 200, 500, 'result in 100200 requirements'],
  ['any number where the Pod requires nothing', 0, 200_000, undefined],
])('terms and a subset that result in %s', (_what, held, added, then) => {
  const more = { matchExpressions: Array.from({ length: added }, () => disk) };
  const fault = joinFault(new Array<NodeTerm>(held).fill({ matchFields: [name] }), more);
  if (then === undefined) expect(fault).toBeUndefined();
  else expect(fault).toMatch(then);
});

it.each<[string, number, number, string | undefined]>([
  ['as many bytes as the bound', 1000, 4000, undefined],
  ['more bytes', 1000, 4200, 'result in 4270001 bytes, more than 4194304; use fewer terms'],
  ['any number where the Pod requires nothing', 0, 5_000_000, undefined],
])('terms and a subset with a long value that come to %s', (_what, held, length, then) => {
  const more = { matchExpressions: [{ ...zone, values: ['x'.repeat(length)] }] };
  expect(joinFault(new Array<NodeTerm>(held).fill({}), more)).toEqual(then === undefined ? undefined : expect.stringContaining(then));
});

it('a long requirement is unchanged when the subset requires nothing', () => {
  const held = [{ matchExpressions: [{ ...zone, values: ['x'.repeat(5_000_000)] }] }];
  expect(joinFault(held, {})).toBeUndefined();
});

it('the terms of an affinity are those that it requires', () => {
  expect(requiredTermsOf(requiring({ matchFields: [name] }))).toEqual([{ matchFields: [name] }]);
  expect([requiredTermsOf(undefined), requiredTermsOf({ podAffinity: {} })]).toEqual([[], []]);
});
