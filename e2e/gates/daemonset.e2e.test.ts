/** What feature gates that are off by default change for DaemonSets and UnitedDeployments. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { daemonSets, deleteProtection, labels, unitedDeployments } from '@kruise/api';
import { nodes } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { DaemonSetWorld } from '../../apps/manager/src/int-tests/daemonset-world.testing.ts';
import { UnitedWorld } from '../../apps/manager/src/int-tests/united-world.testing.ts';
import { imageOf } from '../support/pod-facts.ts';
import { closeWorld, images, openWorld } from '../support/world.ts';

describe('with gates on', () => {
  let world: CloneSetWorld;

  beforeAll(async () => {
    world = await openWorld('gates-nodes');
  });
  afterAll(async () => {
    await setTaints(null);
    await closeWorld(world);
  });

  const setTaints = (taints: readonly object[] | null): Promise<unknown> =>
    world.client.patch(nodes, { namespace: '', name: 'node2' }, { spec: { taints } }, { type: 'merge' });
  it('an update of a DaemonSet leaves a Pod alone that is on a node which takes no new ones', async () => {
    const daemons = new DaemonSetWorld(daemonSets, world.client, world.namespace);
    await daemons.apply({ name: 'pruned', image: images.first });
    await daemons.untilRolledOut('pruned');
    await setTaints([{ key: 'example.com/gates', value: 'x', effect: 'NoSchedule' }]);
    await daemons.until('pruned', ({ status }) => status?.numberMisscheduled === 1);
    await daemons.setImage('pruned', images.second);
    await daemons.untilRolledOut('pruned', 2);
    // One more look at all of it, after which nothing is left to do.
    await daemons.patch('pruned', { spec: { revisionHistoryLimit: 9 } });
    const { status } = await daemons.untilRolledOut('pruned', 2);
    expect(status?.numberMisscheduled).toBe(1);
    const { first, second } = images;
    expect(await daemons.byNode('pruned', imageOf)).toEqual({ node1: second, node2: first, node3: second });
  });

  it('a UnitedDeployment that is protected is not deleted while it has replicas, and takes its children along (uniteddeployment 19)', async () => {
    const united = new UnitedWorld(unitedDeployments, world.client, world.namespace);
    const protecting = { [labels.deleteProtection]: deleteProtection.cascading };
    await united.apply({
      name: 'protected',
      replicas: 2,
      image: images.first,
      subsets: [{ name: 'a' }, { name: 'b' }],
      labels: protecting,
    });
    await united.untilRolledOut('protected');
    const deleted = (): Promise<string> =>
      world.client.delete(unitedDeployments, { namespace: world.namespace, name: 'protected' }, { propagationPolicy: 'Background' }).then(
        () => 'none',
        (error: Error) => error.message,
      );
    expect(await deleted()).toContain('replicas 2>0');
    await united.patch('protected', { spec: { replicas: 0 } });
    expect(await deleted()).toBe('none');
    await world.eventually(async () => (await united.children('protected')).length === 0, 'the children are collected');
  });
});
