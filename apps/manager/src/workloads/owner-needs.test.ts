import { describe, expect, it } from '@jest/globals';
import { inNamespaces, ownerNeeds, type OwnedPods } from './owner-needs.ts';

const controlled = 'has(object.metadata.ownerReferences) && object.metadata.ownerReferences.exists(o, has(o.controller) && o.controller';
const group = 'apps.kruise.io';
const ofSet = (over: Partial<OwnedPods> = {}): OwnedPods => ({ group, kind: 'CloneSet', namespace: 'a', name: 'web', ...over });
const ofAny = (over: Partial<OwnedPods> = {}): OwnedPods => ({ group, kind: 'CloneSet', namespace: 'a', ...over });
const many = (count: number): readonly string[] => Array.from({ length: count }, (_none, index) => `n${String(index).padStart(3, '0')}`);
/** What is asked of the controller, besides that it is one. */
const asked = (owned: readonly OwnedPods[]): readonly string[] =>
  ownerNeeds('spread', owned).map(({ condition = '' }) => condition.replace(controlled, '').slice(0, -1));
const cloneSet = ` && o.kind == "CloneSet" && o.apiVersion.startsWith("apps.kruise.io/")`;

describe('what is asked about Pods that workloads control', () => {
  it('is nothing when there are none', () => {
    expect(ownerNeeds('spread', [])).toEqual([]);
  });

  it('has its reason, its kind of controller, and its namespaces', () => {
    expect(ownerNeeds('spread', [ofSet()])).toEqual([
      {
        reason: 'spread',
        condition: `${controlled}${cloneSet} && o.name in ["web"])`,
        namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a'] }] },
      },
    ]);
  });

  it.each<{ name: string; owned: readonly OwnedPods[]; then: readonly string[] }>([
    {
      name: 'names each of them once, in order',
      owned: ['web', 'db', 'web'].map((name) => ofSet({ name })),
      then: [`${cloneSet} && o.name in ["db", "web"]`],
    },
    { name: 'is any name as soon as one of them may have any', owned: [ofSet(), ofAny(), ofSet({ name: 'db' })], then: [cloneSet] },
    {
      name: 'of the core group is a version without a slash',
      owned: [ofAny({ group: '', kind: 'Room' })],
      then: [' && o.kind == "Room" && !o.apiVersion.contains("/")'],
    },
    {
      name: 'is apart for each kind, in the order of group and kind',
      owned: [ofAny({ group: 'batch', kind: 'Job' }), ofAny({ group: 'apps', kind: 'StatefulSet' }), ofAny({ kind: 'StatefulSet' })],
      then: [
        ' && o.kind == "StatefulSet" && o.apiVersion.startsWith("apps.kruise.io/")',
        ' && o.kind == "StatefulSet" && o.apiVersion.startsWith("apps/")',
        ' && o.kind == "Job" && o.apiVersion.startsWith("batch/")',
      ],
    },
    {
      name: 'may be the longest name of a kind',
      owned: [ofAny({ kind: 'K'.repeat(63) })],
      then: [` && o.kind == "${'K'.repeat(63)}" && o.apiVersion.startsWith("apps.kruise.io/")`],
    },
  ])('$name', ({ owned, then }) => {
    expect(asked(owned)).toEqual(then);
  });

  it.each<[string, Partial<OwnedPods>]>([
    ['a kind that would have to be quoted', { kind: 'A" || "' }],
    ['a kind that begins with a digit', { kind: '9Set' }],
    ['a kind that is too long', { kind: 'K'.repeat(64) }],
    ['no kind', { kind: '' }],
    ['a name that is none', { name: 'web"] || o.name in ["db' }],
    ['an empty name', { name: '' }],
    ['a group that is none', { group: 'apps"' }],
  ])('skips %s', (_name, over) => {
    expect(ownerNeeds('spread', [ofSet(over)])).toEqual([]);
    expect(asked([ofSet(over), ofSet()])).toHaveLength(1);
  });

  it.each([
    [50, true],
    [51, false],
  ])('of %d names distinguishes them: %p', (count, isReported) => {
    const owned = many(count).map((name) => ofSet({ name }));
    expect(asked(owned).map((condition) => condition.includes('o.name'))).toEqual([isReported]);
  });
});

describe('namespaces', () => {
  it('are named once each, in order, up to 1,000', () => {
    expect(inNamespaces(['b', 'a', 'b']).namespaceSelector?.matchExpressions?.[0]?.values).toEqual(['a', 'b']);
    expect(inNamespaces([...many(1000), 'n000']).namespaceSelector?.matchExpressions?.[0]?.values).toHaveLength(1000);
    expect(inNamespaces(many(1001))).toEqual({});
  });

  it('are written once for all kinds that are in more than 50, and for each kind that is in fewer', () => {
    const inAll = (namespaces: readonly string[], kind: string) => namespaces.map((namespace) => ofAny({ namespace, kind }));
    const needs = ownerNeeds('spread', [
      ...inAll(many(60), 'CloneSet'),
      ...inAll(['few'], 'DaemonSet'),
      ...inAll(['z', ...many(55)], 'StatefulSet'),
    ]);
    const ofKind = (kind: string) => `o.kind == "${kind}" && o.apiVersion.startsWith("apps.kruise.io/")`;
    expect(needs.map(({ condition = '' }) => condition.replace(`${controlled} && `, '').slice(0, -1))).toEqual([
      ofKind('DaemonSet'),
      `((${ofKind('CloneSet')}) || (${ofKind('StatefulSet')}))`,
    ]);
    expect(needs.map(({ namespaceSelector }) => namespaceSelector?.matchExpressions?.[0]?.values)).toEqual([['few'], [...many(60), 'z']]);
  });

  it('of one kind of controller are those of all its workloads', () => {
    const needs = ownerNeeds('spread', [ofSet({ namespace: 'b' }), ofSet({ namespace: 'a', name: 'db' })]);
    expect(needs.map(({ namespaceSelector }) => namespaceSelector?.matchExpressions?.[0]?.values)).toEqual([['a', 'b']]);
  });
});
