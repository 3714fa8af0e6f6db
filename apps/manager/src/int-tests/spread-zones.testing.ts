/** What happens to spread Pods when the nodes of a subset are lost, on a cluster whose nodes no other test uses meanwhile. */
import { expect, it } from '@jest/globals';
import { cloneSets, type WorkloadSpread } from '@kruise/api';
import { unlessGone } from '@kruise/kube';
import { nodes, pods, type Node } from '@kruise/objects';
import type { ScenarioOptions } from './spread-scenarios.testing.ts';
import type { SpreadWorld } from './spread-world.testing.ts';

/** A way in which a zone loses its nodes. Gives what brings them back. */
type Loss = (here: SpreadWorld, inZone: readonly Node[]) => Promise<() => Promise<unknown>>;

const each = <T>(inZone: readonly Node[], work: (node: Node) => Promise<T>): Promise<unknown> => Promise.all(inZone.map(work));

const patched = (here: SpreadWorld, { metadata: { name } }: Node, patch: object): Promise<unknown> =>
  here.client.patch(nodes, { namespace: '', name }, patch, { type: 'merge' });

async function drain(here: SpreadWorld, inZone: readonly Node[]): Promise<void> {
  const names = new Set(inZone.map(({ metadata }) => metadata.name));
  const { items } = await here.client.list(pods, { namespace: here.namespace });
  const there = items.filter(({ spec }) => names.has(spec.nodeName ?? ''));
  await Promise.all(there.map(({ metadata }) => unlessGone(here.client.evict(here.key(metadata.name)))));
}

const cordoned: Loss = async (here, inZone) => {
  await each(inZone, (node) => patched(here, node, { spec: { unschedulable: true } }));
  await drain(here, inZone);
  return () => each(inZone, (node) => patched(here, node, { spec: { unschedulable: null } }));
};

const moved: Loss = async (here, inZone) => {
  const label = (zone: string | null) => ({ metadata: { labels: { [here.zoneLabel]: zone } } });
  await each(inZone, (node) => patched(here, node, label('elsewhere')));
  await drain(here, inZone);
  return () => each(inZone, (node) => patched(here, node, label('a')));
};

/** A node that is not drained: Kubernetes deletes the Pods some time after their node object. */
const lost: Loss = async (here, inZone) => {
  await each(inZone, ({ metadata: { name } }) => here.client.delete(nodes, { namespace: '', name }));
  return () =>
    each(inZone, async (node) => {
      const { uid: _uid, resourceVersion: _version, ...metadata } = node.metadata;
      const made = await here.client.create(nodes, { ...node, metadata });
      await here.client.patch(
        nodes,
        { namespace: '', name: made.metadata.name },
        { status: node.status },
        { type: 'merge', subresource: 'status' },
      );
    });
};

const adaptive: WorkloadSpread['spec']['scheduleStrategy'] = { type: 'Adaptive', adaptive: { rescheduleCriticalSeconds: 8 } };

/** @see docs/spec/workloadspread.md 5.7 */
export function zoneScenarios({ world }: ScenarioOptions): void {
  const inZone = async (): Promise<readonly Node[]> =>
    (await world().client.list(nodes, { labelSelector: `${world().zoneLabel}=a` })).items;
  const condition = async (name: string): Promise<string | undefined> => {
    const [first] = (await world().status(name)).subsetStatuses ?? [];
    return first?.conditions?.map(({ status, reason }) => `${status} ${reason}`).join();
  };
  const running = async (name: string): Promise<number> =>
    (await world().active(name)).filter((pod) => pod.status?.phase === 'Running').length;

  /** Two Pods in zone a and one in zone b, all of which run. */
  async function spreadOver(name: string, scheduleStrategy: WorkloadSpread['spec']['scheduleStrategy']): Promise<void> {
    const here = world();
    const subsets = [
      { name: 'a', maxReplicas: 2, requiredNodeSelector: here.zone('a') },
      { name: 'b', requiredNodeSelector: here.zone('b') },
    ];
    await here.spread(cloneSets, name, subsets, scheduleStrategy === undefined ? {} : { scheduleStrategy });
    await here.workload(cloneSets, name, 3);
    await here.untilCounted(name, 'a 2/0', 'b 1/-1');
    await here.settles('all run', () => running(name), 3);
  }

  async function remove(name: string): Promise<void> {
    const here = world();
    await here.client.delete(cloneSets, here.key(name));
    await here.remove(name);
  }

  it.each<[string, Loss]>([
    ['are closed and drained', cordoned],
    ['are in another zone from now on', moved],
    ['are lost', lost],
  ])('Adaptive: when the nodes of a subset %s, its Pods go to the next, and new ones with them', async (way, lose) => {
    const here = world();
    const name = `away-${way.replaceAll(/\W+/g, '-')}`;
    await spreadOver(name, adaptive);
    const restore = await lose(here, await inZone());
    try {
      await here.untilShown(name, { 'b 100': 3 });
      await here.untilCounted(name, 'a 0/2', 'b 3/-1');
      await here.scale(cloneSets, name, 4);
      await here.untilShown(name, { 'b 100': 4 });
      await here.settles('all run', () => running(name), 4);
      // Only now: Kubernetes marks a Pod of a lost node Failed before it deletes it. Its replacement goes to b at once if it is created before the subset counts
      // its room again, and the fourth Pod is then the first that cannot be scheduled in a.
      expect(await condition(name)).toBe('False PodUnschedulable');
    } finally {
      await restore();
    }
    await remove(name);
  });

  it.each<[string, Loss]>([
    ['are closed and drained', cordoned],
    ['are in another zone from now on', moved],
  ])('Fixed: when the nodes of a subset %s, its Pods wait for them', async (way, lose) => {
    const here = world();
    const name = `waits-${way.replaceAll(/\W+/g, '-')}`;
    await spreadOver(name, undefined);
    const restore = await lose(here, await inZone());
    try {
      await here.settles('one is left', () => running(name), 1);
      await here.untilShown(name, { 'a 200': 2, 'b 100': 1 });
      await here.untilCounted(name, 'a 2/0', 'b 1/-1');
      expect(await condition(name)).toBeUndefined();
    } finally {
      await restore();
    }
    await here.settles('all run again', () => running(name), 3);
    await here.untilShown(name, { 'a 200': 2, 'b 100': 1 });
    await remove(name);
  });
}
