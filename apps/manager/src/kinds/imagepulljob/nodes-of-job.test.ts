import { describe, expect, it } from '@jest/globals';
import type { ImagePullJob } from '@kruise/api';
import { type KubeObject, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { aJob, aNodeImage } from '../../images/builders.testing.ts';
import { nodesOfJob, workloadOf, type NodesSeen } from './nodes-of-job.ts';
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
  const pods = [aWeb('web-0', 'n1', { late: 'yes' }), aWeb('web-1', 'n2', { late: 'no' }), aWeb('web-10', 'n3', { late: 'yes' })];

  it.each<{ name: string; workload?: KubeObject; then: readonly string[] }>([
    { name: 'by name of the Pods without a workload', then: ['n1', 'n2', 'n3'] },
    {
      name: 'as a CloneSet prefers',
      workload: owner('CloneSet', { rollingUpdate: { priorityStrategy: byWeight } }),
      then: ['n2', 'n1', 'n3'],
    },
    { name: 'as a SidecarSet prefers', workload: owner('SidecarSet', { priorityStrategy: byWeight }), then: ['n2', 'n1', 'n3'] },
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
