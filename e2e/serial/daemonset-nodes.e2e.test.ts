/** DaemonSets, and nodes that are tainted or closed. @see docs/spec/daemonset.md 6, 9 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unlessGone } from '@kruise/kube';
import { nodes, type Pod } from '@kruise/objects';
import type { DaemonSetWorld } from '../../apps/manager/src/int-tests/daemonset-world.testing.ts';
import { imageOf } from '../support/pod-facts.ts';
import { closeWorld, images, openDaemonSets } from '../support/world.ts';

const { first, second } = images;
const taintOf = (effect: string): object => ({ key: 'example.com/daemonset', value: 'x', effect });
const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

describe('a DaemonSet', () => {
  let world: DaemonSetWorld;
  beforeAll(async () => {
    world = await openDaemonSets('daemonset-nodes');
  });
  const setNode = (name: string, spec: object): Promise<unknown> =>
    world.client.patch(nodes, { namespace: '', name }, { spec }, { type: 'merge' });
  // A test that ended early leaves its nodes as it found them, for the tests after it.
  afterEach(async () => {
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
});
