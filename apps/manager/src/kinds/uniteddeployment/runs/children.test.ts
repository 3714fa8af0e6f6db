/** Whose the children are, and what becomes of them, with the whole controller. @see spec/uniteddeployment.md 5.5, 5.6, 9 */
import { describe, expect, it } from '@jest/globals';
import { cloneSets, unitedDeploymentAnnotations, unitedDeploymentLabels as labels, unitedDeployments, type CloneSet } from '@kruise/api';
import type { FakeApi } from '@kruise/kube/testing';
import { controllerOf, newControllerRef, pods, type Pod } from '@kruise/objects';
import { builtInStatefulSets, deployments } from '@kruise/workloads';
import { adaptive, aUnited, named, templateOf, type Topology } from '@kruise/kinds/uniteddeployment/testing';
import { UnitedDeploymentCluster } from '../cluster.testing.ts';

const namespace = 'default';
const childrenOf = (cluster: UnitedDeploymentCluster): readonly CloneSet[] => cluster.api.peekAll(cloneSets, namespace);
const childOf = (cluster: UnitedDeploymentCluster, subset: string): CloneSet => {
  const found = childrenOf(cluster).find(({ metadata }) => metadata.labels?.[labels.subsetName] === subset);
  if (found === undefined) throw new Error(`no child of ${subset}`);
  return found;
};
const aCloneSet = (name: string, over: Partial<CloneSet['metadata']> = {}): CloneSet => ({
  metadata: { namespace, name, labels: { app: 'web', [labels.subsetName]: 'a' }, ...over },
  spec: { replicas: 1, selector: { matchLabels: { app: 'web', [labels.subsetName]: 'a' } }, template: {} },
});

