/** Which Pods are on which node, and which nodes are to have one. @see spec/daemonset.md 5.3, 5.5 */
import { describe, expect, it } from '@jest/globals';
import type { DaemonSet } from '@kruise/api';
import { epoch } from '@kruise/testing';
import { fitOf } from './fit-memory.ts';
import { momentOf, noExecute, noSchedule, type Situation } from '../situation.testing.ts';
import { sitesOf } from './sites.ts';
import { aDaemonSet, aNode, type SetShape } from '../testing.ts';

/** Each node as `n1 runs: pods`. */
function shown(given: Situation): readonly string[] {
  return momentOf(given).sites.all.map(({ name, node, pods, ...site }) => {
    const role = site['fit'].shouldRun ? 'runs' : site['fit'].shouldContinueRunning ? 'stays' : 'none';
    const what = [node === undefined ? 'gone' : role, ...pods.map(({ metadata }) => metadata.name)];
    return `${name} ${what.join(' ')}`;
  });
}

const withSpec = (spec: object): SetShape => {
  const { template } = aDaemonSet().spec;
  return { spec: { template: { ...template, spec: { ...template.spec, ...spec } } } as Partial<DaemonSet['spec']> };
};

describe('the nodes of a DaemonSet', () => {
  it.each<{ name: string; given: Situation; then: readonly string[] }>([
    { name: 'come by name', given: { nodes: ['n2', 'n10', 'n1'] }, then: ['n1 runs', 'n10 runs', 'n2 runs'] },
    { name: 'have the Pods that are bound to them', given: { nodes: ['n1', 'n2'], pods: { n2: {} } }, then: ['n1 runs', 'n2 runs n2'] },
    { name: 'have the Pods that wait for them', given: { nodes: ['n1'], pods: { n1: { waiting: true } } }, then: ['n1 runs n1'] },
    { name: 'have those that go, too', given: { nodes: ['n1'], pods: { n1: { terminating: true } } }, then: ['n1 runs n1'] },
    {
      name: 'have those that are on them first, then the older ones',
      given: {
        nodes: ['n1'],
        pods: {
          'n1-a': { waiting: true },
          'n1-b': { createdAt: (epoch + 2000) as typeof epoch },
          'n1-c': { createdAt: (epoch + 1000) as typeof epoch },
        },
      },
      then: ['n1 runs n1-c n1-b n1-a'],
    },
    {
      name: 'that are deleted are sorted among the others while Pods are for them',
      given: { nodes: ['n1', 'n3'], pods: { n2: {}, n4: { waiting: true } } },
      then: ['n1 runs', 'n2 gone n2', 'n3 runs', 'n4 gone n4'],
    },
    {
      name: 'keep a Pod and get none with an untolerated NoSchedule, and neither with NoExecute',
      given: { nodes: [aNode('n1', { spec: noSchedule }), aNode('n2', { spec: noExecute })] },
      then: ['n1 stays', 'n2 none'],
    },
    {
      name: 'are those of the selector of the template',
      given: { set: withSpec({ nodeSelector: { color: 'blue' } }), nodes: ['n1', aNode('n2', { labels: { color: 'blue' } })] },
      then: ['n1 none', 'n2 runs'],
    },
    {
      name: 'are one where the template names it',
      given: { set: withSpec({ nodeName: 'n2' }), nodes: ['n1', 'n2'] },
      then: ['n1 none', 'n2 runs'],
    },
    {
      name: 'are those that are closed as well',
      given: {
        nodes: [
          aNode('n1', { spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } }),
        ],
      },
      then: ['n1 runs'],
    },
  ])('$name', ({ given, then }) => {
    expect(shown(given)).toEqual(then);
  });

  it('count as desired where the Pod should run', () => {
    const nodes = ['n1', aNode('n2', { spec: noSchedule }), aNode('n3', { spec: noExecute }), 'n4'];
    expect(momentOf({ nodes, pods: { n2: {}, n5: {} } }).sites.desired).toBe(2);
  });

  it('skips Pods that are for no node', () => {
    const { seen } = momentOf({ nodes: ['n1'], pods: { n1: { with: (pod) => ({ ...pod, spec: { containers: [] } }) } } });
    expect(sitesOf(seen.set, seen.pods, seen.nodes).all.map(({ pods }) => pods)).toEqual([[]]);
  });

  it('are requested once for a template that is the same object', () => {
    const spec = aDaemonSet().spec.template.spec ?? { containers: [] };
    expect(fitOf(spec)).toBe(fitOf(spec));
    expect(fitOf(spec)).not.toBe(fitOf({ ...spec }));
  });

  it('are found for a template without a spec', () => {
    const set = { ...aDaemonSet(), spec: { ...aDaemonSet().spec, template: {} } };
    expect(sitesOf(set, [], [aNode('n1')])).toMatchObject({ desired: 1, all: [{ name: 'n1', pods: [] }] });
  });
});
