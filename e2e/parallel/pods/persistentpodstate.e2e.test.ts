/** Pods that come back to where they were. @see docs/spec/persistentpodstate.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  persistentPodStateAnnotations as names,
  persistentPodStates,
  persistentPodStatesV1Alpha1,
  type PersistentPodState,
  type PodState,
} from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { isPodReady, nodes, podCondition, pods, type KubeObject, type Node, type Pod, type ResourceType } from '@kruise/objects';
import { patiently } from '../../../apps/manager/src/int-tests/fixtures/patiently.testing.ts';
import type { StatefulSetFixture } from '../../../apps/manager/src/int-tests/fixtures/statefulset-fixture.testing.ts';
import { everyReplicaWould } from '../../support/replicas.ts';
import { closeFixture, images, openStatefulSets } from '../../support/fixture.ts';

/** A label that only these tests put on nodes, with the node's name as its value. */
const zone = 'example.com/persistentpodstate-zone';
const host = 'kubernetes.io/hostname';
const asking = { [names.autoGenerate]: 'true', [names.requiredTopology]: zone, [names.preferredTopology]: host };
const required = { requiredPersistentTopology: { keys: [zone] } };

const builtIn: ResourceType<KubeObject> = { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', namespaced: true };

describe('Pods that are remembered', () => {
  let fixture: StatefulSetFixture;
  beforeAll(async () => {
    fixture = await openStatefulSets('pps');
    const { items } = await fixture.client.list(nodes);
    for (const { metadata } of items) await label(metadata.name, metadata.name);
  });
  afterAll(async () => {
    const { items } = await fixture.client.list(nodes);
    for (const { metadata } of items) await label(metadata.name, null);
    await closeFixture(fixture);
  });

  const label = (name: string, value: string | null): Promise<Node> =>
    fixture.client.patch(nodes, { namespace: '', name }, { metadata: { labels: { [zone]: value } } }, { type: 'merge' });
  const key = (name: string) => ({ namespace: fixture.namespace, name });
  const stateOf = (name: string): Promise<PersistentPodState | undefined> =>
    unlessDeleted(fixture.client.get(persistentPodStates, key(name)));
  const recorded = async (name: string): Promise<Readonly<Record<string, PodState>>> => (await stateOf(name))?.status?.podStates ?? {};
  const untilRecorded = (name: string, ...podNames: readonly string[]): Promise<void> =>
    fixture.eventually(
      async () =>
        Object.keys(await recorded(name))
          .toSorted()
          .join() === podNames.toSorted().join(),
      `${name} remembers ${podNames.join()}`,
    );
  const untilState = (name: string, holds: (state: PersistentPodState | undefined) => boolean, what: string): Promise<void> =>
    fixture.eventually(async () => holds(await stateOf(name)), what);
  const patch = (name: string, change: unknown): Promise<KubeObject> => fixture.client.patch(builtIn, key(name), change, { type: 'merge' });
  const annotate = (name: string, annotations: object): Promise<KubeObject> => patch(name, { metadata: { annotations } });

  const create = (name: string, replicas: number, annotations: object = {}, spec: object = {}): Promise<KubeObject> =>
    fixture.client.create(builtIn, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { ...key(name), annotations },
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: images.first }] },
        },
        ...spec,
      },
    } as KubeObject);
  const byHand = (name: string, workload: string, spec: object = required, apiVersion = 'apps/v1'): Promise<PersistentPodState> =>
    patiently(() =>
      fixture.client.create(persistentPodStates, {
        metadata: key(name),
        spec: { targetRef: { apiVersion, kind: 'StatefulSet', name: workload }, ...spec },
      }),
    );
  const refusal = (made: Promise<unknown>): Promise<string> =>
    made.then(
      () => 'none',
      (error: Error) => error.message,
    );

  /** Each replica of the manager learns on its own what is remembered, and any of them may be asked about the next Pod. */
  async function untilSteered({ metadata: { name, labels = {}, ownerReferences = [] } }: Pod, node: string): Promise<void> {
    const next: Pod = {
      metadata: { ...key(name), labels, ownerReferences },
      spec: { containers: [{ name: 'main', image: images.first }] },
    };
    const isSteered = (): Promise<boolean> => everyReplicaWould(fixture.client, next, (patch) => patch.includes(`"${node}"`));
    await fixture.eventually(isSteered, `every replica leads ${name} to ${node}`);
  }

  /**
   * Deletes the Pod.
   *
   * @param node that is recorded; its own when absent
   * @returns the Pod that takes its name, as soon as it is there
   */
  async function successorOf(name: string, node?: string): Promise<Pod> {
    const pod = await fixture.pod(name);
    const { uid } = pod.metadata;
    await untilSteered(pod, node ?? pod.spec.nodeName ?? '');
    await fixture.client.delete(pods, key(name));
    let next: Pod | undefined;
    await fixture.eventually(async () => {
      next = await unlessDeleted(fixture.pod(name));
      return next !== undefined && next.metadata.uid !== uid;
    }, `${name} is created again`);
    return next as Pod;
  }
  const untilReady = (name: string): Promise<void> =>
    fixture.eventually(async () => isPodReady(await fixture.pod(name)), `${name} is ready`);

  it('a StatefulSet that asks gets one, and its Pods are recorded as both versions show (1, 2, 4)', async () => {
    await create('db', 2, asking);
    await untilRecorded('db', 'db-0', 'db-1');
    const { spec, status } = (await stateOf('db')) as PersistentPodState;
    expect(spec).toMatchObject({
      requiredPersistentTopology: { keys: [zone] },
      preferredPersistentTopology: [{ weight: 100, preference: { keys: [host] } }],
    });
    for (const name of ['db-0', 'db-1']) {
      const { metadata, spec: pod } = await fixture.pod(name);
      expect(metadata.annotations?.[names.injected]).toBeUndefined();
      expect(status?.podStates?.[name]).toEqual({
        nodeName: pod.nodeName,
        nodeTopologyLabels: { [zone]: pod.nodeName, [host]: pod.nodeName },
      });
    }
    const alpha = await fixture.client.get(persistentPodStatesV1Alpha1, key('db'));
    expect(alpha.spec.requiredPersistentTopology).toEqual({ nodeTopologyKeys: [zone] });
    expect(alpha.spec.preferredPersistentTopology).toEqual([{ weight: 100, preference: { nodeTopologyKeys: [host] } }]);
    expect(alpha.status).toEqual(status);
  });

  it('a Pod that is deleted comes back to its node (3)', async () => {
    for (const name of ['db-0', 'db-1']) {
      const { nodeName = '' } = (await fixture.pod(name)).spec;
      const { metadata, spec } = await successorOf(name);
      expect(metadata.annotations?.[names.injected]).toBe('db');
      expect(spec.nodeSelector).toEqual({ [zone]: nodeName });
      expect(spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual([
        { weight: 100, preference: { matchExpressions: [{ key: host, operator: 'In', values: [nodeName] }] } },
      ]);
      await untilReady(name);
      expect((await fixture.pod(name)).spec.nodeName).toBe(nodeName);
    }
  });

  it('what is scaled away is forgotten, and recorded again when it is recreated (5)', async () => {
    await patch('db', { spec: { replicas: 4 } });
    await untilRecorded('db', 'db-0', 'db-1', 'db-2', 'db-3');
    await patch('db', { spec: { replicas: 2 } });
    await untilRecorded('db', 'db-0', 'db-1');
    await patch('db', { spec: { replicas: 4 } });
    await untilRecorded('db', 'db-0', 'db-1', 'db-2', 'db-3');
    expect((await recorded('db'))['db-3']?.nodeName).toBe((await fixture.pod('db-3')).spec.nodeName);
  });

  it('without the required annotation only the hostname is remembered (7)', async () => {
    await annotate('db', { [names.requiredTopology]: null });
    await untilState(
      'db',
      (state) => state !== undefined && state.spec.requiredPersistentTopology === undefined,
      'no topology is required',
    );
    await untilState(
      'db',
      (state) => {
        const states = Object.values(state?.status?.podStates ?? {});
        return states.length === 4 && states.every(({ nodeTopologyLabels }) => Object.keys(nodeTopologyLabels ?? {}).join() === host);
      },
      'only the hostname is remembered, of each Pod',
    );
  });

  it('it is deleted with the annotation, and recreated with the running Pods (8)', async () => {
    await annotate('db', { [names.autoGenerate]: null });
    await untilState('db', (state) => state === undefined, 'it is deleted');
    await annotate('db', asking);
    await untilRecorded('db', 'db-0', 'db-1', 'db-2', 'db-3');
    expect((await stateOf('db'))?.spec.requiredPersistentTopology).toEqual({ keys: [zone] });
  });

  it('with retention WhenDeleted all are kept (6)', async () => {
    await create('kept', 4);
    await byHand('kept', 'kept', { ...required, persistentPodStateRetentionPolicy: 'WhenDeleted' });
    await untilRecorded('kept', 'kept-0', 'kept-1', 'kept-2', 'kept-3');
    const before = await recorded('kept');
    await patch('kept', { spec: { replicas: 2 } });
    await fixture.eventually(
      async () => (await unlessDeleted(fixture.pod('kept-2'))) === undefined && (await unlessDeleted(fixture.pod('kept-3'))) === undefined,
      'two Pods are gone',
    );
    await successorOf('kept-1');
    await untilReady('kept-1');
    expect(await recorded('kept')).toEqual(before);
  });

  it('what cannot work is refused (9)', async () => {
    expect(await refusal(byHand('second', 'db'))).toContain('PersistentPodState db');
    expect(await refusal(byHand('second', 'db', required, 'apps/v1beta1'))).toContain('PersistentPodState db');
    expect(await refusal(byHand('second', 'free', {}))).toContain('at least one of');
    const deployment = {
      metadata: key('second'),
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, ...required },
    };
    expect(await refusal(fixture.client.create(persistentPodStates, deployment as PersistentPodState))).toContain('spec.targetRef');
    const change = { spec: { targetRef: { name: 'other' } } };
    expect(await refusal(fixture.client.patch(persistentPodStates, key('kept'), change, { type: 'merge' }))).toContain(
      'targetRef is immutable',
    );
  });

  it('one written through v1alpha1 has the same keys in v1beta1, and back (11)', async () => {
    const targetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'nobody' };
    const spec = { targetRef, requiredPersistentTopology: { nodeTopologyKeys: [zone, host] } };
    await fixture.client.create(persistentPodStatesV1Alpha1, { metadata: key('old'), spec });
    expect((await stateOf('old'))?.spec.requiredPersistentTopology).toEqual({ keys: [zone, host] });
    const change = { spec: { requiredPersistentTopology: { keys: [host, zone] } } };
    await fixture.client.patch(persistentPodStates, key('old'), change, { type: 'merge' });
    const alpha = await fixture.client.get(persistentPodStatesV1Alpha1, key('old'));
    expect(alpha.spec.requiredPersistentTopology).toEqual({ nodeTopologyKeys: [host, zone] });
  });

  it('one made by hand is not touched by annotations of a workload of its name (12)', async () => {
    const before = (await stateOf('kept'))?.spec;
    await annotate('kept', { [names.requiredTopology]: host });
    await annotate('kept', { ...asking, [names.requiredTopology]: host });
    await annotate('kept', { [names.autoGenerate]: null });
    // The workload below is answered after the one above.
    await create('after', 1, asking);
    await untilRecorded('after', 'after-0');
    expect((await stateOf('kept'))?.spec).toEqual(before);
  });

  it('without the gate for cleaning up, a Pod waits for a node that no longer exists (16)', async () => {
    const { status } = (await stateOf('after')) as PersistentPodState;
    const deleted = { nodeName: 'gone', nodeTopologyLabels: { [zone]: 'gone', [host]: 'gone' } };
    const change = { status: { ...status, podStates: { 'after-0': deleted } } };
    // The Pod that exists would be recorded again, so it must not be ready when the record is changed.
    await patch('after', { spec: { replicas: 0 } });
    await fixture.eventually(async () => (await unlessDeleted(fixture.pod('after-0'))) === undefined, 'the Pod is gone');
    await patch('after', { spec: { replicas: 1, template: { spec: { nodeSelector: { [zone]: 'nowhere' } } } } });
    // Until then the manager may still forget what was scaled away.
    await fixture.eventually(async () => (await unlessDeleted(fixture.pod('after-0'))) !== undefined, 'the Pod is there');
    await fixture.client.patch(persistentPodStates, key('after'), change, { type: 'merge', subresource: 'status' });
    const { spec } = await successorOf('after-0', 'gone');
    expect(spec.nodeSelector).toEqual({ [zone]: 'gone' });
    await fixture.eventually(
      async () => podCondition(await fixture.pod('after-0'), 'PodScheduled')?.status === 'False',
      'the scheduler finds no node',
    );
    expect(await recorded('after')).toEqual({ 'after-0': deleted });
  });

  it('what is generated is deleted with its workload, and what a user has created keeps nothing (10)', async () => {
    for (const name of ['db', 'kept']) await fixture.client.delete(builtIn, key(name), { propagationPolicy: 'Background' });
    await untilState('db', (state) => state === undefined, 'the generated one is collected');
    await untilRecorded('kept');
    expect((await stateOf('kept'))?.status?.podStates).toBeUndefined();
  });

  it('Pods that are counted from a start ordinal are steered (14)', async () => {
    await fixture.apply({ name: 'from', replicas: 2, image: images.first, parallel: true, spec: { ordinals: { start: 3 } } });
    await fixture.client.create(persistentPodStates, {
      metadata: key('from'),
      spec: { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'from' }, ...required },
    });
    await untilRecorded('from', 'from-3', 'from-4');
    const { nodeName } = (await fixture.pod('from-3')).spec;
    expect((await successorOf('from-3')).spec.nodeSelector).toEqual({ [zone]: nodeName });
    await untilReady('from-3');
    expect((await fixture.pod('from-3')).spec.nodeName).toBe(nodeName);
  });

  it('Pods of an Advanced StatefulSet are steered, reserved ordinals counted (14, 15)', async () => {
    await fixture.apply({ name: 'ours', replicas: 2, image: images.first, parallel: true, spec: { reserveOrdinals: [0] } });
    await fixture.client.create(persistentPodStates, {
      metadata: key('ours'),
      spec: { targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'ours' }, ...required },
    });
    await untilRecorded('ours', 'ours-1', 'ours-2');
    const { nodeName } = (await fixture.pod('ours-2')).spec;
    const next = await successorOf('ours-2');
    expect(next.spec.nodeSelector).toEqual({ [zone]: nodeName });
    await untilReady('ours-2');
    await untilRecorded('ours', 'ours-1', 'ours-2');
    await fixture.patch('ours', { spec: { reserveOrdinals: [0, 2] } });
    await untilRecorded('ours', 'ours-1', 'ours-3');
  });
});