describe('children', () => {
  it('look as the original makes them', async () => {
    const term = { matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['z1'] }] };
    await using cluster = new UnitedDeploymentCluster({
      subsets: [{ name: 'a', nodeSelectorTerm: term, tolerations: [{ key: 'k', operator: 'Exists' as const }] }, { name: 'b' }],
    });
    await cluster.settle();
    const { metadata, spec } = childOf(cluster, 'a');
    const { updatedRevision: revision = '' } = cluster.status;
    expect(metadata).toMatchObject({
      name: expect.stringMatching(/^web-a-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
      generateName: 'web-a-',
      labels: { app: 'web', [labels.subsetName]: 'a', [labels.revision]: revision },
      annotations: { [unitedDeploymentAnnotations.subsetPatch]: '' },
    });
    expect(controllerOf(childOf(cluster, 'a'))).toEqual(newControllerRef(cluster.united, unitedDeployments));
    expect(spec).toEqual({
      replicas: 1,
      selector: { matchLabels: { app: 'web', [labels.subsetName]: 'a' } },
      updateStrategy: { rollingUpdate: { partition: 0 } },
      template: {
        metadata: { labels: { app: 'web', [labels.subsetName]: 'a', [labels.revision]: revision } },
        spec: {
          containers: [{ name: 'main', image: 'app:1' }],
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
          tolerations: [{ key: 'k', operator: 'Exists' }],
        },
      },
    });
  });

  it('of a subset with a patch are patched, and a change of the patch touches that child alone (4)', async () => {
    const patch = (value: string) => ({ spec: { containers: [{ name: 'main', env: [{ name: 'ZONE', value }] }] } });
    const subsets = (value: string) => [{ name: 'a', patch: patch(value) }, { name: 'b' }];
    await using cluster = new UnitedDeploymentCluster({ subsets: subsets('1') });
    await cluster.settle();
    const envOf = (subset: string): unknown => childOf(cluster, subset).spec.template.spec?.containers[0]?.env;
    expect([envOf('a'), envOf('b')]).toEqual([[{ name: 'ZONE', value: '1' }], undefined]);
    expect(childOf(cluster, 'a').metadata.annotations?.[unitedDeploymentAnnotations.subsetPatch]).toBe(
      '{"spec":{"containers":[{"env":[{"name":"ZONE","value":"1"}],"name":"main"}]}}',
    );
    const before = childOf(cluster, 'b').metadata.resourceVersion;
    const podsBefore = cluster.workloads.podsOf(childOf(cluster, 'b')).map(({ metadata }) => metadata.uid);
    cluster.change({ topology: { subsets: subsets('2') } });
    await cluster.settle();
    expect(envOf('a')).toEqual([{ name: 'ZONE', value: '2' }]);
    expect(childOf(cluster, 'b').metadata.resourceVersion).toBe(before);
    expect(cluster.workloads.podsOf(childOf(cluster, 'b')).map(({ metadata }) => metadata.uid)).toEqual(podsBefore);
    expect(cluster.revisions).toHaveLength(1);
  });

  it('scaling by one touches one child, and nothing is written but its replicas and the status', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 12, subsets: named('a', 'b', 'c', 'd') });
    await cluster.settle();
    const written: string[] = [];
    cluster.api.onWrite(({ call }) => {
      if (call.from === 'manager')
        written.push(`${call.verb} ${call.type?.kind ?? ''}${call.subresource === '' ? '' : `/${call.subresource}`}`);
    });
    cluster.change({ replicas: 13 });
    await cluster.settle();
    expect(written.filter((write) => write === 'patch CloneSet')).toHaveLength(1);
    expect(written.filter((write) => write !== 'patch CloneSet' && write !== 'update UnitedDeployment/status')).toEqual([]);
    expect(written.length).toBeLessThanOrEqual(4);
  });

  it('are deleted with their subset, and made for a new one (14)', async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    cluster.change({ topology: { subsets: named('b', 'c') } });
    await cluster.settle();
    expect(cluster.shown).toEqual(['b 2 CloneSet', 'c 1 CloneSet']);
    expect(cluster.subsets).toEqual(['b 2', 'c 1']);
    expect(cluster.events).toContain('SuccessfulUpdateSubset: Delete 1 Subset (CloneSet)');
  });

  it.each<{ name: string; topology: Topology | undefined }>([
    { name: 'topology is missing', topology: undefined },
    { name: 'topology is empty', topology: {} },
    { name: 'the list of subsets is empty', topology: { subsets: [] } },
    { name: 'the list of subsets is empty in mode Adaptive', topology: { subsets: [], scheduleStrategy: adaptive() } },
  ])('stay as they are while $name, until there are no replicas', async ({ topology }) => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    cluster.change({ topology } as object);
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 2 CloneSet']);
    expect(cluster.subsets).toEqual(['a 1', 'b 2']);
    expect(cluster.status).toMatchObject({ replicas: 3, updatedReplicas: 3 });
    const why = 'there is no subset in spec.topology.subsets for the 3 Pods of spec.replicas';
    expect(cluster.events).toContainEqual(expect.stringContaining(why));
    expect(cluster.status.conditions).toContainEqual(expect.objectContaining({ type: 'SubsetProvisioned', status: 'False', message: why }));
    expect(cluster.conditions).toContain('Blocked True InvalidSpec');
    cluster.change({ replicas: 0 });
    await cluster.settle();
    expect(cluster.shown).toEqual([]);
    expect(cluster.status).toMatchObject({ replicas: 0, updatedReplicas: 0, subsetStatuses: [] });
  });

  it('are made of a template that the original stored with members of v1alpha1', async () => {
    const updateStrategy = { type: 'InPlaceIfPossible', maxUnavailable: '30%' };
    await using cluster = new UnitedDeploymentCluster({ child: { updateStrategy, scaleStrategy: { disablePVCReuse: true } } });
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 2 CloneSet']);
    expect(childOf(cluster, 'a').spec).toMatchObject({
      scaleStrategy: { enablePVCReuse: false },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', maxUnavailable: '30%' } },
    });
    expect(childOf(cluster, 'a').spec?.updateStrategy).not.toHaveProperty('maxUnavailable');
    expect(await cluster.quietHour()).toEqual([]);
  });

  it('of another kind than the template go (15)', async () => {
    await using cluster = new UnitedDeploymentCluster({ kind: 'StatefulSet' });
    await cluster.settle();
    cluster.change({ template: templateOf('CloneSet') });
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 2 CloneSet']);
    expect(cluster.api.peekAll(builtInStatefulSets, namespace)).toEqual([]);
  });

  it('scaled or deleted by hand come back', async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    const name = childOf(cluster, 'a').metadata.name;
    await cluster.api.patch(cloneSets, { namespace, name }, { spec: { replicas: 7 } }, { type: 'merge' });
    await cluster.settle();
    // That which has most has one more.
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 1 CloneSet']);
    await cluster.api.delete(cloneSets, { namespace, name });
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 1 CloneSet', 'b 2 CloneSet']);
  });

  it('one of ours that names no subset is left alone, and the others work', async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    const ownerReferences = [newControllerRef(cluster.united, unitedDeployments)];
    cluster.api.seed(cloneSets, aCloneSet('nameless', { labels: { app: 'web' }, ownerReferences }));
    cluster.change({ replicas: 5 });
    await cluster.settle();
    expect(cluster.api.peek(cloneSets, { namespace, name: 'nameless' })?.metadata.ownerReferences).toEqual(ownerReferences);
    expect(cluster.subsets).toEqual(['a 2', 'b 3']);
    expect(cluster.conditions.join()).not.toContain('Error');
  });

  it('one that is being deleted counts until it is deleted, and is recreated then', async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    const { name, uid } = childOf(cluster, 'a').metadata;
    await cluster.api.patch(cloneSets, { namespace, name }, { metadata: { finalizers: ['example.com/wait'] } }, { type: 'merge' });
    await cluster.api.delete(cloneSets, { namespace, name });
    cluster.changeImage('app:2');
    await cluster.settle();
    expect(childrenOf(cluster).map(({ metadata }) => metadata.uid)).toContain(uid);
    expect(childrenOf(cluster)).toHaveLength(2);
    expect(cluster.conditions.join()).not.toMatch(/False Error|Blocked/);
    await cluster.api.patch(cloneSets, { namespace, name }, { metadata: { finalizers: null } }, { type: 'merge' });
    await cluster.settle();
    expect(childOf(cluster, 'a').metadata.uid).not.toBe(uid);
    expect(cluster.status.updatedReadyReplicas).toBe(3);
  });

  it("of a UnitedDeployment that is being deleted are the garbage collector's: nothing is written", async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    const united = { namespace, name: cluster.united.metadata.name };
    await cluster.api.patch(unitedDeployments, united, { metadata: { finalizers: ['example.com/wait'] } }, { type: 'merge' });
    await cluster.api.delete(unitedDeployments, united);
    const written: string[] = [];
    cluster.api.onWrite(({ call }) => {
      if (call.from === 'manager') written.push(`${call.verb} ${call.key.name}`);
    });
    const { name } = childOf(cluster, 'a').metadata;
    await cluster.api.delete(cloneSets, { namespace, name });
    await cluster.ticks(5);
    expect(written).toEqual([]);
    expect(childrenOf(cluster)).toHaveLength(1);
  });

  it('two of one subset: the older one stays (16)', async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    const older = childOf(cluster, 'a');
    await cluster.clock.step(5_000);
    cluster.api.seed(cloneSets, aCloneSet('second', { ownerReferences: [newControllerRef(cluster.united, unitedDeployments)] }));
    await cluster.settle();
    expect(childrenOf(cluster).map(({ metadata }) => metadata.name)).not.toContain('second');
    expect(childOf(cluster, 'a').metadata.uid).toBe(older.metadata.uid);
  });

  it('no other workload is adopted: neither without a subset, nor of other kinds, nor of other owners (17)', async () => {
    const prepare = (api: FakeApi): void => {
      api.seed(deployments, { metadata: { namespace, name: 'look-alike', labels: { app: 'web' } }, spec: { replicas: 1 } });
      api.seed(deployments, {
        metadata: { namespace, name: 'other-kind', labels: { app: 'web', [labels.subsetName]: 'a' } },
        spec: { replicas: 1 },
      });
      api.seed(cloneSets, aCloneSet('unnamed', { labels: { app: 'web' } }));
      api.seed(cloneSets, aCloneSet('unwanted', { labels: { app: 'web', [labels.subsetName]: 'z' } }));
      const other = { apiVersion: 'v1', kind: 'Other', name: 'o', uid: 'o', controller: true };
      api.seed(cloneSets, aCloneSet('owned', { ownerReferences: [other] }));
      api.seed(cloneSets, { ...aCloneSet('elsewhere'), metadata: { ...aCloneSet('elsewhere').metadata, namespace: 'elsewhere' } });
    };
    await using cluster = new UnitedDeploymentCluster({}, { prepare });
    await cluster.ticks(10);
    const own = childrenOf(cluster).filter((child) => controllerOf(child)?.kind === 'UnitedDeployment');
    expect(own.map(({ metadata }) => metadata.labels?.[labels.subsetName]).sort()).toEqual(['a', 'b']);
    const others = ['look-alike', 'other-kind'].map((name) => cluster.api.peek(deployments, { namespace, name }));
    expect(others.map((one) => [one?.metadata.ownerReferences, one?.metadata.resourceVersion])).toEqual([
      [undefined, expect.any(String)],
      [undefined, expect.any(String)],
    ]);
    for (const name of ['unnamed', 'unwanted'])
      expect(cluster.api.peek(cloneSets, { namespace, name })?.metadata.ownerReferences).toBeUndefined();
    expect(cluster.status.updatedReadyReplicas).toBe(3);
  });

  it('an orphan of a wanted subset is adopted, and one that is no longer selected is let go', async () => {
    await using cluster = new UnitedDeploymentCluster({}, { prepare: (api) => void api.seed(cloneSets, aCloneSet('orphan')) });
    await cluster.settle();
    expect(childOf(cluster, 'a').metadata.name).toBe('orphan');
    expect(controllerOf(childOf(cluster, 'a'))?.kind).toBe('UnitedDeployment');
    await cluster.api.patch(cloneSets, { namespace, name: 'orphan' }, { metadata: { labels: { app: 'other' } } }, { type: 'merge' });
    await cluster.settle();
    expect(cluster.api.peek(cloneSets, { namespace, name: 'orphan' })?.metadata.ownerReferences).toEqual([]);
    expect(childrenOf(cluster).filter((child) => controllerOf(child) !== undefined)).toHaveLength(2);
  });

  it('a name that another owner uses is skipped', async () => {
    await using first = new UnitedDeploymentCluster({ subsets: named('a') });
    await first.settle();
    const { name } = childOf(first, 'a').metadata;
    // The uid of the first object on this server is the same again.
    await using cluster = new UnitedDeploymentCluster({ subsets: named('a') });
    await cluster.settle();
    expect(childOf(cluster, 'a').metadata.name).toBe(name);
    await cluster.api.delete(cloneSets, { namespace, name });
    cluster.api.seed(cloneSets, aCloneSet(name, { labels: {}, ownerReferences: [] }));
    await cluster.settle();
    const own = childrenOf(cluster).filter((child) => controllerOf(child)?.kind === 'UnitedDeployment');
    expect(own.map(({ metadata }) => metadata.name)).not.toContain(name);
    expect(own).toHaveLength(1);
  });
});

