import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob } from '@kruise/api';
import { type KubeObject, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { aJob, aNodeImage } from '../images/builders.testing.ts';
import { choosesNode, nodesOfJob, workloadOf, type NodesSeen } from './nodes-of-job.ts';
import { nodeChoiceOf } from './terms.ts';

const nodeImages = ['n3', 'n1', 'n2'].map((name) => aNodeImage({ name, labels: { zone: name === 'n2' ? 'b' : 'a' } }));
const nodesFor = (spec: Partial<ImagePullJob['spec']>, pods: readonly Pod[] = [], workload?: KubeObject): readonly string[] => {
  const seen: NodesSeen = {
    nodeImages: () => nodeImages,
    nodeImageAt: (node) => nodeImages.find(({ metadata }) => metadata.name === node),
    pods: () => pods,
    workload,
  };
  return nodesOfJob(nodeChoiceOf(aJob({ spec }).spec), seen).map(({ metadata }) => metadata.name);
};

const web = { podSelector: { matchLabels: { app: 'web' } } };
const aWeb = (name: string, node: string, more: object = {}): Pod => aPod({ name, node, labels: { app: 'web', ...more } });

describe('the nodes of a job', () => {
  it.each<{ name: string; spec: Partial<ImagePullJob['spec']>; then: readonly string[] }>([
    { name: 'are all of them by name', spec: {}, then: ['n1', 'n2', 'n3'] },
    { name: 'are all of them with a selector without conditions', spec: { selector: { matchLabels: {} } }, then: ['n1', 'n2', 'n3'] },
    { name: 'are all of them with an empty selector', spec: { selector: {} }, then: ['n1', 'n2', 'n3'] },
    {
      name: 'are those that fit expressions',
      spec: { selector: { matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] } },
      then: ['n2'],
    },
    {
      name: 'are none with a selector that cannot be read',
      spec: { selector: { matchExpressions: [{ key: 'zone', operator: 'No' }] } },
      then: [],
    },
    { name: 'are those with the labels', spec: { selector: { matchLabels: { zone: 'a' } } }, then: ['n1', 'n3'] },
    {
      name: 'are those that are named, as they are named, each once',
      spec: { selector: { names: ['n3', 'gone', 'n1', 'n3'] } },
      then: ['n3', 'n1'],
    },
    { name: 'are none with an empty list', spec: { selector: { names: [] } }, then: [] },
  ])('$name', ({ spec, then }) => {
    expect(nodesFor(spec)).toEqual(then);
  });

  it('are those of the Pods that run or will, each once', () => {
    const pods = [
      aWeb('a', 'n2'),
      aWeb('b', 'n2'),
      aWeb('c', ''),
      aWeb('d', 'without-node-image'),
      aPod({ name: 'e', node: 'n1', labels: { app: 'other' } }),
      aPod({ name: 'f', node: 'n1', labels: { app: 'web' }, phase: 'Failed' }),
      aPod({ name: 'g', node: 'n1', labels: { app: 'web' }, terminating: true }),
      aWeb('h', 'n3'),
    ];
    expect(nodesFor(web, pods)).toEqual(['n2', 'n3']);
    expect(nodesFor(web, pods.toReversed())).toEqual(['n2', 'n3']);
  });

  const owner = (kind: string, updateStrategy: object): KubeObject =>
    ({ kind, metadata: { name: 'web' }, spec: { updateStrategy } }) as KubeObject;
  const byWeight = { weightPriority: [{ weight: 50, matchSelector: { matchLabels: { late: 'no' } } }] };
  const bare = (kind: string): KubeObject => ({ kind, metadata: { name: 'web' }, spec: {} }) as KubeObject;
  const scattered = [{ key: 'late', value: 'yes' }];
  const pods = [aWeb('web-0', 'n1', { late: 'yes' }), aWeb('web-1', 'n2', { late: 'no' }), aWeb('web-10', 'n3', { late: 'yes' })];

  it.each<{ name: string; workload?: KubeObject; then: readonly string[] }>([
    { name: 'by name of the Pods without a workload', then: ['n1', 'n2', 'n3'] },
    {
      name: 'as a CloneSet prefers',
      workload: owner('CloneSet', { rollingUpdate: { priorityStrategy: byWeight } }),
      then: ['n2', 'n1', 'n3'],
    },
    { name: 'as a SidecarSet prefers', workload: owner('SidecarSet', { priorityStrategy: byWeight }), then: ['n2', 'n1', 'n3'] },
    { name: 'by name in a CloneSet that prefers none', workload: owner('CloneSet', {}), then: ['n1', 'n2', 'n3'] },
    { name: 'by name in a workload without a strategy', workload: bare('CloneSet'), then: ['n1', 'n2', 'n3'] },
    { name: 'by name in a SidecarSet without a strategy', workload: bare('SidecarSet'), then: ['n1', 'n2', 'n3'] },
    { name: 'from the last ordinal of a StatefulSet without a strategy', workload: bare('StatefulSet'), then: ['n3', 'n2', 'n1'] },
    {
      name: 'scattered as a CloneSet wants',
      workload: owner('CloneSet', { rollingUpdate: { scatterStrategy: scattered } }),
      then: ['n1', 'n2', 'n3'],
    },
    { name: 'scattered as a SidecarSet wants', workload: owner('SidecarSet', { scatterStrategy: scattered }), then: ['n1', 'n2', 'n3'] },
    { name: 'from the last ordinal of a StatefulSet', workload: owner('StatefulSet', {}), then: ['n3', 'n2', 'n1'] },
    {
      name: 'as a StatefulSet prefers that updates in any order',
      workload: owner('StatefulSet', { rollingUpdate: { unorderedUpdate: { priorityStrategy: byWeight } } }),
      then: ['n2', 'n1', 'n3'],
    },
    { name: 'by name for other workloads', workload: owner('DaemonSet', {}), then: ['n1', 'n2', 'n3'] },
  ])('come $name', ({ workload, then }) => {
    expect(nodesFor(web, pods, workload)).toEqual(then);
  });
});

