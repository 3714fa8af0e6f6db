/** `kubectl drain` of a node whose Pods are under a budget: it tries again until it may, and the budget holds at every moment. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events, isPodReady, nodes, type Pod } from '@kruise/objects';
import type { CloneSetWorld } from '../../apps/manager/src/int-tests/cloneset-world.testing.ts';
import type { EventObject } from '../../apps/manager/src/int-tests/workload-world.testing.ts';
import { BudgetWorld } from '../support/budget-world.ts';
import { PodHistory } from '../support/pod-history.ts';
import { kubectl, kubectlAll } from '../support/programs.ts';
import { closeWorld, openWorld } from '../support/world.ts';

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

  it('loses its Pods one after the other, who drains it reads which budget keeps them, and there are never fewer than the budget asks for', async () => {
    await world.budget('web', { maxUnavailable: 1 });
    await world.deployment('web', 'web', 9);
    await world.untilNumbers('web', 9, 8, 9, 1);
    await world.untilNamed('web');
    await world.change('web', { maxUnavailable: 0 });
    await world.untilNumbers('web', 9, 9, 9, 0);
    const history = await PodHistory.begin(opened.client, opened.namespace);
    await using _ended = history;
    const draining = kubectlAll(
      'drain',
      node,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--pod-selector=app=web',
      '--timeout=170s',
    );
    const isRefused = async (): Promise<boolean> =>
      (await opened.client.list<EventObject>(events, { namespace: opened.namespace })).items.some(
        ({ reason }) => reason === 'PubPreventPodDeletion',
      );
    await world.until('an eviction is refused', isRefused);
    await world.change('web', { maxUnavailable: 1 });
    const { stdout, stderr } = await draining;
    expect(stdout).toContain('drained');
    expect(stderr).toMatch(
      /error when evicting pods\/"web-.*" -n "pub-drain" \(will retry after 5s\): .*podunavailablebudget\.policy\.kruise\.io "web" is forbidden/,
    );
    await world.untilNumbers('web', 9, 8, 9, 1);
    const isOurs = (pod: Pod): boolean => pod.metadata.labels?.['app'] === 'web' && pod.metadata.deletionTimestamp === undefined;
    expect(history.range((pod) => isOurs(pod) && isPodReady(pod)).lowest).toBeGreaterThanOrEqual(8);
    expect((await world.podsOf('web')).filter(({ spec }) => spec.nodeName === node)).toEqual([]);
  });
});
