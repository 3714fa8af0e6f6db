import { describe, expect, it } from '@jest/globals';
import { defaultGates, labels } from '@kruise/api';
import { instant, type ControllerRevision, type Pod } from '@kruise/objects';
import { cloneSetRevisions, newRevision } from '@kruise/pods';
import { aPod, epoch } from '@kruise/testing';
import type { Workload } from './index.ts';
import { planPass } from './readme.testing.ts';

const revisionOf = (image: string, number: number): ControllerRevision =>
  newRevision(
    {
      namespace: 'default',
      parent: 'web',
      owner: { apiVersion: 'v1', kind: 'Owner', name: 'web', uid: 'web-uid' },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
      annotations: {},
    },
    number,
    0,
  ).revision;
const [before, after] = [revisionOf('app:1', 1), revisionOf('app:2', 2)];

const workload: Workload = {
  metadata: {},
  now: instant(epoch),
  gates: defaultGates,
  adapter: cloneSetRevisions(true),
  resources: 'Ignored',
  minReadySeconds: 0,
  lifecycle: undefined,
  waitsForNode: true,
  podUpdatePolicy: 'InPlaceIfPossible',
  graceSeconds: 0,
  isOnDelete: false,
  updateRevision: after.metadata.name,
  revisions: [before, after],
};

const member = (name: string, revision: ControllerRevision, state = 'Normal'): Pod =>
  aPod({
    name,
    labels: {
      [labels.lifecycleState]: state,
      [labels.controllerRevisionHash]: revision.metadata.name,
      [labels.podTemplateHash]: 'hash',
    },
  });
const reportOf = (pods: readonly Pod[]): readonly string[] =>
  planPass(pods, after, 1, workload).map((action) => `${action.kind} ${action.pod.metadata.name}`);

describe('the example of the README', () => {
  it('updates as many Pods as may be unavailable', () => {
    expect(reportOf([member('a', before), member('b', before), member('c', after)])).toEqual([
      expect.stringMatching(/^UpdatePodInPlace [ab]$/),
    ]);
  });

  it('begins nothing new while a Pod is not in the state that its lifecycle requires', () => {
    expect(reportOf([member('a', before), member('b', after, 'Updated')])).toEqual(['SetLifecycle b']);
  });

  it('has nothing to do once all Pods are updated', () => {
    expect(reportOf([member('a', after)])).toEqual([]);
  });
});
