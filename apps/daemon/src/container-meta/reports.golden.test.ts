/**
 * Golden files of a Pod's containers: what the agent reports to the API server and does to the node, compared with text files in testdata/. To
 * rewrite them after an intended change: UPDATE_GOLDEN=1 npm run jest -- container-meta/reports.golden, then review the diff.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedFailure } from '@kruise/cri/testing';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { runContainer } from '../testing.ts';
import { key, signal, ContainerMetaFixture } from './fixture.testing.ts';
import { restartRequest } from './restarter.ts';

let fixture: ContainerMetaFixture;
beforeEach(() => {
  fixture = new ContainerMetaFixture();
});
afterEach(() => fixture.end());

/** Both controllers process the Pod; a container to restart is reported once. */
async function pass(): Promise<void> {
  const outcome = await fixture.controller.reconcile(key, signal);
  if (outcome.kind !== 'Settled') fixture.timeline.record(`outcome ${outcome.kind}`);
  for (const restart of fixture.restarts.splice(0)) {
    const request = restartRequest(restart);
    if (request !== undefined && 'key' in request) await fixture.restarter.reconcile(request.key, signal);
  }
  await fixture.clock.step(1000);
}

/** The kubelet recreated the container, and reports so in the Pod. */
async function restarted(number: number, cfg: string): Promise<void> {
  const id = `app-${number}`;
  runContainer(fixture.runtime, fixture.pod, {
    id,
    createdAt: String(1763731200000000001n + BigInt(number)),
    restartCount: number - 1,
    env: { CFG: cfg },
  });
  await fixture.change((pod) => ({
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
      fixture.timeline.note('the agent sees the Pod first');
      await pass();
      fixture.timeline.note('the manager changes the annotation that the environment comes from');
      await fixture.updateInPlace('two');
      await pass();
      fixture.timeline.note('the kubelet starts the container again');
      await restarted(2, 'two');
      await pass();
      fixture.timeline.note('nothing has changed');
      await pass();
    },
  },
  {
    name: 'environment-that-cannot-be-read',
    then: async () => {
      fixture.runtime.tellsEnvironment = false;
      fixture.runtime.on('ExecSync', () => {
        throw new ScriptedFailure(13, 'exec failed');
      });
      fixture.timeline.note('neither the runtime nor the container reports the environment');
      await pass();
      fixture.timeline.note('the container can be asked again');
      fixture.runtime.on('ExecSync');
      await pass();
    },
  },
  {
    name: 'restarted-by-itself',
    then: async () => {
      await pass();
      fixture.timeline.note('the container ends and the kubelet starts it again');
      await restarted(2, 'one');
      await pass();
      fixture.timeline.note('and once more');
      await restarted(3, 'one');
      await pass();
    },
  },
];

describe('reports', () => {
  it.each(scenarios)('$name', async ({ name, then }) => {
    await fixture.begin();
    await then();
    const { text } = fixture.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect(fixture.patches).toBeGreaterThan(0);
    expect(await quietHour({ ...fixture, turn: pass })).toEqual([]);
  });
});
