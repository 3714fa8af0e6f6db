/**
 * Golden files of ContainerRecreateRequests: what the agent writes and does to the node between the turns of kubelet and manager, compared with text
 * files in testdata/. To rewrite them after an intended change: UPDATE_GOLDEN=1 npm run jest -- recreate/requests.golden, then review the diff.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { NodeWorld, type Agent } from './simulation.testing.ts';
import { aRequest } from './testing.ts';

let world: NodeWorld;
let agent: Agent;
afterEach(() => world.end());

/** Runs agent, kubelet and manager in turns, a second apart. */
async function turn(): Promise<void> {
  await agent.pass();
  await world.clock.step(1000);
  world.kubelet();
  world.manager();
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

interface Scenario {
  readonly name: string;
  readonly containers: readonly string[];
  readonly phase: 'Completed' | 'Recreating';
  readonly then: () => Promise<void>;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'one-after-the-other-with-a-hook',
    containers: ['first', 'second'],
    phase: 'Completed',
    then: async () => {
      const request = aRequest({
        containers: ['first', 'second'],
        strategy: { orderedRecreate: true, failurePolicy: 'Fail', terminationGracePeriodSeconds: 10, minStartedSeconds: 2 },
      });
      const containers = request.spec.containers.map((container) => ({ ...container, preStop: { exec: { command: ['wind', 'down'] } } }));
      world.runtime.on('ExecSync', async () => {
        await world.clock.step(3000);
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
      });
      world.add({ ...request, spec: { ...request.spec, containers } });
      await turns(16);
    },
  },
  {
    name: 'stop-that-fails-and-is-ignored',
    containers: ['first', 'second'],
    phase: 'Completed',
    then: async () => {
      world.runtime.on('StopContainer', ({ containerId }: { readonly containerId: string }) => {
        if (containerId === 'first-1') throw new ScriptedFailure(13, 'the shim does not answer');
        world.crash('second');
        return {};
      });
      world.add(aRequest({ containers: ['first', 'second'], strategy: { failurePolicy: 'Ignore' } }));
      await turns(8);
    },
  },
  {
    name: 'forced-and-taken-over-by-another-agent',
    containers: ['app'],
    phase: 'Completed',
    then: async () => {
      world.add(aRequest({ strategy: { forceRecreate: true } }));
      await turns(3);
      world.timeline.note('the agent ends between the word and the deed; another one goes on');
      agent = await world.agent();
      await turns(6);
    },
  },
];

describe('requests', () => {
  it.each(scenarios)('$name', async ({ name, containers, phase, then }) => {
    world = new NodeWorld(containers);
    await world.start();
    agent = await world.agent();
    await then();
    const { text } = world.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect(world.request('crr').status?.phase).toBe(phase);
    const stops = world.stops.length;
    expect(await quietHour({ ...world, turn })).toEqual([]);
    expect(world.stops).toHaveLength(stops);
  });
});
