/** One Pod a node: which nodes, what the Pods look like, and what is refused. @see docs/spec/daemonset.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { daemonSetAnnotations, daemonSets, daemonSetsV1Alpha1, type DaemonSet, type DaemonSetV1Alpha1 } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { isTerminating, controllerOf, isPodReady, podCondition, pods, type ResourceType, type Pod } from '@kruise/objects';
import {
  daemonSetOf,
  type DaemonSetShape,
  type DaemonSetFixture,
  onNode,
} from '../../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { NodeLabels } from '../../support/node-labels.ts';
import { imageOf, lifecycleState, revisionOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openDaemonSets } from '../../support/fixture.ts';

const nodeNames = ['node1', 'node2', 'node3'];
const serviceAccounts: ResourceType = { group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
const image = images.first;

const tolerated = (key: string, effect: string): object => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect });
/** What every Pod of a daemon tolerates, in order. */
const tolerations = [
  tolerated('not-ready', 'NoExecute'),
  tolerated('unreachable', 'NoExecute'),
  tolerated('disk-pressure', 'NoSchedule'),
  tolerated('memory-pressure', 'NoSchedule'),
  tolerated('pid-pressure', 'NoSchedule'),
  tolerated('unschedulable', 'NoSchedule'),
];

describe('a DaemonSet', () => {
  let fixture: DaemonSetFixture;
  let labels: NodeLabels;
  beforeAll(async () => {
    fixture = await openDaemonSets('daemonset-create');
    labels = new NodeLabels(fixture.client, 'example.com/daemonset-create');
    await labels.clear();
  });
  afterAll(async () => {
    await labels.clear();
    await closeFixture(fixture);
  });

  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const applyOnServer = (shape: DaemonSetShape): Promise<DaemonSet> =>
    fixture.client.patch(daemonSets, key(shape.name), daemonSetOf(fixture.namespace, shape), {
      type: 'apply',
      fieldManager: 'e2e',
      force: true,
    });

  it('with only a selector, a template and a container has its defaults, and runs a Pod on each node (1)', async () => {
    const { metadata, spec } = await applyOnServer({ name: 'bare', image });
    expect(metadata.generation).toBe(1);
    expect(spec).toMatchObject({
      burstReplicas: 250,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Standard', maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
    const { status } = await fixture.untilRolledOut('bare');
    expect(status).toMatchObject({ currentNumberScheduled: 3, numberReady: 3, numberMisscheduled: 0, updateRevision: expect.any(String) });
    const all = await fixture.pods('bare');
    expect(all.map(({ spec: { nodeName } }) => nodeName).toSorted()).toEqual(nodeNames);
    for (const pod of all) {
      expect(pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [pod.spec.nodeName] }] }],
      });
      expect(pod.spec.tolerations).toEqual(tolerations);
      expect(pod.metadata.generateName).toBe('bare-');
      expect(revisionOf(pod)).toBe(status?.updateRevision);
      expect(controllerOf(pod)).toMatchObject({ apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', blockOwnerDeletion: true });
      expect(pod.spec.readinessGates).toEqual([{ conditionType: 'KruisePodReady' }]);
    }
    expect(await fixture.revisions('bare')).toEqual([{ name: `bare-${status?.updateRevision ?? ''}`, revision: 1 }]);
    expect((await fixture.untilEvent('bare', 'SuccessfulCreate')).message).toMatch(/^Created pod: bare-/);
  });

  it('that is applied on the server once more stays of its generation, and the next change is one of it (1)', async () => {
    expect((await applyOnServer({ name: 'bare', image })).metadata.generation).toBe(1);
    const changed = await applyOnServer({ name: 'bare', image, spec: { revisionHistoryLimit: 5 } });
    expect(changed.metadata.generation).toBe(2);
    expect((await fixture.untilRolledOut('bare')).metadata.generation).toBe(2);
  });

  it('replaces a Pod that is deleted, once it no longer exists (2)', async () => {
    const before = await fixture.podOn('bare', 'node2');
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.hold(before.metadata.name);
    await fixture.deletePod(before.metadata.name);
    await fixture.until('bare', ({ status }) => status?.numberAvailable === 2);
    await fixture.release(before.metadata.name);
    const after = await fixture.untilPodOn('bare', 'node2', [before.metadata.uid ?? '']);
    await fixture.untilRolledOut('bare');
    expect(after.metadata.name).not.toBe(before.metadata.name);
    const isThere = ({ metadata }: { readonly metadata: { readonly name: string } }): boolean =>
      [before.metadata.name, after.metadata.name].includes(metadata.name);
    const observed = await history.untilNow();
    expect(observed.range(isThere)).toEqual({ lowest: 0, highest: 1 });
  });

  it('follows the labels of a node, and counts a Pod that has no place there until it no longer exists (3)', async () => {
    await fixture.apply({ name: 'color', image, podSpec: { nodeSelector: { [labels.key('color')]: 'blue' } } });
    expect((await fixture.untilObserved('color')).status?.desiredNumberScheduled).toBe(0);
    await labels.set('node2', 'color', 'blue');
    await fixture.untilRolledOut('color', 1);
    const pod = await fixture.podOn('color', 'node2');
    await fixture.hold(pod.metadata.name);
    await labels.set('node2', 'color', 'green');
    const deleted = await fixture.until('color', ({ status }) => status?.numberMisscheduled === 1 && status.desiredNumberScheduled === 0);
    expect(deleted.status?.currentNumberScheduled).toBe(0);
    await fixture.eventually(async () => isTerminating(await fixture.pod(pod.metadata.name)), 'its Pod goes');
    await fixture.release(pod.metadata.name);
    await fixture.until('color', ({ status }) => status?.numberMisscheduled === 0);
    await fixture.eventually(async () => (await unlessDeleted(fixture.pod(pod.metadata.name))) === undefined, 'its Pod is gone');
    expect((await fixture.untilEvent('color', 'SuccessfulDelete')).message).toBe(`Deleted pod: ${pod.metadata.name}`);
  });

  it('replaces a Pod that has failed, and waits longer each time it fails again at once (4)', async () => {
    await fixture.apply({ name: 'failing', image, podSpec: { terminationGracePeriodSeconds: 0, ...onNode('node3') } });
    /** When the event was made that names the Pod; undefined: not yet. */
    const notedAt = async (pod: string): Promise<number | undefined> => {
      const noted = (await fixture.events('failing')).find(
        ({ reason, message = '' }) => reason === 'FailedDaemonPod' && message.includes(`/${pod} on node node3`),
      );
      return noted === undefined ? undefined : Date.parse(noted.firstTimestamp ?? '');
    };
    /** Again, should the kubelet have had another word. */
    const fail = (pod: string): Promise<unknown> =>
      unlessDeleted(fixture.client.patch(pods, key(pod), { status: { phase: 'Failed' } }, { type: 'merge', subresource: 'status' }));
    const seen: string[] = [];
    const times: number[] = [];
    for (let round = 0; round < 4; round++) {
      const { metadata } = await fixture.untilPodOn('failing', 'node3', seen);
      seen.push(metadata.uid ?? '');
      await fixture.eventually(async () => {
        await fail(metadata.name);
        return (await notedAt(metadata.name)) !== undefined;
      }, `the controller has noted that ${metadata.name} failed`);
      times.push((await notedAt(metadata.name)) ?? 0);
    }
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(1000 * 2 ** index);
    expect(waits).toHaveLength(3);
    await fixture.untilPodOn('failing', 'node3', seen);
    await fixture.untilRolledOut('failing', 1);
  });

  it('with partitioned scaling creates no more Pods than the partition leaves, by name of the node (11)', async () => {
    const rollingUpdate = { partition: 3 };
    await fixture.apply({ name: 'parts', image, rollingUpdate, spec: { scaleStrategy: { partitionedScaling: true } } });
    await fixture.until('parts', ({ status }) => status?.desiredNumberScheduled === 3 && status.observedGeneration === 1);
    expect(await fixture.pods('parts')).toEqual([]);
    const setPartition = (partition: number | string): Promise<void> =>
      fixture.patch('parts', { spec: { updateStrategy: { rollingUpdate: { partition } } } });
    await setPartition(2);
    await fixture.until('parts', ({ status }) => status?.numberAvailable === 1);
    expect(Object.keys(await fixture.byNode('parts', imageOf))).toEqual(['node1']);
    await setPartition('34%');
    await fixture.until('parts', ({ status }) => status?.numberAvailable === 2);
    expect(Object.keys(await fixture.byNode('parts', imageOf)).toSorted()).toEqual(['node1', 'node2']);
    await setPartition(0);
    await fixture.untilRolledOut('parts');
  });

  it('of v1alpha1 reads as v1beta1, with the same hash (12)', async () => {
    const { spec } = daemonSetOf(fixture.namespace, { name: 'alpha', image, podSpec: onNode('node1') });
    const strategy = { type: 'RollingUpdate', rollingUpdate: { rollingUpdateType: 'Surging' } };
    await fixture.client.create(daemonSetsV1Alpha1, {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'DaemonSet',
      metadata: { ...key('alpha'), annotations: { [daemonSetAnnotations.progressiveCreatePod]: 'true' } },
      spec: { ...spec, updateStrategy: strategy },
    } as DaemonSetV1Alpha1);
    const beta = await fixture.untilRolledOut('alpha', 1);
    expect(beta.spec.scaleStrategy).toEqual({ partitionedScaling: true });
    expect(beta.spec.updateStrategy?.rollingUpdate).toEqual({ rollingUpdateType: 'Standard', maxSurge: 1, maxUnavailable: 0 });
    const alpha = await fixture.client.get(daemonSetsV1Alpha1, key('alpha'));
    expect(alpha.status?.daemonSetHash).toEqual(expect.any(String));
    expect(alpha.status?.daemonSetHash).toBe(beta.status?.updateRevision);
    expect(alpha.spec).not.toHaveProperty('scaleStrategy');
  });

  it('keeps its selector (14)', async () => {
    const patched = fixture.client.patch(
      daemonSets,
      key('bare'),
      { spec: { selector: { matchLabels: { app: 'bare', tier: 'x' } }, template: { metadata: { labels: { tier: 'x' } } } } },
      { type: 'merge' },
    );
    await expect(patched).rejects.toMatchObject({ code: 422, message: expect.stringContaining('spec: Forbidden') });
  });

  it.each<[string, Partial<DaemonSetShape>, string]>([
    ['both limits of an update', { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } }, 'may not be set when maxUnavailable is non-zero'],
    [
      'a surge of updates in place',
      { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxSurge: 1 } },
      'must be 0 for InPlaceIfPossible',
    ],
    [
      'a hook of updates in place',
      { spec: { lifecycle: { inPlaceUpdate: { finalizersHandler: ['example.com/x'] } } } },
      'spec.lifecycle.inPlaceUpdate',
    ],
  ])('with %s is refused (15)', async (_what, shape, message) => {
    await expect(fixture.apply({ name: 'refused', image, ...shape })).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining(message),
    });
  });

  it('reports why its Pods cannot be created, and creates them when they can', async () => {
    await fixture.apply({ name: 'later', image, podSpec: { serviceAccountName: 'later', ...onNode('node1') } });
    expect((await fixture.untilEvent('later', 'FailedCreate')).message).toMatch(/^Error creating: .*serviceaccount "later" not found/);
    await fixture.until('later', ({ status }) => status?.desiredNumberScheduled === 1);
    await fixture.client.create(serviceAccounts, { metadata: key('later') });
    await fixture.untilRolledOut('later', 1);
  });

  it('whose burst cannot be read creates nothing and says so, and a percentage is one of nodes', async () => {
    await fixture.apply({ name: 'burst', image, spec: { burstReplicas: 'many' } });
    await fixture.untilBlocked('burst', 'ScaleLimited');
    await fixture.untilEvent('burst', 'InvalidSpec');
    expect(await fixture.pods('burst')).toEqual([]);
    await fixture.patch('burst', { spec: { burstReplicas: '34%' } });
    await fixture.untilRolledOut('burst');
  });

  it('that is deleted without its Pods leaves them to the next of the same selector', async () => {
    await fixture.apply({ name: 'orphans', image });
    const first = await fixture.untilRolledOut('orphans');
    const uids = (): Promise<Readonly<Record<string, string | undefined>>> => fixture.byNode('orphans', ({ metadata }) => metadata.uid);
    const before = await uids();
    await fixture.client.delete(daemonSets, key('orphans'), { propagationPolicy: 'Orphan' });
    await fixture.eventually(async () => (await unlessDeleted(fixture.get('orphans'))) === undefined, 'the DaemonSet is gone');
    const { items } = await fixture.client.list(pods, { namespace: fixture.namespace, labelSelector: 'app=orphans' });
    expect(items.map((pod) => [controllerOf(pod), isTerminating(pod)])).toEqual(nodeNames.map(() => [undefined, false]));
    await fixture.apply({ name: 'orphans', image });
    const second = await fixture.untilRolledOut('orphans');
    expect(await uids()).toEqual(before);
    expect(second.status?.updateRevision).toBe(first.status?.updateRevision);
    expect(await fixture.revisions('orphans')).toHaveLength(1);
    await fixture.setImage('orphans', images.second);
    await fixture.untilRolledOut('orphans');
    expect(await fixture.byNode('orphans', imageOf)).toEqual(Object.fromEntries(nodeNames.map((name) => [name, images.second])));
  });

  it('sets the preDelete hook before it deletes a Pod without a place, and takes the Pod out of service', async () => {
    await labels.set('node1', 'hook', 'yes');
    const hold = { 'example.com/hold': 'yes' };
    await fixture.apply({
      name: 'hook',
      image,
      labels: hold,
      podSpec: { nodeSelector: { [labels.key('hook')]: 'yes' } },
      spec: { lifecycle: { preDelete: { labelsHandler: hold, markPodNotReady: true } } },
    });
    await fixture.untilRolledOut('hook', 1);
    const { metadata } = await fixture.podOn('hook', 'node1');
    await labels.set('node1', 'hook', null);
    // The state and the condition are two writes, and either may be seen first.
    const isWaiting = (pod: Pod): boolean => lifecycleState(pod) === 'PreparingDelete' && !isPodReady(pod);
    await fixture.eventually(async () => isWaiting(await fixture.pod(metadata.name)), 'the Pod waits for its hook, out of service');
    const waiting = await fixture.pod(metadata.name);
    expect(podCondition(waiting, 'KruisePodReady')).toMatchObject({
      status: 'False',
      message: '[{"userAgent":"Lifecycle","key":"preDeleteHook"}]',
    });
    expect(isTerminating(waiting)).toBe(false);
    await fixture.until('hook', ({ status }) => status?.numberMisscheduled === 1 && status.desiredNumberScheduled === 0);
    await fixture.patchPod(metadata.name, { metadata: { labels: { 'example.com/hold': null } } });
    await fixture.until('hook', ({ status }) => status?.numberMisscheduled === 0);
    expect(await unlessDeleted(fixture.pod(metadata.name))).toBeUndefined();
  });
});
