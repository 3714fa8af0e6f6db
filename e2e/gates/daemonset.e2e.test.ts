/** What feature gates that are off by default change for DaemonSets. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { daemonSets } from '@kruise/api';
import { nodes } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { DaemonSetFixture } from '../../apps/manager/src/int-tests/fixtures/daemonset-fixture.testing.ts';
import { imageOf } from '../support/pod-facts.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';

describe('with gates on', () => {
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    fixture = await openFixture('gates-nodes');
  });
  afterAll(async () => {
    await setTaints(null);
    await closeFixture(fixture);
  });

  const setTaints = (taints: readonly object[] | null): Promise<unknown> =>
    fixture.client.patch(nodes, { namespace: '', name: 'node2' }, { spec: { taints } }, { type: 'merge' });
  it('an update of a DaemonSet leaves a Pod alone that is on a node which takes no new ones', async () => {
    const daemons = new DaemonSetFixture(daemonSets, fixture.client, fixture.namespace);
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
});
