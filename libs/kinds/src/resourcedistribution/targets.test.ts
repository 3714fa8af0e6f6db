/** @see spec/resourcedistribution.md 2 */
import { describe, expect, it } from '@jest/globals';
import type { ResourceDistributionTargets } from '@kruise/api';
import type { KubeObject } from '@kruise/objects';
import { divide, targetsOf } from './targets.ts';

const list = (...names: readonly string[]) => ({ list: names.map((name) => ({ name })) });
const namespace = (name: string, labels?: Record<string, string>): KubeObject => ({
  metadata: { name, ...(labels === undefined ? {} : { labels }) },
});
const one = { group: 'one' };
const selector = { matchLabels: one };
const cluster = [
  namespace('ns-4', one),
  namespace('ns-1', one),
  namespace('ns-2', one),
  namespace('ns-3', one),
  namespace('ns-5'),
  namespace('kube-system', one),
  namespace('kube-public'),
  namespace('default', {}),
];
const others = (...names: readonly string[]): readonly string[] =>
  cluster
    .map(({ metadata }) => metadata.name)
    .filter((name) => !names.includes(name))
    .sort();

describe('namespaces that get a copy', () => {
  it.each<{ name: string; targets: ResourceDistributionTargets; matched: readonly string[] }>([
    {
      name: 'included and selected ones without the excluded (2)',
      targets: { includedNamespaces: list('ns-1', 'ns-2', 'ns-5'), namespaceSelector: selector, excludedNamespaces: list('ns-4') },
      matched: ['ns-1', 'ns-2', 'ns-3', 'ns-5'],
    },
    { name: 'none by an empty selector', targets: { namespaceSelector: {} }, matched: [] },
    { name: 'none without targets', targets: {}, matched: [] },
    {
      name: 'none by a selector that is none',
      targets: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      matched: [],
    },
    {
      name: 'all of them, never those of the system (8)',
      targets: { allNamespaces: true },
      matched: ['default', 'ns-1', 'ns-2', 'ns-3', 'ns-4', 'ns-5'],
    },
    {
      name: 'not those of the system by name (8)',
      targets: { includedNamespaces: list('kube-system', 'kube-public', 'ns-1') },
      matched: ['ns-1'],
    },
    { name: 'not those of the system by labels', targets: { namespaceSelector: selector }, matched: ['ns-1', 'ns-2', 'ns-3', 'ns-4'] },
    {
      name: 'all, whatever the other members say',
      targets: {
        allNamespaces: true,
        includedNamespaces: list('gone'),
        namespaceSelector: selector,
        excludedNamespaces: list('ns-1', 'default'),
      },
      matched: ['ns-2', 'ns-3', 'ns-4', 'ns-5'],
    },
    {
      name: 'by name those that do not exist, too, once',
      targets: { includedNamespaces: list('gone', 'ns-1', 'gone') },
      matched: ['gone', 'ns-1'],
    },
    {
      name: 'not the excluded by name',
      targets: { includedNamespaces: list('ns-1', 'ns-2'), excludedNamespaces: list('ns-1') },
      matched: ['ns-2'],
    },
    { name: 'none by an empty name', targets: { includedNamespaces: { list: [{}, { name: '' }] } }, matched: [] },
  ])('$name', ({ targets, matched }) => {
    expect(divide(targetsOf({ spec: { targets } as never }), cluster, undefined)).toEqual({ matched, unmatched: others(...matched) });
  });

  it.each([
    undefined,
    null,
    {},
    { includedNamespaces: { list: 'x' } },
    { includedNamespaces: { list: [null, 1] } },
    { excludedNamespaces: null },
  ])('of an object of any shape are none: %j', (targets) => {
    expect(divide(targetsOf({ spec: { targets } as never }), cluster, undefined).matched).toEqual([]);
  });

  it('are no others than the one that the manager works in', () => {
    const targets = targetsOf({ spec: { targets: { includedNamespaces: list('ns-1', 'gone'), namespaceSelector: selector } } as never });
    expect(divide(targets, cluster, 'ns-2')).toEqual({ matched: ['ns-2'], unmatched: [] });
    expect(divide(targets, cluster, 'gone')).toEqual({ matched: ['gone'], unmatched: [] });
    expect(divide(targets, cluster, 'default')).toEqual({ matched: [], unmatched: ['default'] });
  });
});
