/** BroadcastJobs, and nodes that are closed or tainted. @see docs/spec/broadcastjob.md 9 */
import { afterEach, afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodes } from '@kruise/objects';
import type { BroadcastJobWorld } from '../../apps/manager/src/int-tests/broadcastjob-world.testing.ts';
import { closeWorld, openBroadcastJobs } from '../support/world.ts';

const taint = { key: 'example.com/broadcastjob', value: 'x', effect: 'NoSchedule' };

describe('a BroadcastJob', () => {
  let world: BroadcastJobWorld;
  beforeAll(async () => {
    world = await openBroadcastJobs('broadcastjob-nodes');
  });
  const setNode = (name: string, spec: object): Promise<unknown> =>
    world.client.patch(nodes, { namespace: '', name }, { spec }, { type: 'merge' });
  const reopen = async (): Promise<void> => {
    for (const name of ['node1', 'node2']) await setNode(name, { unschedulable: null, taints: null });
  };
  afterEach(reopen);
  afterAll(() => closeWorld(world));

  it('leaves a tainted node out, and runs there with a toleration (3)', async () => {
    await setNode('node1', { taints: [taint] });
    await world.apply({ name: 'bare', script: 'exit 0' });
    await world.untilSays('bare', 'completed: desired 2, active 0, succeeded 2, failed 0');
    await world.apply({ name: 'tolerant', script: 'exit 0', podSpec: { tolerations: [{ key: taint.key, operator: 'Exists' }] } });
    await world.untilSays('tolerant', 'completed: desired 3, active 0, succeeded 3, failed 0');
    const onNode1 = (await world.pods('tolerant')).find(({ spec }) => spec.nodeName === 'node1');
    expect(onNode1?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node1'] }] }],
    });
  });

  it('takes a closed node once it is open, and runs nothing twice on one that was closed meanwhile (4)', async () => {
    await setNode('node1', { unschedulable: true });
    await world.apply({ name: 'closed', script: 'exit 0', spec: { completionPolicy: { type: 'Never' } } });
    await world.untilSays('closed', 'running: desired 2, active 0, succeeded 2, failed 0');
    await setNode('node2', { unschedulable: true });
    await setNode('node1', { unschedulable: null });
    await world.untilSays('closed', 'running: desired 3, active 0, succeeded 3, failed 0');
    const before = (await world.pods('closed')).map(({ metadata }) => metadata.uid);
    await setNode('node2', { unschedulable: null });
    await world.client.list(nodes);
    expect((await world.pods('closed')).map(({ metadata }) => metadata.uid)).toEqual(before);
  });
});
