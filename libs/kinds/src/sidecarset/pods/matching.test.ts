import { describe, expect, it } from '@jest/globals';
import type { SidecarSet, SidecarSetSpec } from '@kruise/api';
import { candidateIndex, canaryBaseOf, podMatcherOf, withoutBasesOfCanaries } from './matching.ts';

const aSet = (spec: Partial<SidecarSetSpec>, name = 's', annotations: Record<string, string> = {}): SidecarSet => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name, annotations },
  spec,
});
const app = { matchLabels: { app: 'a' } };

describe('a Pod matches by its labels', () => {
  it.each<{ name: string; selector: unknown; then: boolean }>([
    { name: 'that are selected', selector: app, then: true },
    { name: 'that are not', selector: { matchLabels: { app: 'b' } }, then: false },
    { name: 'never without a selector', selector: undefined, then: false },
    { name: 'never with null', selector: null, then: false },
    { name: 'never with an empty selector', selector: {}, then: false },
    { name: 'never with an illegal selector', selector: { matchExpressions: [{ key: 'app', operator: 'Like' }] }, then: false },
    { name: 'by expressions', selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, then: true },
  ])('$name', ({ selector, then }) => {
    const matcher = podMatcherOf(aSet({ selector: selector as typeof app }));
    expect(matcher.matchesLabels({ app: 'a' })).toBe(then);
    expect(matcher.matchesLabels(undefined)).toBe(false);
  });
});

describe('a Pod matches by the labels of its namespace', () => {
  it.each<{ name: string; selector: unknown; given: Record<string, string> | undefined; then: boolean }>([
    { name: 'any without a selector', selector: undefined, given: undefined, then: true },
    { name: 'any with null', selector: null, given: undefined, then: true },
    { name: 'that are selected', selector: app, given: { app: 'a' }, then: true },
    { name: 'that are not', selector: app, given: {}, then: false },
    { name: 'not when the namespace is deleted', selector: app, given: undefined, then: false },
    {
      name: 'not when the namespace is deleted, for any label that it must not have',
      selector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
      given: undefined,
      then: false,
    },
    { name: 'all of them with an empty selector', selector: {}, given: {}, then: true },
    { name: 'none with an illegal one', selector: { matchLabels: { 'a b': 'c' } }, given: { 'a b': 'c' }, then: false },
  ])('$name', ({ selector, given, then }) => {
    const matcher = podMatcherOf(aSet({ namespaceSelector: selector as typeof app }));
    expect(matcher.matchesNamespace(given)).toBe(then);
    expect(matcher.anyNamespace).toBe(selector === undefined || selector === null);
  });
});

describe('the index of candidates', () => {
  const name = 'kubernetes.io/metadata.name';
  it.each<{ name: string; selector: SidecarSetSpec['namespaceSelector']; then: readonly string[] }>([
    { name: 'the cluster without a selector', selector: undefined, then: ['clusterScope'] },
    { name: 'the cluster for other labels', selector: app, then: ['clusterScope'] },
    { name: 'the name that is asked for', selector: { matchLabels: { [name]: 'ns1', app: 'a' } }, then: ['ns1'] },
    {
      name: 'the names of the first In',
      selector: {
        matchExpressions: [
          { key: name, operator: 'NotIn', values: ['x'] },
          { key: name, operator: 'In', values: ['a', 'b'] },
          { key: name, operator: 'In', values: ['b'] },
        ],
      },
      then: ['a', 'b'],
    },
    {
      name: 'the cluster for a name that is not to be had',
      selector: { matchExpressions: [{ key: name, operator: 'NotIn', values: ['x'] }] },
      then: ['clusterScope'],
    },
    {
      name: 'the cluster for an In of another label',
      selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['x'] }] },
      then: ['clusterScope'],
    },
    {
      name: 'the cluster for an In that names nothing',
      selector: { matchExpressions: [{ key: name, operator: 'In' }] },
      then: ['clusterScope'],
    },
    {
      name: 'a label before an In',
      selector: { matchLabels: { [name]: 'c' }, matchExpressions: [{ key: name, operator: 'In', values: ['a'] }] },
      then: ['c'],
    },
  ])('holds $name', ({ selector, then }) => {
    expect(candidateIndex(aSet(selector === undefined ? {} : { namespaceSelector: selector }))).toEqual(then);
  });
});

describe('a canary', () => {
  const canaryOf = (base: string, name = 'canary') =>
    aSet({}, name, { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': base });
  const names = (sets: readonly SidecarSet[]) => sets.map(({ metadata }) => metadata.name);

  it.each([
    [{ 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': 'base' }, 'base'],
    [{ 'apps.kruise.io/sidecarset-canary': 'true' }, undefined],
    [{ 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': '' }, undefined],
    [{ 'apps.kruise.io/sidecarset-canary': 'yes', 'apps.kruise.io/sidecarset-base': 'base' }, undefined],
    [{ 'apps.kruise.io/sidecarset-base': 'base' }, undefined],
  ])('with annotations %j has base %p', (annotations, base) => {
    expect(canaryBaseOf(aSet({}, 'c', annotations))).toBe(base);
  });

  it('takes the place of its base and keeps the order of the others', () => {
    expect(names(withoutBasesOfCanaries([aSet({}, 'a'), canaryOf('b'), aSet({}, 'b'), aSet({}, 'c')]))).toEqual(['a', 'canary', 'c']);
  });

  it('without annotations is none', () => {
    expect(canaryBaseOf({ metadata: { name: 'c' } })).toBeUndefined();
  });

  it('is none among others: the very list', () => {
    const matching = [aSet({}, 'a'), aSet({}, 'b')];
    expect(withoutBasesOfCanaries(matching)).toBe(matching);
  });

  it('removes nothing that does not match', () => {
    const matching = [aSet({}, 'a'), canaryOf('absent')];
    expect(names(withoutBasesOfCanaries(matching))).toEqual(['a', 'canary']);
  });
});