describe('the Pods of a workload', () => {
  const ofKind = (kind: string): KubeObject =>
    ({ kind, metadata: { name: 'web' }, spec: { updateStrategy: { rollingUpdate: {} } } }) as KubeObject;

  it('without an ordinal come last in a StatefulSet', () => {
    const pods = [aWeb('web', 'n1'), aWeb('web-3x', 'n2'), aWeb('web-0', 'n3')];
    expect(nodesFor(web, pods, ofKind('StatefulSet'))).toEqual(['n3', 'n1', 'n2']);
  });

  it('are scattered as the workload wants', () => {
    const scatterStrategy = [{ key: 'late', value: 'yes' }];
    const pods = ['n1', 'n2', 'n3', 'n3'].map((node, index) => aWeb(`web-${index}`, node, { late: index < 2 ? 'yes' : 'no' }));
    const of = (kind: string, updateStrategy: object): KubeObject => ({ ...ofKind(kind), spec: { updateStrategy } }) as KubeObject;
    const scattered = ['n1', 'n3', 'n2'];
    expect(nodesFor(web, pods, of('CloneSet', { rollingUpdate: { scatterStrategy } }))).toEqual(scattered);
    expect(nodesFor(web, pods, of('SidecarSet', { scatterStrategy }))).toEqual(scattered);
  });

  it('that prepare for their update come first in a CloneSet alone', () => {
    const preparing = { 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' };
    const pods = [aWeb('web-a', 'n1'), aWeb('web-b', 'n2', preparing)];
    expect(nodesFor(web, pods, ofKind('CloneSet'))).toEqual(['n2', 'n1']);
    expect(nodesFor(web, pods, ofKind('SidecarSet'))).toEqual(['n1', 'n2']);
    const unordered = { ...ofKind('StatefulSet'), spec: { updateStrategy: { rollingUpdate: { unorderedUpdate: {} } } } } as KubeObject;
    expect(nodesFor(web, pods, unordered)).toEqual(['n1', 'n2']);
  });
});

describe('whether a node is one of a job', () => {
  it.each<{ name: string; spec: Partial<ImagePullJob['spec']>; then: boolean | undefined }>([
    { name: 'is so for all nodes', spec: {}, then: true },
    { name: 'is so when it is named', spec: { selector: { names: ['n3'] } }, then: true },
    { name: 'is not so when others are named', spec: { selector: { names: ['n1'] } }, then: false },
    { name: 'is so by its labels', spec: { selector: { matchLabels: { zone: 'a' } } }, then: true },
    { name: 'is not so by other labels', spec: { selector: { matchLabels: { zone: 'b' } } }, then: false },
    { name: 'is not known where Pods decide', spec: web, then: undefined },
  ])('$name', ({ spec, then }) => {
    expect(choosesNode(nodeChoiceOf(aJob({ spec }).spec), nodeImages[0]!)).toBe(then);
  });
});

describe('the workload of a job', () => {
  const ownedBy = (apiVersion: string, kind: string, controller = true): ImagePullJob =>
    aJob({ metadata: { ownerReferences: [{ apiVersion, kind, name: 'web', uid: 'u', controller }] } });
  it.each([
    ['a CloneSet of any version', ownedBy('apps.kruise.io/v1alpha1', 'CloneSet'), 'CloneSet'],
    ['our StatefulSet', ownedBy('apps.kruise.io/v1beta1', 'StatefulSet'), 'StatefulSet'],
    ['not that of Kubernetes', ownedBy('apps/v1', 'StatefulSet'), undefined],
    ['not a list of images', ownedBy('apps.kruise.io/v1beta1', 'ImageListPullJob'), undefined],
    ['not one that does not control it', ownedBy('apps.kruise.io/v1beta1', 'CloneSet', false), undefined],
    ['none', aJob(), undefined],
  ])('%s', (_name, job, kind) => {
    expect(workloadOf(job)?.kind).toBe(kind);
  });
});
