/**
 * Golden files of ContainerRecreateRequests: what the agent writes and does to the node between the turns of kubelet and manager, compared with text
 * files in testdata/. To rewrite them after an intended change: UPDATE_GOLDEN=1 npm run jest -- recreate/requests.golden, then review the diff.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { RecreateFixture, type Agent } from './fixture.testing.ts';
import { aRequest } from './testing.ts';

let fixture: RecreateFixture;
let agent: Agent;
afterEach(() => fixture.end());

/** Runs agent, kubelet and manager in turns, a second apart. */
async function turn(): Promise<void> {
  await agent.pass();
  await fixture.clock.step(1000);
  fixture.kubelet();
  fixture.manager();
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
      fixture.runtime.on('ExecSync', async () => {
        await fixture.clock.step(3000);
        return { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 };
      });
      fixture.add({ ...request, spec: { ...request.spec, containers } });
      await turns(16);
    },
  },
  {
    name: 'stop-that-fails-and-is-ignored',
    containers: ['first', 'second'],
    phase: 'Completed',
    then: async () => {
      fixture.runtime.on('StopContainer', ({ containerId }: { readonly containerId: string }) => {
        if (containerId === 'first-1') throw new ScriptedFailure(13, 'the shim does not answer');
        fixture.crash('second');
        return {};
      });
      fixture.add(aRequest({ containers: ['first', 'second'], strategy: { failurePolicy: 'Ignore' } }));
      await turns(8);
    },
  },
  {
    name: 'forced-and-taken-over-by-another-agent',
    containers: ['app'],
    phase: 'Completed',
    then: async () => {
      fixture.add(aRequest({ strategy: { forceRecreate: true } }));
      await turns(3);
      fixture.timeline.note('the agent ends between the word and the deed; another one goes on');
      agent = await fixture.agent();
      await turns(6);
    },
  },
];

describe('requests', () => {
  it.each(scenarios)('$name', async ({ name, containers, phase, then }) => {
    fixture = new RecreateFixture(containers);
    await fixture.start();
    agent = await fixture.agent();
    await then();
    const { text } = fixture.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect(fixture.request('crr').status?.phase).toBe(phase);
    const stops = fixture.stops.length;
    expect(await quietHour({ ...fixture, turn })).toEqual([]);
    expect(fixture.stops).toHaveLength(stops);
  });
});
