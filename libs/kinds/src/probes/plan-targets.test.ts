import { describe, expect, it } from '@jest/globals';
import type { PodProbeMarker } from '@kruise/api';
import type { Node, Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { countTargets, isProbable, isVirtual, matcherOf, planTargets } from './plan-targets.ts';

const marker = (selector: unknown = { matchLabels: { app: 'web' } }): PodProbeMarker =>
  ({ metadata: { namespace: 'ns', name: 'm' }, spec: { selector, probes: [] } }) as unknown as PodProbeMarker;

const node = (name: string, labels: Readonly<Record<string, string>> = {}): Node => ({ metadata: { name, labels } });
const virtual = { type: 'virtual-kubelet' };

function pod(
  name: string,
  on: string,
  change: { labels?: Record<string, string>; initialized?: string; phase?: string; going?: boolean } = {},
): Pod {
  const base = aPod({ name, namespace: 'ns', node: on, labels: change.labels ?? { app: 'web' } });
  return {
    ...base,
    metadata: { ...base.metadata, ...(change.going === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    status: { phase: change.phase ?? 'Running', conditions: [{ type: 'Initialized', status: change.initialized ?? 'True' }] },
  };
}

const nodes = new Map([node('n1'), node('n2'), node('v', virtual)].map((one) => [one.metadata.name, one]));
const targets = (
  pods: readonly Pod[],
  of = marker(),
): { readonly byNode: unknown; readonly serverless: readonly string[]; readonly count: number } => {
  const planned = planTargets(of, pods, (name) => nodes.get(name));
  const namesOf = (list: readonly Pod[]): readonly string[] => list.map(({ metadata }) => metadata.name);
  return {
    byNode: Object.fromEntries([...planned.byNode].map(([name, list]) => [name, namesOf(list)])),
    serverless: namesOf(planned.serverless),
    count: countTargets(planned),
  };
};

describe('the Pods of a PodProbeMarker', () => {
  it('are those that it selects, by node, apart from those without a daemon', () => {
    const pods = [pod('a', 'n1'), pod('b', 'n2'), pod('c', 'n1'), pod('d', 'v'), pod('e', 'n1', { labels: { app: 'db' } })];
    expect(targets(pods)).toEqual({ byNode: { n1: ['a', 'c'], n2: ['b'] }, serverless: ['d'], count: 4 });
  });

  it.each<{ name: string; one: Pod }>([
    { name: 'is not initialized', one: pod('a', 'n1', { initialized: 'False' }) },
    { name: 'is finished', one: pod('a', 'n1', { phase: 'Succeeded' }) },
    { name: 'is going', one: pod('a', 'n1', { going: true }) },
    { name: 'is on an unknown node', one: pod('a', 'elsewhere') },
    { name: 'has no node', one: pod('a', '') },
  ])('hold none that $name', ({ one }) => {
    expect(targets([one])).toEqual({ byNode: {}, serverless: [], count: 0 });
  });

  it('are none where the selector cannot be read', () => {
    expect(targets([pod('a', 'n1')], marker({ matchExpressions: [{ key: 'a', operator: 'Near' }] })).count).toBe(0);
    expect(matcherOf({ metadata: { name: 'm' } } as PodProbeMarker).matches({ app: 'web' })).toBe(false);
  });

  it('are found by a matcher that is made once', () => {
    const one = marker();
    expect(matcherOf(one)).toBe(matcherOf(one));
  });
});

it('a node is virtual by its label', () => {
  expect([node('v', virtual), node('n', { type: 'other' }), { metadata: { name: 'x' } }].map(isVirtual)).toEqual([true, false, false]);
});

it('a Pod is probed once it is initialized', () => {
  expect(isProbable(aPod({ name: 'new' }))).toBe(false);
  expect(isProbable({ ...pod('a', 'n1'), status: { phase: 'Running' } })).toBe(false);
  expect([pod('a', 'n1'), pod('a', 'n1', { initialized: 'Unknown' })].map(isProbable)).toEqual([true, false]);
});
