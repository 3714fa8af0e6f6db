/** Updates of a DaemonSet. @see docs/spec/daemonset.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations, imagePullJobs, labels as podLabels } from '@kruise/api';
import { isTerminating, isPodReady, type Pod, podCondition } from '@kruise/objects';
import {
  type DaemonSetShape,
  type DaemonSetFixture,
  onNode,
} from '../../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { NodeLabels } from '../../support/node-labels.ts';
import { imageOf, lifecycleState, restartsOf, revisionOf } from '../../support/pod-facts.ts';
import { type Moment, PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openDaemonSets } from '../../support/fixture.ts';

const { first, second } = images;
const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
const nameOf = ({ metadata }: Pod): string => metadata.name;
const ownerVersion = ({ metadata }: Pod): string | undefined => metadata.ownerReferences?.[0]?.apiVersion;
const isPreparing = (pod: Pod): boolean => lifecycleState(pod) === 'PreparingDelete';
/** Costs the limit on unavailable Pods nothing. */
const inService = (pod: Pod): boolean => isPodReady(pod) && !isTerminating(pod) && !isPreparing(pod);
const time = (text: string | undefined): number => Date.parse(text ?? '');
/** When the Pod was asked to go: the time in the object is when it has to be gone. */
const deletedAt = ({ metadata }: Pod): number => time(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;

describe('updates of a DaemonSet', () => {
  let fixture: DaemonSetFixture;
  let labels: NodeLabels;
  beforeAll(async () => {
    fixture = await openDaemonSets('daemonset-update');
    labels = new NodeLabels(fixture.client, 'example.com/daemonset-update');
    await labels.clear();
  });
  afterAll(async () => {
    await labels.clear();
    await closeFixture(fixture);
  });

  const start = async (shape: Omit<DaemonSetShape, 'image'>, nodes = 3): Promise<void> => {
    await fixture.apply({ image: first, ...shape });
    await fixture.untilRolledOut(shape.name, nodes);
  };
  const patchRollout = (name: string, rollingUpdate: object): Promise<void> =>
    fixture.patch(name, { spec: { updateStrategy: { rollingUpdate } } });
  const imagesOf = (name: string) => fixture.byNode(name, imageOf);
  const uids = (name: string) => fixture.byNode(name, uidOf);
  const hashOf = async (name: string): Promise<string | undefined> => (await fixture.get(name)).status?.updateRevision;
  const every = (image: string) => ({ node1: image, node2: image, node3: image });

  it('in place keep the Pods when only the image differs, and recreate them for anything else (5)', async () => {
    await start({ name: 'in-place', rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: 5 } });
    const before = await uids('in-place');
    await fixture.setImage('in-place', second);
    await fixture.untilRolledOut('in-place');
    expect(await uids('in-place')).toEqual(before);
    expect(await imagesOf('in-place')).toEqual(every(second));
    expect(await fixture.byNode('in-place', restartsOf)).toEqual({ node1: 1, node2: 1, node3: 1 });
    expect(new Set(Object.values(await fixture.byNode('in-place', revisionOf)))).toEqual(new Set([await hashOf('in-place')]));
    expect((await fixture.untilEvent('in-place', 'SuccessfulUpdatePodInPlace')).message).toMatch(
      /^successfully update pod in-place-.* in-place$/,
    );
    const containers = [{ name: 'main', image: second, env: [{ name: 'A', value: 'b' }] }];
    await fixture.patch('in-place', { spec: { template: { spec: { containers } } } });
    await fixture.untilRolledOut('in-place');
    expect(Object.values(await uids('in-place')).filter((uid) => Object.values(before).includes(uid))).toEqual([]);
  });

  it('begin at the node of the highest name, and keep as many nodes as the partition says, in per cent as well (6)', async () => {
    await start({ name: 'parts', rollingUpdate: { partition: 2 } });
    const before = await uids('parts');
    await fixture.setImage('parts', second);
    await fixture.untilUpdated('parts', 1);
    await fixture.untilBlocked('parts', 'PartitionReached');
    expect(await imagesOf('parts')).toEqual({ node1: first, node2: first, node3: second });
    await patchRollout('parts', { partition: '50%' });
    await fixture.untilUpdated('parts', 2);
    await fixture.untilBlocked('parts', 'PartitionReached');
    expect(await imagesOf('parts')).toEqual({ node1: first, node2: second, node3: second });
    expect((await uids('parts'))['node1']).toBe(before['node1']);
  });

  it('use up the partition where a user deletes an old Pod, which is recreated as a new one', async () => {
    await patchRollout('parts', { partition: 1 });
    await fixture.untilUpdated('parts', 2);
    const old = await fixture.podOn('parts', 'node1');
    await fixture.deletePod(nameOf(old));
    expect(imageOf(await fixture.untilPodOn('parts', 'node1', [uidOf(old)]))).toBe(second);
    await fixture.untilRolledOut('parts');
  });

  it('take the nodes that the selector chooses, also those that come to be chosen (7)', async () => {
    const selector = { matchLabels: { [labels.key('tier')]: 'canary' } };
    await labels.set('node2', 'tier', 'canary');
    await start({ name: 'chosen', rollingUpdate: { selector } });
    await fixture.setImage('chosen', second);
    const { metadata } = await fixture.untilUpdated('chosen', 1);
    expect(await imagesOf('chosen')).toEqual({ node1: first, node2: second, node3: first });
    await labels.set('node1', 'tier', 'canary');
    await fixture.untilUpdated('chosen', 2);
    const chosen = { node1: second, node2: second, node3: first };
    expect(await imagesOf('chosen')).toEqual(chosen);
    // What is updated stays so.
    await labels.set('node2', 'tier', null);
    await patchRollout('chosen', { maxUnavailable: 2 });
    await fixture.untilUpdated('chosen', 2);
    expect(await imagesOf('chosen')).toEqual(chosen);
    expect((await fixture.get('chosen')).metadata.generation).toBe((metadata.generation ?? 0) + 1);
  });

  it('that are paused are known and not begun, while a new node gets a new Pod (8)', async () => {
    for (const node of ['node1', 'node2']) await labels.set(node, 'paused', 'yes');
    const podSpec = { nodeSelector: { [labels.key('paused')]: 'yes' } };
    await start({ name: 'paused', rollingUpdate: { paused: true }, podSpec }, 2);
    const [before, hash] = [await uids('paused'), await hashOf('paused')];
    await fixture.setImage('paused', second);
    await fixture.untilBlocked('paused', 'Paused');
    expect(await hashOf('paused')).not.toBe(hash);
    await labels.set('node3', 'paused', 'yes');
    await fixture.untilUpdated('paused', 1);
    expect(await uids('paused')).toMatchObject(before);
    expect(await imagesOf('paused')).toEqual({ node1: first, node2: first, node3: second });
    await patchRollout('paused', { paused: false });
    await fixture.untilRolledOut('paused');
  });

  it('with a surge have both Pods on each node until the new one has been ready long enough (9)', async () => {
    await fixture.apply({
      name: 'surge',
      image: first,
      rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 },
      spec: { minReadySeconds: 5 },
    });
    await fixture.until('surge', ({ status }) => status?.numberReady === 3);
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.setImage('surge', second);
    await fixture.untilRolledOut('surge');
    const observed = await history.untilNow();
    const { moments } = observed;
    const of = (moment: Moment, node: string): readonly Pod[] =>
      [...moment.values()].filter(({ metadata, spec }) => metadata.labels?.['app'] === 'surge' && spec.nodeName === node);
    for (const node of ['node1', 'node2', 'node3']) {
      expect(moments.some((moment) => of(moment, node).filter(isPodReady).length === 2)).toBe(true);
      const seen = moments.flatMap((moment) => of(moment, node));
      const deleted = seen.find((pod) => imageOf(pod) === first && isTerminating(pod)) as Pod;
      const readySince = podCondition(seen.find((pod) => imageOf(pod) === second && isPodReady(pod)) as Pod, 'Ready')?.lastTransitionTime;
      expect(deletedAt(deleted) - time(readySince)).toBeGreaterThanOrEqual(5_000);
    }
    expect(observed.range((pod) => pod.metadata.labels?.['app'] === 'surge' && inService(pod)).lowest).toBeGreaterThanOrEqual(3);
  });

  it('wait for the preDelete hook of one Pod after the other (10)', async () => {
    const hold = { a: 'b' };
    await start({
      name: 'hooked',
      labels: hold,
      rollingUpdate: { maxUnavailable: 1 },
      spec: { lifecycle: { preDelete: { labelsHandler: hold } } },
    });
    const before = await uids('hooked');
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.setImage('hooked', second);
    const left = { ...before };
    for (const node of ['node3', 'node2', 'node1']) {
      await fixture.eventually(async () => isPreparing(await fixture.podOn('hooked', node)), `the Pod on ${node} is prepared`);
      await fixture.untilBlocked('hooked', 'WaitingForHook');
      expect(await uids('hooked')).toMatchObject(left);
      const preparing = (await fixture.pods('hooked')).filter(isPreparing);
      expect(preparing.map(uidOf)).toEqual([left[node]]);
      await fixture.patchPod(preparing[0]?.metadata.name ?? '', { metadata: { labels: { a: null } } });
      expect(imageOf(await fixture.untilPodOn('hooked', node, [left[node] ?? '']))).toBe(second);
      delete left[node];
    }
    await fixture.untilRolledOut('hooked');
    const own = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'hooked';
    const observed = await history.untilNow();
    expect(observed.range((pod) => own(pod) && isPreparing(pod))).toEqual({ lowest: 0, highest: 1 });
    expect(observed.range((pod) => own(pod) && inService(pod)).lowest).toBe(2);
  });

  it('that go back use the former revision again (13)', async () => {
    await start({ name: 'back', podSpec: onNode('node1') }, 1);
    const hash = await hashOf('back');
    await fixture.setImage('back', second);
    const other = (await fixture.untilRolledOut('back', 1)).status?.updateRevision;
    await fixture.setImage('back', first);
    expect((await fixture.untilRolledOut('back', 1)).status?.updateRevision).toBe(hash);
    expect(await fixture.revisions('back')).toEqual([
      { name: `back-${other}`, revision: 2 },
      { name: `back-${hash}`, revision: 3 },
    ]);
    await fixture.patch('back', { spec: { revisionHistoryLimit: 0 } });
    await fixture.eventually(async () => (await fixture.revisions('back')).length === 1, 'the history is gone');
    expect((await fixture.untilRolledOut('back', 1)).status?.updateRevision).toBe(hash);
  });

  it('go through though an older release owns the Pods, by another version (16)', async () => {
    await start({ name: 'older' });
    for (const { metadata } of await fixture.pods('older')) {
      const ownerReferences = (metadata.ownerReferences ?? []).map((owner) => ({ ...owner, apiVersion: 'apps.kruise.io/v1alpha1' }));
      await fixture.patchPod(metadata.name, { metadata: { ownerReferences } });
    }
    const before = await uids('older');
    await fixture.setImage('older', second);
    await fixture.untilRolledOut('older');
    expect(await imagesOf('older')).toEqual(every(second));
    expect(Object.values(await uids('older')).filter((uid) => Object.values(before).includes(uid))).toEqual([]);
    const beta = 'apps.kruise.io/v1beta1';
    expect(await fixture.byNode('older', ownerVersion)).toEqual({ node1: beta, node2: beta, node3: beta });
  });

  it('in place recreate Pods that were created before updates were in place', async () => {
    await start({ name: 'switched', podSpec: onNode('node2') }, 1);
    const before = await fixture.podOn('switched', 'node2');
    await patchRollout('switched', { rollingUpdateType: 'InPlaceIfPossible' });
    await fixture.untilRolledOut('switched', 1);
    expect(uidOf(await fixture.podOn('switched', 'node2'))).toBe(uidOf(before));
    await fixture.setImage('switched', second);
    await fixture.untilRolledOut('switched', 1);
    const successor = await fixture.podOn('switched', 'node2');
    expect(uidOf(successor)).not.toBe(uidOf(before));
    await fixture.setImage('switched', first);
    await fixture.untilRolledOut('switched', 1);
    expect(uidOf(await fixture.podOn('switched', 'node2'))).toBe(uidOf(successor));
  });

  it('reach the Pods of a DaemonSet that carries the number of its template from before it was migrated', async () => {
    await start(
      { name: 'migrated', annotations: { [annotations.deprecatedDaemonSetTemplateGeneration]: '7' }, podSpec: onNode('node3') },
      1,
    );
    await fixture.setImage('migrated', second);
    await fixture.untilRolledOut('migrated', 1);
    const pod = await fixture.podOn('migrated', 'node3');
    expect([imageOf(pod), pod.metadata.labels?.[podLabels.podTemplateGeneration]]).toEqual([second, '7']);
  });

  it('wait with OnDelete for a user to delete Pods (17)', async () => {
    await start({ name: 'on-delete', spec: { updateStrategy: { type: 'OnDelete' } } });
    const before = await uids('on-delete');
    await fixture.setImage('on-delete', second);
    await fixture.untilBlocked('on-delete', 'OnDelete');
    expect(await uids('on-delete')).toEqual(before);
    const old = await fixture.podOn('on-delete', 'node2');
    await fixture.deletePod(nameOf(old));
    const { status } = await fixture.untilUpdated('on-delete', 1);
    expect(revisionOf(await fixture.podOn('on-delete', 'node2'))).toBe(status?.updateRevision);
    expect(await imagesOf('on-delete')).toEqual({ node1: first, node2: second, node3: first });
  });

  it('pull the image on the nodes that wait for it, until all have it', async () => {
    await start({ name: 'ahead', rollingUpdate: { partition: 2 } });
    const jobs = async () =>
      (await fixture.client.list(imagePullJobs, { namespace: fixture.namespace })).items.filter(({ metadata }) =>
        metadata.name.startsWith('ahead-'),
      );
    expect(await jobs()).toEqual([]);
    await fixture.setImage('ahead', second);
    const hash = (await fixture.untilUpdated('ahead', 1)).status?.updateRevision ?? '';
    await fixture.untilEvent('ahead', 'CreatedImagePullJob');
    const [job, ...others] = await jobs();
    expect(others).toEqual([]);
    expect(job?.metadata.name).toBe(`ahead-${hash}-main`);
    expect(job?.spec).toMatchObject({ image: second, parallelism: 1, completionPolicy: { type: 'Always', ttlSecondsAfterFinished: 600 } });
    await patchRollout('ahead', { partition: 0 });
    await fixture.untilRolledOut('ahead');
    await fixture.eventually(async () => (await jobs()).length === 0, 'the job is gone');
  });
});
