/** `kubectl drain` of a node whose Pods are under a budget: it tries again until it may, and the budget holds at every moment. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isPodReady, nodes, type Pod } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import { BudgetWorld } from '../support/budget-world.ts';
import { PodHistory } from '../support/pod-history.ts';
import { closeWorld, kubectl, openWorld } from '../support/world.ts';

describe('a node that is drained', () => {
  let opened: CloneSetWorld;
  let world: BudgetWorld;
  let node = '';
  beforeAll(async () => {
    opened = await openWorld('pub-drain');
    world = new BudgetWorld(opened);
    node = (await opened.client.list(nodes)).items.at(-1)?.metadata.name ?? '';
  });
  afterEach(() => kubectl('uncordon', node));
  afterAll(() => closeWorld(opened));

  it('loses its Pods one after the other, and there are never fewer than the budget asks for', async () => {
    await world.budget('web', { maxUnavailable: 1 });
    await world.deployment('web', 'web', 9);
    await world.untilNumbers('web', 9, 8, 9, 1);
    await world.untilNamed('web');
    const history = await PodHistory.begin(opened.client, opened.namespace);
    await using _ended = history;
    const printed = await kubectl(
      'drain',
      node,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--pod-selector=app=web',
      '--timeout=170s',
    );
    expect(printed).toContain('drained');
    await world.untilNumbers('web', 9, 8, 9, 1);
    const isOurs = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'web' && pod.metadata.deletionTimestamp === undefined;
    expect(history.range((pod) => isOurs(pod) && isPodReady(pod)).lowest).toBeGreaterThanOrEqual(8);
    expect((await world.podsOf('web')).filter(({ spec }) => spec.nodeName === node)).toEqual([]);
  });
});
