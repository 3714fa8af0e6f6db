/** DaemonSets, and nodes that are tainted, closed or lost; and one whose manager is killed. @see docs/spec/daemonset.md 6, 9 */
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unlessGone } from '@kruise/kube';
import { nodes, type Pod, pods } from '@kruise/objects';
import { ComponentSet } from '@kruise/testing';
import type { DaemonSetWorld } from '../../apps/manager/src/int-tests/daemonset-world.testing.ts';
import { imageOf, isTerminating } from '../support/pod-facts.ts';
import { PodHistory } from '../support/pod-history.ts';
import { closeWorld, images, openDaemonSets } from '../support/world.ts';

const { first, second } = images;
const taintOf = (effect: string): object => ({ key: 'example.com/daemonset', value: 'x', effect });
const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

describe('a DaemonSet', () => {
  let world: DaemonSetWorld;
  const components = new ComponentSet(dirname(process.env['KRUISE_E2E_KUBECONFIG'] ?? ''));
  beforeAll(async () => {
    world = await openDaemonSets('daemonset-nodes');
  });
  const setNode = (name: string, spec: object): Promise<unknown> =>
    world.client.patch(nodes, { namespace: '', name }, { spec }, { type: 'merge' });
  // A test that ended early leaves its nodes as it found them, for its next try and for the tests after it.
  afterEach(async () => {
    for (const name of ['kubelet-node1', 'kubelet-node2', 'kubelet-node3']) if (!components.isAlive(name)) await components.restart(name);
    for (const name of ['node1', 'node2']) await setNode(name, { unschedulable: null, taints: null });
  });
  afterAll(() => closeWorld(world));

  const untilGone = (pod: Pod): Promise<void> =>
    world.eventually(async () => (await unlessGone(world.pod(pod.metadata.name))) === undefined, `${pod.metadata.name} is gone`);

  it('keeps its Pod on a node that takes no new ones, and loses it on one that lets none stay (18)', async () => {
    await world.apply({ name: 'taints', image: first });
    await world.untilRolledOut('taints');
    const pod = await world.podOn('taints', 'node1');
    await setNode('node1', { taints: [taintOf('NoSchedule')] });
    const stays = await world.until('taints', ({ status }) => status?.desiredNumberScheduled === 2);
    expect(stays.status).toMatchObject({ currentNumberScheduled: 2, numberMisscheduled: 1, numberReady: 2 });
    expect(uidOf(await world.podOn('taints', 'node1'))).toBe(uidOf(pod));
    await setNode('node1', { taints: [taintOf('NoExecute')] });
    await world.until('taints', ({ status }) => status?.numberMisscheduled === 0);
    await untilGone(pod);
    expect((await world.get('taints')).status?.desiredNumberScheduled).toBe(2);
    await setNode('node1', { taints: null });
    await world.untilRolledOut('taints');
  });

  it('that loses its Pod on a node that takes no new ones gets none there', async () => {
    const pod = await world.podOn('taints', 'node1');
    await setNode('node1', { taints: [taintOf('NoSchedule')] });
    await world.until('taints', ({ status }) => status?.numberMisscheduled === 1);
    await world.deletePod(pod.metadata.name);
    await world.until('taints', ({ status }) => status?.numberMisscheduled === 0);
    await world.setImage('taints', second);
    await world.untilRolledOut('taints', 2);
    expect(await world.byNode('taints', imageOf)).toEqual({ node2: second, node3: second });
  });

  it('that is updated loses an old Pod on a node that takes no new ones', async () => {
    const pod = await world.podOn('taints', 'node2');
    await setNode('node2', { taints: [taintOf('NoSchedule')] });
    await world.until('taints', ({ status }) => status?.numberMisscheduled === 1);
    await world.setImage('taints', first);
    await untilGone(pod);
    await world.untilRolledOut('taints', 2);
    expect(await world.byNode('taints', imageOf)).toEqual({ node1: first, node3: first });
  });

  it('runs on a node that is closed', async () => {
    await setNode('node2', { unschedulable: true });
    await world.apply({ name: 'closed', image: first });
    await world.untilRolledOut('closed');
    await world.setImage('closed', second);
    await world.untilRolledOut('closed');
    expect(imageOf(await world.podOn('closed', 'node2'))).toBe(second);
  });

  it('is updated to the end though its manager is gone in the middle of it', async () => {
    await world.apply({ name: 'killed', image: first, rollingUpdate: { maxUnavailable: 1 } });
    await world.untilRolledOut('killed');
    await using history = await PodHistory.begin(world.client, world.namespace);
    await world.setImage('killed', second);
    await world.until('killed', ({ status }) => (status?.numberAvailable ?? 0) < 3);
    const { items } = await world.client.list(pods, { namespace: 'kruise-system', labelSelector: 'control-plane=controller-manager' });
    for (const { metadata } of items)
      await world.client.delete(pods, { namespace: 'kruise-system', name: metadata.name }, { gracePeriodSeconds: 0 });
    await world.untilRolledOut('killed');
    const own = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'killed' && !isTerminating(pod);
    expect(history.range(own).lowest).toBe(2);
    expect(history.range(own).highest).toBe(3);
  });

  it('is updated on other nodes as far as the limit allows while one does not report, and there when it is back', async () => {
    await world.apply({ name: 'lost', image: first });
    await world.untilRolledOut('lost');
    const pod = await world.podOn('lost', 'node1');
    await components.kill('kubelet-node1');
    // The node takes no new Pods then, so that it is none of those that should run one; what it runs is tolerated.
    const { status } = await world.until('lost', (seen) => seen.status?.numberMisscheduled === 1);
    expect(status).toMatchObject({ desiredNumberScheduled: 2, numberAvailable: 2 });
    expect(isTerminating(await world.pod(pod.metadata.name))).toBe(false);
    await world.setImage('lost', second);
    // Its Pod is to go as well, which nobody can confirm, and uses up the one that may be unavailable.
    await world.untilUpdated('lost', 1, 2);
    await world.untilBlocked('lost', 'NodeLost');
    expect(isTerminating(await world.pod(pod.metadata.name))).toBe(true);
    await world.patch('lost', { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } } });
    await world.untilRolledOut('lost', 2);
    // Nobody knows whether the old Pod has stopped, so that no other one takes its place.
    expect(await world.byNode('lost', imageOf)).toEqual({ node2: second, node3: second });
    await components.restart('kubelet-node1');
    await world.untilRolledOut('lost');
    expect(imageOf(await world.podOn('lost', 'node1'))).toBe(second);
  });
});