describe('revisions', () => {
  it('partitions keep Pods at the old revision, and without them the rollout ends (6)', async () => {
    await using cluster = new UnitedDeploymentCluster({ kind: 'StatefulSet', partitions: { a: 1 } });
    await cluster.settle();
    cluster.changeImage('app:2', 'StatefulSet');
    await cluster.settle();
    const partitions = (): readonly unknown[] =>
      cluster.api.peekAll(builtInStatefulSets, namespace).map(({ spec }) => spec?.updateStrategy?.rollingUpdate?.partition);
    expect(partitions()).toEqual([1, 0]);
    expect(cluster.status.currentRevision).not.toBe(cluster.status.updatedRevision);
    expect(cluster.conditions).toContain('UnitedDeploymentUpdated False UnitedDeploymentRevisionUpdating');
    expect(cluster.status.subsetStatuses?.[0]?.partition).toBe(1);
    cluster.change({ updateStrategy: { type: 'Manual', manualUpdate: {} } });
    await cluster.settle();
    expect(partitions()).toEqual([0, 0]);
    expect(cluster.status.currentRevision).toBe(cluster.status.updatedRevision);
    expect(cluster.conditions).toContain('UnitedDeploymentUpdated True UnitedDeploymentRevisionUpdated');
  });

  it('a Pod that a partition keeps and that is missing for a moment does not end the rollout', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 2, partitions: { a: 1, b: 1 } });
    await cluster.settle();
    cluster.changeImage('app:2');
    cluster.change({ replicas: 4 });
    await cluster.settle();
    expect(cluster.conditions).toContain('UnitedDeploymentUpdated False UnitedDeploymentRevisionUpdating');
    for (const pod of cluster.api.peekAll(pods, namespace).filter(({ spec }) => spec.containers[0]?.image === 'app:1'))
      await cluster.api.delete(pods, { namespace, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    await cluster.settle();
    expect(cluster.conditions).toContain('UnitedDeploymentUpdated False UnitedDeploymentRevisionUpdating');
  });

  it('a template that was there before has its revision again, with a higher number (7)', async () => {
    await using cluster = new UnitedDeploymentCluster();
    await cluster.settle();
    const [first] = cluster.revisions;
    cluster.changeImage('app:2');
    await cluster.settle();
    cluster.changeImage('app:1');
    await cluster.settle();
    expect(cluster.revisions).toHaveLength(2);
    expect(cluster.revisions).toContain((first ?? '').replace(/ 1$/, ' 3'));
    expect(cluster.status.currentRevision).toBe((first ?? '').split(' ')[0]);
  });

  it('no more stay than the limit and those in use (8)', async () => {
    await using cluster = new UnitedDeploymentCluster({ limit: 2 });
    await cluster.settle();
    for (let i = 2; i <= 13; i++) {
      cluster.changeImage(`app:${i}`);
      await cluster.ticks(2);
    }
    await cluster.settle();
    expect(cluster.revisions).toHaveLength(2);
    expect(cluster.revisions.some((line) => line.endsWith(' 13'))).toBe(true);
  });

  it('a Pod of a StatefulSet that never gets ready does not delay the next template', async () => {
    await using cluster = new UnitedDeploymentCluster({ kind: 'StatefulSet', subsets: named('a'), replicas: 2 });
    cluster.workloads.broken.add('app:2');
    await cluster.settle();
    cluster.changeImage('app:2', 'StatefulSet');
    await cluster.settle();
    cluster.changeImage('app:3', 'StatefulSet');
    await cluster.settle();
    const images = cluster.api.peekAll(pods, namespace).map((pod: Pod) => pod.spec.containers[0]?.image);
    expect(images).toEqual(['app:3', 'app:3']);
  });
});

