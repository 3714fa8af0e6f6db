/** Nodes that are tainted or closed, and what DaemonSets and BroadcastJobs do on them. No other Pods may depend on these nodes meanwhile. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { unlessDeleted, type Client } from '@kruise/kube';
import { nodes, pods, type Pod } from '@kruise/objects';
import { BroadcastJobFixture } from './fixtures/broadcastjob-fixture.testing.ts';
import { DaemonSetFixture } from './fixtures/daemonset-fixture.testing.ts';

/** The only nodes of the cluster, which are open and have no taints. */
const [first, second, third] = ['simulated-0', 'simulated-1', 'simulated-2'] as const;

const setNode = (client: Client, name: string, spec: object): Promise<unknown> =>
  client.patch(nodes, { namespace: '', name }, { spec }, { type: 'merge' });

/** A test that ended early leaves no node changed for the tests after it. */
async function reopen(client: Client): Promise<void> {
  for (const name of [first, second]) await setNode(client, name, { unschedulable: null, taints: null });
}

/** @see docs/spec/daemonset.md 6, 9 */
export function daemonSetsOnNodes(kubeconfigPath: () => string): void {
  const taintOf = (effect: string): object => ({ key: 'example.com/daemonset', value: 'x', effect });
  const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
  const imageOf = ({ spec }: Pod): string | undefined => spec.containers[0]?.image;

  describe('a DaemonSet', () => {
    let fixture: DaemonSetFixture;
    beforeAll(async () => {
      fixture = await DaemonSetFixture.create(kubeconfigPath(), 'daemonset-nodes');
    });
    afterEach(() => reopen(fixture.client));
    afterAll(() => fixture.client.close());
    const untilDeleted = (pod: Pod): Promise<void> =>
      fixture.eventually(async () => (await unlessDeleted(fixture.pod(pod.metadata.name))) === undefined, `${pod.metadata.name} is gone`);

    it('keeps its Pod on a node that takes no new ones, and loses it on one that lets none stay (18)', async () => {
      await fixture.apply({ name: 'taints', image: 'app:1' });
      await fixture.untilRolledOut('taints');
      const pod = await fixture.podOn('taints', first);
      await setNode(fixture.client, first, { taints: [taintOf('NoSchedule')] });
      const stays = await fixture.until('taints', ({ status }) => status?.desiredNumberScheduled === 2);
      expect(stays.status).toMatchObject({ currentNumberScheduled: 2, numberMisscheduled: 1, numberReady: 2 });
      expect(uidOf(await fixture.podOn('taints', first))).toBe(uidOf(pod));
      await setNode(fixture.client, first, { taints: [taintOf('NoExecute')] });
      await fixture.until('taints', ({ status }) => status?.numberMisscheduled === 0);
      await untilDeleted(pod);
      expect((await fixture.get('taints')).status?.desiredNumberScheduled).toBe(2);
      await setNode(fixture.client, first, { taints: null });
      await fixture.untilRolledOut('taints');
    });

    it('that loses its Pod on a node that takes no new ones gets none there', async () => {
      const pod = await fixture.podOn('taints', first);
      await setNode(fixture.client, first, { taints: [taintOf('NoSchedule')] });
      await fixture.until('taints', ({ status }) => status?.numberMisscheduled === 1);
      await fixture.deletePod(pod.metadata.name);
      await fixture.until('taints', ({ status }) => status?.numberMisscheduled === 0);
      await fixture.setImage('taints', 'app:2');
      await fixture.untilRolledOut('taints', 2);
      expect(await fixture.byNode('taints', imageOf)).toEqual({ [second]: 'app:2', [third]: 'app:2' });
    });

    it('that is updated loses an old Pod on a node that takes no new ones', async () => {
      await fixture.untilRolledOut('taints');
      const pod = await fixture.podOn('taints', second);
      await setNode(fixture.client, second, { taints: [taintOf('NoSchedule')] });
      await fixture.until('taints', ({ status }) => status?.numberMisscheduled === 1);
      await fixture.setImage('taints', 'app:1');
      await untilDeleted(pod);
      await fixture.untilRolledOut('taints', 2);
      expect(await fixture.byNode('taints', imageOf)).toEqual({ [first]: 'app:1', [third]: 'app:1' });
    });

    it('runs on a node that is closed', async () => {
      await setNode(fixture.client, second, { unschedulable: true });
      await fixture.apply({ name: 'closed', image: 'app:1' });
      await fixture.untilRolledOut('closed');
      await fixture.setImage('closed', 'app:2');
      await fixture.untilRolledOut('closed');
      expect(imageOf(await fixture.podOn('closed', second))).toBe('app:2');
    });
  });
}

/** @see docs/spec/broadcastjob.md 9 */
export function broadcastJobsOnNodes(kubeconfigPath: () => string): void {
  const taint = { key: 'example.com/broadcastjob', value: 'x', effect: 'NoSchedule' };

  describe('a BroadcastJob', () => {
    let fixture: BroadcastJobFixture;
    beforeAll(async () => {
      fixture = await BroadcastJobFixture.create(kubeconfigPath(), 'broadcastjob-nodes');
    });
    afterEach(() => reopen(fixture.client));
    afterAll(() => fixture.client.close());

    /** Simulated containers end when a test says so. */
    const succeed = async (name: string, count: number): Promise<void> => {
      const running = async (): Promise<readonly Pod[]> => (await fixture.pods(name)).filter(({ status }) => status?.phase === 'Running');
      await fixture.eventually(async () => (await running()).length === count, `${count} Pods of ${name} run`);
      const change = { status: { phase: 'Succeeded' } };
      for (const { metadata } of await running())
        await fixture.client.patch(pods, { namespace: fixture.namespace, name: metadata.name }, change, {
          type: 'merge',
          subresource: 'status',
        });
    };

    it('leaves a tainted node out, and runs there with a toleration (3)', async () => {
      await setNode(fixture.client, first, { taints: [taint] });
      await fixture.apply({ name: 'bare', script: 'exit 0' });
      await succeed('bare', 2);
      await fixture.untilSays('bare', 'completed: desired 2, active 0, succeeded 2, failed 0');
      await fixture.apply({ name: 'tolerant', script: 'exit 0', podSpec: { tolerations: [{ key: taint.key, operator: 'Exists' }] } });
      await succeed('tolerant', 3);
      await fixture.untilSays('tolerant', 'completed: desired 3, active 0, succeeded 3, failed 0');
      const onFirst = (await fixture.pods('tolerant')).find(({ spec }) => spec.nodeName === first);
      expect(onFirst?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [first] }] }],
      });
    });

    it('takes a closed node once it is open, and runs nothing twice on one that was closed meanwhile (4)', async () => {
      await setNode(fixture.client, first, { unschedulable: true });
      await fixture.apply({ name: 'closed', script: 'exit 0', spec: { completionPolicy: { type: 'Never' } } });
      await succeed('closed', 2);
      await fixture.untilSays('closed', 'running: desired 2, active 0, succeeded 2, failed 0');
      await setNode(fixture.client, second, { unschedulable: true });
      await setNode(fixture.client, first, { unschedulable: null });
      await succeed('closed', 1);
      await fixture.untilSays('closed', 'running: desired 3, active 0, succeeded 3, failed 0');
      const before = (await fixture.pods('closed')).map(({ metadata }) => metadata.uid);
      await setNode(fixture.client, second, { unschedulable: null });
      await fixture.client.list(nodes);
      expect((await fixture.pods('closed')).map(({ metadata }) => metadata.uid)).toEqual(before);
    });
  });
}
