/** How the replicas of a UnitedDeployment are spread over its subsets. @see docs/spec/uniteddeployment.md 9 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  unitedDeploymentAnnotations,
  unitedDeploymentLabels,
  unitedDeploymentsV1Alpha1,
  unitedDeployments,
  type UnitedDeploymentSubset,
} from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import type { Pod } from '@kruise/objects';
import {
  onNodesWith,
  statusOf,
  type UnitedShape,
  type UnitedFixture,
} from '../../../apps/manager/src/int-tests/fixtures/united-fixture.testing.ts';
import { NodeLabels } from '../../support/node-labels.ts';
import { closeFixture, images, openUnitedDeployments } from '../../support/fixture.ts';

describe('a UnitedDeployment', () => {
  let fixture: UnitedFixture;
  let labels: NodeLabels;
  beforeAll(async () => {
    fixture = await openUnitedDeployments('united-spread');
    labels = new NodeLabels(fixture.client, 'example.com/united-spread');
    await labels.clear();
    for (const [node, zone] of [
      ['node1', 'a'],
      ['node2', 'b'],
      ['node3', 'c'],
    ] as const)
      await labels.set(node, 'zone', zone);
  });
  afterAll(async () => {
    await labels.clear();
    await closeFixture(fixture);
  });

  const zone = (name: string, value = name): UnitedDeploymentSubset => ({ name, ...onNodesWith(labels.key('zone'), value) });
  const apply = (shape: Omit<UnitedShape, 'image'>): Promise<unknown> => fixture.apply({ image: images.first, ...shape });
  const scale = (name: string, replicas: number): Promise<void> => fixture.patch(name, { spec: { replicas } });
  const nodesOf = (pods: readonly Pod[]): readonly (string | undefined)[] => [...new Set(pods.map(({ spec }) => spec.nodeName))].toSorted();
  const refusal = (made: Promise<unknown>): Promise<string> =>
    made.then(
      () => 'none',
      (error: Error) => error.message,
    );

  it('gives a number, a percentage, and what is left, each on its own nodes (1)', async () => {
    await apply({ name: 'shares', replicas: 6, subsets: [{ ...zone('a'), replicas: 1 }, { ...zone('b'), replicas: '50%' }, zone('c')] });
    expect(statusOf(await fixture.untilRolledOut('shares'))).toBe('a 1, b 3, c 2');
    expect(await fixture.spread('shares')).toBe('a 1, b 3, c 2');
    expect(nodesOf(await fixture.podsOf('shares', 'a'))).toEqual(['node1']);
    expect(nodesOf(await fixture.podsOf('shares', 'b'))).toEqual(['node2']);
    expect(nodesOf(await fixture.podsOf('shares', 'c'))).toEqual(['node3']);
  });

  it('keeps to percentages through every scaling (2)', async () => {
    await apply({
      name: 'percent',
      replicas: 5,
      subsets: [{ ...zone('a'), replicas: '20%' }, { ...zone('b'), replicas: '40%' }, zone('c')],
    });
    await fixture.untilSpread('percent', 'a 1, b 2, c 2');
    await scale('percent', 8);
    await fixture.untilSpread('percent', 'a 2, b 3, c 3');
    await scale('percent', 2);
    await fixture.untilSpread('percent', 'a 0, b 1, c 1');
    await fixture.untilRolledOut('percent');
  });

  it('keeps to the least and the most (3)', async () => {
    const subsets = [
      { ...zone('a'), minReplicas: 2, maxReplicas: 3 },
      { ...zone('b'), minReplicas: 1, maxReplicas: 2 },
      { ...zone('c'), minReplicas: 1 },
    ];
    await apply({ name: 'limits', replicas: 4, subsets });
    await fixture.untilSpread('limits', 'a 2, b 1, c 1');
    await scale('limits', 9);
    await fixture.untilSpread('limits', 'a 3, b 2, c 4');
    await scale('limits', 2);
    await fixture.untilSpread('limits', 'a 2, b 0, c 0');
  });

  it('patches the Pods of one subset, and rolls that one alone (4)', async () => {
    const patch = (value: string): object => ({ spec: { containers: [{ name: 'main', env: [{ name: 'ZONE', value }] }] } });
    const subsets = (value: string) => [{ ...zone('a'), patch: patch(value) }, zone('b')];
    await apply({ name: 'patched', kind: 'Deployment', replicas: 2, subsets: subsets('1') as never });
    await fixture.untilRolledOut('patched');
    const envOf = async (subset: string): Promise<unknown> => (await fixture.podsOf('patched', subset))[0]?.spec.containers[0]?.env;
    expect([await envOf('a'), await envOf('b')]).toEqual([[{ name: 'ZONE', value: '1' }], undefined]);
    expect((await fixture.child('patched', 'a', 'Deployment')).metadata.annotations?.[unitedDeploymentAnnotations.subsetPatch]).toBe(
      '{"spec":{"containers":[{"env":[{"name":"ZONE","value":"1"}],"name":"main"}]}}',
    );
    const before = await fixture.podsOf('patched', 'b');
    await fixture.patch('patched', { spec: { topology: { subsets: subsets('2') } } });
    await fixture.eventually(
      async () => JSON.stringify(await envOf('a')) === '[{"name":"ZONE","value":"2"}]',
      'the Pod of a is patched anew',
    );
    await fixture.untilRolledOut('patched');
    expect((await fixture.podsOf('patched', 'b')).map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });

  it('requires the nodes of a subset in every term of the template (5)', async () => {
    const term = (node: string) => ({ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] });
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('node1'), term('node2')] } };
    await apply({ name: 'terms', replicas: 1, subsets: [zone('b')], podSpec: { affinity: { nodeAffinity } } });
    await fixture.untilRolledOut('terms');
    const [pod] = await fixture.podsOf('terms');
    expect(pod?.spec.nodeName).toBe('node2');
    const terms = pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    expect(terms.map(({ matchExpressions }) => matchExpressions?.at(-1)?.key)).toEqual([labels.key('zone'), labels.key('zone')]);
  });

  it('moves Pods that find no node to other subsets, and tries again later (9)', async () => {
    const subsets = [{ ...zone('a'), maxReplicas: 3 }, { ...zone('b', 'full'), maxReplicas: 1 }, zone('c')];
    await apply({ name: 'adaptive', replicas: 5, subsets, adaptive: { rescheduleCriticalSeconds: 10, unschedulableDuration: 20 } });
    await fixture.untilSpread('adaptive', 'a 3, b 1, c 1');
    await fixture.untilSpread('adaptive', 'a 3, b 0, c 2');
    // Each child counts its Pods at its own time.
    await fixture.until('adaptive', (seen) => statusOf(seen) === 'a 3, b 0 False, c 2');
    await scale('adaptive', 6);
    await fixture.untilSpread('adaptive', 'a 3, b 0, c 3');
    await labels.set('node2', 'zone', 'full');
    await fixture.until('adaptive', (seen) => statusOf(seen).includes('b 0 True'));
    await scale('adaptive', 7);
    await fixture.untilSpread('adaptive', 'a 3, b 1, c 3');
    await fixture.untilRolledOut('adaptive');
    await labels.set('node2', 'zone', 'b');
  });

  it('keeps `minReplicas` of a subset there, though they wait (10)', async () => {
    const subsets = [{ ...zone('a', 'nowhere'), minReplicas: 2 }, zone('c')];
    await apply({ name: 'least', replicas: 5, subsets, adaptive: { rescheduleCriticalSeconds: 5, unschedulableDuration: 20 } });
    const { status } = await fixture.until('least', (seen) => seen.status?.replicas === 5 && seen.status.readyReplicas === 3);
    expect(status?.subsetStatuses?.map(({ name, replicas }) => [name, replicas])).toEqual([
      ['a', 2],
      ['c', 3],
    ]);
  });

  it('runs substitutes for Pods that wait until these run (11, 12)', async () => {
    // Long enough for a loaded node: Pods of a subset that time out further apart than this would leave the next subset with fewer than 3.
    const rescheduleCriticalSeconds = 15;
    await apply({
      name: 'reserved',
      replicas: 3,
      subsets: [zone('a', 'first'), zone('b', 'second'), zone('c')],
      adaptive: { rescheduleCriticalSeconds, unschedulableDuration: 10, reserveUnschedulablePods: true },
    });
    await fixture.untilSpread('reserved', 'a 3, b 3, c 3');
    const { status } = await fixture.until('reserved', (seen) => seen.status?.reservedPods === 6 && seen.status.readyReplicas === 3);
    expect(status?.replicas).toBe(3);
    const selector = `app=reserved,${unitedDeploymentLabels.reservedPod}=false`;
    expect(status?.labelSelector).toBe(selector);
    expect((await fixture.client.getScale(unitedDeployments, { namespace: fixture.namespace, name: 'reserved' })).status?.selector).toBe(
      selector,
    );
    const reserved = async (subset: string): Promise<readonly unknown[]> =>
      (await fixture.podsOf('reserved', subset)).map((pod) => pod.metadata.labels?.[unitedDeploymentLabels.reservedPod]);
    expect([await reserved('a'), await reserved('b')]).toEqual([
      ['true', 'true', 'true'],
      ['true', 'true', 'true'],
    ]);
    await fixture.eventually(async () => (await reserved('c')).join() === 'false,false,false', 'the Pods of c are not reserved');
    await labels.set('node1', 'zone', 'first');
    await fixture.untilSpread('reserved', 'a 3, b 0, c 0');
    const end = await fixture.until(
      'reserved',
      (seen) => statusOf(seen) === 'a 3 True, b 0 True, c 0 True' && seen.status?.readyReplicas === 3 && seen.status.replicas === 3,
    );
    expect(end.status).toMatchObject({ replicas: 3, updatedReadyReplicas: 3 });
    expect(await fixture.podsOf('reserved', 'c')).toEqual([]);
    await labels.set('node1', 'zone', 'a');
  });

  it('refuses to reserve Pods of StatefulSets (13), and other nodes for a subset; another subset may have them (14)', async () => {
    const adaptive = { reserveUnschedulablePods: true };
    for (const kind of ['StatefulSet', 'AdvancedStatefulSet'] as const)
      expect(await refusal(apply({ name: 'no', kind, replicas: 1, subsets: [zone('a')], adaptive }))).toContain(
        'spec.topology.scheduleStrategy',
      );
    await apply({ name: 'moved', replicas: 2, subsets: [zone('a'), zone('b')] });
    await fixture.untilSpread('moved', 'a 1, b 1');
    const change = (subsets: readonly object[]): Promise<string> =>
      refusal(
        fixture.client.patch(
          unitedDeployments,
          { namespace: fixture.namespace, name: 'moved' },
          { spec: { topology: { subsets } } },
          { type: 'merge' },
        ),
      );
    expect(await change([zone('a', 'c'), zone('b')])).toContain('spec.topology.subsets[0].nodeSelectorTerm');
    expect(await change([{ ...zone('a'), tolerations: [{ operator: 'Exists' }] }, zone('b')])).toContain(
      'spec.topology.subsets[0].tolerations',
    );
    expect(await change([zone('c'), zone('b')])).toBe('none');
    await fixture.untilSpread('moved', 'b 1, c 1');
    await fixture.eventually(async () => (await fixture.podsOf('moved', 'a')).length === 0, 'the Pods of a are gone');
  });

  it('shows a client of v1alpha1 the numbers by subset (18)', async () => {
    const { status } =
      (await unlessDeleted(fixture.client.get(unitedDeploymentsV1Alpha1, { namespace: fixture.namespace, name: 'shares' }))) ?? {};
    expect(status?.subsetReplicas).toEqual({ a: 1, b: 3, c: 2 });
    expect(status?.updateStatus?.currentPartitions).toEqual({ a: 0, b: 0, c: 0 });
  });
});