describe('errors', () => {
  it('shares that do not fit are reported once, and fixed by the next change', async () => {
    await using cluster = new UnitedDeploymentCluster({ replicas: 3, subsets: [{ name: 'a', replicas: 2 }, { name: 'b' }] });
    await cluster.settle();
    cluster.change({ replicas: 1 });
    await cluster.ticks(30);
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 1 CloneSet']);
    expect(cluster.conditions).toContain('SubsetProvisioned False Error');
    expect(cluster.conditions).toContain('Blocked True InvalidSpec');
    expect(cluster.status.replicas).toBe(3);
    expect(cluster.events.filter((line) => line.startsWith('Failed SpecifySubsetReplicas'))).toHaveLength(1);
    cluster.change({ replicas: 4 });
    await cluster.settle();
    expect(cluster.shown).toEqual(['a 2 CloneSet', 'b 2 CloneSet']);
    expect(cluster.conditions).toContain('SubsetProvisioned True');
    expect(cluster.conditions.join()).not.toContain('Blocked');
  });

  it('an object that came past admission harms itself alone, and says what is wrong', async () => {
    const second = { ...aUnited(), metadata: { namespace, name: 'other' } };
    await using cluster = new UnitedDeploymentCluster({}, { prepare: (api) => void api.seed(unitedDeployments, second) });
    await cluster.settle();
    cluster.change({ template: {} });
    await cluster.settle();
    expect(cluster.conditions).toContain('Blocked True InvalidSpec');
    expect(cluster.events.filter((line) => line.startsWith('InvalidSpec'))).toHaveLength(1);
    expect(cluster.api.peek(unitedDeployments, { namespace, name: 'other' })?.status?.subsetStatuses).toHaveLength(2);
  });

  it('a patch that cannot be applied is reported, and other subsets continue', async () => {
    const patch = { spec: { containers: [{ $patch: 'strange', name: 'main' }] } };
    await using cluster = new UnitedDeploymentCluster({ subsets: [{ name: 'a' }, { name: 'b', patch }] });
    await cluster.settle();
    expect(cluster.shown.map((line) => line.slice(0, 1))).toEqual(['a']);
    expect(cluster.status.conditions?.find(({ type }) => type === 'SubsetProvisioned')?.message).toContain(
      'the patch of subset b cannot be applied',
    );
  });
});
