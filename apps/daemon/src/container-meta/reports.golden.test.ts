/**
 * Golden files of a Pod's containers: what the agent reports to the API server and does to the node, compared with text files in testdata/. To
 * rewrite them after an intended change: UPDATE_GOLDEN=1 npm run jest -- container-meta/reports.golden, then review the diff.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { runContainer } from '../testing.ts';
import { key, signal, World } from './meta-world.testing.ts';
import { restartRequest } from './restarter.ts';

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** Both controllers process the Pod; a container to restart is reported once. */
async function pass(): Promise<void> {
  const outcome = await world.controller.reconcile(key, signal);
  if (outcome.kind !== 'Settled') world.timeline.record(`outcome ${outcome.kind}`);
  for (const restart of world.restarts.splice(0)) {
    const request = restartRequest(restart);
    if (request !== undefined && 'key' in request) await world.restarter.reconcile(request.key, signal);
  }
  await world.clock.step(1000);
}

/** The kubelet recreated the container, and reports so in the Pod. */
async function restarted(number: number, cfg: string): Promise<void> {
  const id = `app-${number}`;
  runContainer(world.runtime, world.pod, {
    id,
    createdAt: String(1763731200000000001n + BigInt(number)),
    restartCount: number - 1,
    env: { CFG: cfg },
  });
  await world.change((pod) => ({
    ...pod,
    status: {
      ...pod.status,
      containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({ ...status, containerID: `containerd://${id}` })),
    },
  }));
}

const scenarios: readonly { readonly name: string; readonly then: () => Promise<void> }[] = [
  {
    name: 'environment-changed-in-place',
    then: async () => {
      world.timeline.note('the agent sees the Pod first');
      await pass();
      world.timeline.note('the manager changes the annotation that the environment comes from');
      await world.updateInPlace('two');
      await pass();
      world.timeline.note('the kubelet starts the container again');
      await restarted(2, 'two');
      await pass();
      world.timeline.note('nothing has changed');
      await pass();
    },
  },
  {
    name: 'environment-that-cannot-be-read',
    then: async () => {
      world.runtime.tellsEnvironment = false;
      world.runtime.on('ExecSync', () => {
        throw new ScriptedFailure(13, 'exec failed');
      });
      world.timeline.note('neither the runtime nor the container reports the environment');
      await pass();
      world.timeline.note('the container can be asked again');
      world.runtime.on('ExecSync');
      await pass();
    },
  },
  {
    name: 'restarted-by-itself',
    then: async () => {
      await pass();
      world.timeline.note('the container ends and the kubelet starts it again');
      await restarted(2, 'one');
      await pass();
      world.timeline.note('and once more');
      await restarted(3, 'one');
      await pass();
    },
  },
];

describe('reports', () => {
  it.each(scenarios)('$name', async ({ name, then }) => {
    await world.begin();
    await then();
    const { text } = world.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect(world.patches).toBeGreaterThan(0);
    expect(await quietHour({ ...world, turn: pass })).toEqual([]);
  });
});
