/**
 * Golden files of probes over time: each command that is run, each state that is written, each event, compared with text files in testdata/. To
 * rewrite them after an intended change: UPDATE_GOLDEN=1 npm run jest -- probes/states.golden, then review the diff.
 */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContainerProbe } from '@kruise/api';
import { quietHour } from '@kruise/kube/testing';
import { goldenText } from '@kruise/testing';
import { exec, ProbesFixture } from './fixture.testing.ts';

let fixture: ProbesFixture;
beforeEach(async () => {
  fixture = new ProbesFixture();
  await fixture.begin();
});
afterEach(() => fixture.end());

const answers = (exitCode: number, text: string): void =>
  fixture.runtime.on('ExecSync', () => ({ stdout: Buffer.from(text), stderr: Buffer.alloc(0), exitCode }));

/** Runs the probes each second, and the agent writes what is new. */
async function pass(count: number): Promise<void> {
  for (let second = 0; second < count; second++) {
    await fixture.pass();
    await fixture.write();
  }
}

/** What the agent writes in an hour without a change: each probe every ten minutes, so that its time shows that it still runs. */
const refreshes: readonly string[] = Array.from({ length: 6 }, () => 'update NodePodProbe/status node1');

interface Scenario {
  readonly name: string;
  readonly then: () => Promise<void>;
  /** The probes during the hour. */
  readonly meanwhile: Readonly<Record<string, ContainerProbe>>;
  readonly hourly: readonly string[];
}

const scenarios: readonly Scenario[] = [
  {
    name: 'thresholds',
    // Each minute, so that the hour does not take thousands of calls.
    meanwhile: { a: { ...exec('check'), periodSeconds: 60 } },
    hourly: refreshes,
    then: async () => {
      answers(0, 'fine');
      await fixture.list({ a: { ...exec('check'), initialDelaySeconds: 2, periodSeconds: 2, successThreshold: 2, failureThreshold: 3 } });
      await pass(8);
      fixture.timeline.note('the command fails from now on; three failures in a row count');
      answers(1, 'broken');
      await pass(8);
      fixture.timeline.note('it succeeds once, fails once, and succeeds for good');
      answers(0, 'fine');
      await pass(2);
      answers(1, 'broken');
      await pass(2);
      answers(0, 'fine');
      await pass(6);
    },
  },
  {
    name: 'container-recreated',
    meanwhile: {},
    hourly: [],
    then: async () => {
      answers(0, 'fine');
      await fixture.list({ a: exec('check') });
      await pass(2);
      fixture.timeline.note('the container ends');
      const held = fixture.runtime.containers.get('app-1')!;
      fixture.runtime.containers.set('app-1', { ...held, state: 'CONTAINER_EXITED' });
      await pass(2);
      fixture.timeline.note('another instance runs');
      fixture.runApp('app-2', '2000');
      await pass(3);
      fixture.timeline.note('the probe is listed no more');
      await fixture.list({});
      await pass(2);
    },
  },
];

describe('probes', () => {
  it.each(scenarios)('$name', async ({ name, meanwhile, hourly, then }) => {
    await then();
    const { text } = fixture.timeline;
    expect(text).toBe(goldenText(new URL(`./testdata/${name}.txt`, import.meta.url), text));
    expect(fixture.events.length).toBeGreaterThan(1);
    await fixture.list(meanwhile);
    expect(await quietHour({ ...fixture, turn: () => pass(1) })).toEqual(hourly);
  });
});
