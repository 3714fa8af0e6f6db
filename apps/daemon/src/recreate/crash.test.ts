/**
 * Agents that are killed at every write and every stop, before and after the other side did it, and restarts among containers that end by themselves.
 * One request never stops two instances, and never one that was created after the instance that it is for.
 */
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { containerRecreateRequests, type ContainerRecreateRequestStrategy } from '@kruise/api';
import { deathsAtEveryStep, type Death } from '@kruise/kube/testing';
import { casesOf, Occurrences, stepsOf } from '@kruise/testing';
import { RecreateFixture } from './fixture.testing.ts';
import { aRequest } from './testing.ts';

let fixture: RecreateFixture | undefined;
afterEach(async () => {
  await fixture?.end();
  fixture = undefined;
});

async function begin(names: readonly string[]): Promise<RecreateFixture> {
  fixture = new RecreateFixture(names);
  await fixture.start();
  return fixture;
}

const isOver = (node: RecreateFixture): boolean => node.requests().every(({ status }) => status?.phase === 'Completed');
/** Returns ids of the instances that ended, without the number of the instance counted twice. */
const hits = (node: RecreateFixture): readonly string[] => node.stops.filter(({ hit }) => hit).map(({ id }) => id);

/** How the first agent was killed. */
interface FirstLife {
  readonly dead: boolean;
  readonly steps: number;
}

/** Runs passes of the agent with kubelet and manager between them; a killed one is followed by another. */
async function drive(node: RecreateFixture, death: Death | undefined, kubeletIsFirst: boolean): Promise<FirstLife> {
  const first = await node.agent(death);
  let agent = first;
  for (let pass = 0; pass < 60 && !isOver(node); pass++) {
    await agent.pass().catch(() => undefined);
    if (agent.dead) {
      // The kubelet is faster than the next agent, or not.
      if (kubeletIsFirst) node.kubelet();
      agent = await node.agent();
      await agent.pass().catch(() => undefined);
    }
    await node.clock.step(1000);
    node.kubelet();
    node.manager();
  }
  return { dead: first.dead, steps: first.lifetime.steps };
}

describe('an agent that is killed', () => {
  it.each<{ name: string; strategy: ContainerRecreateRequestStrategy }>([
    { name: 'in the middle of a request', strategy: {} },
    { name: 'in the middle of a forced one', strategy: { forceRecreate: true } },
    { name: 'in the middle of an ordered one', strategy: { orderedRecreate: true, minStartedSeconds: 1 } },
    { name: 'in the middle of a forced and ordered one', strategy: { forceRecreate: true, orderedRecreate: true } },
  ])(
    '$name leaves each container stopped exactly once',
    async ({ strategy }) => {
      const names = ['app', 'sidecar'];
      const request = aRequest({ containers: names, strategy });
      const undisturbed = await begin(names);
      undisturbed.add(request);
      const { steps } = await drive(undisturbed, undefined, false);
      expect(hits(undisturbed)).toEqual(['app-1', 'sidecar-1']);
      await undisturbed.end();
      expect(steps).toBeGreaterThan(6);
      const ways = (['before', 'after'] as const).flatMap((when) => [true, false].map((kubeletIsFirst) => ({ when, kubeletIsFirst })));
      for (const way of ways) {
        const { when, kubeletIsFirst } = way;
        const dies = async (death: Death): Promise<FirstLife> => {
          const node = await begin(names);
          node.add(request);
          const first = await drive(node, death, kubeletIsFirst);
          const { status } = node.request('crr');
          expect({ death, kubeletIsFirst, hits: hits(node), phase: status?.phase, states: status?.containerRecreateStates }).toEqual({
            death,
            kubeletIsFirst,
            hits: ['app-1', 'sidecar-1'],
            phase: 'Completed',
            states: names.map((name) => ({ name, phase: 'Succeeded', isKilled: true })),
          });
          expect(names.map((name) => node.newest(name).id)).toEqual(['app-2', 'sidecar-2']);
          await node.end();
          return first;
        };
        const deaths = await deathsAtEveryStep(when, dies, stepsOf(way, ways));
        expect({ when, kubeletIsFirst, deaths }).toEqual({ when, kubeletIsFirst, deaths: steps });
      }
    },
    60_000,
  );
});

/** What may happen between two passes, or while a container is being stopped. */
type Happening = 'Nothing' | 'ContainerEnds' | 'Kubelet' | 'EndsAndIsRecreated' | 'AgentIsKilled' | 'Manager';

const numRuns = casesOf(120, 1000);

describe('restarts', () => {
  it('stop at most one instance for each request, and without force only the one that it names', async () => {
    const node = await begin(['app']);
    const happen = (what: Happening): void => {
      if (what === 'ContainerEnds' || what === 'EndsAndIsRecreated') node.crash('app');
      if (what === 'Kubelet' || what === 'EndsAndIsRecreated') node.kubelet();
      if (what === 'Manager') node.manager();
    };
    const happening = fc.constantFrom<Happening>('Nothing', 'ContainerEnds', 'Kubelet', 'EndsAndIsRecreated', 'AgentIsKilled', 'Manager');
    const run = fc.record({
      force: fc.boolean(),
      /** The request names an instance that the kubelet has replaced meanwhile. */
      isLate: fc.boolean(),
      atStop: fc.array(happening, { maxLength: 2 }),
      between: fc.array(happening, { minLength: 6, maxLength: 12, size: 'max' }),
      death: fc.option(fc.record({ at: fc.integer({ min: 1, max: 6 }), when: fc.constantFrom('before' as const, 'after' as const) }), {
        nil: undefined,
      }),
    });
    let number = 0;
    const seen = new Occurrences();

    await fc.assert(
      fc.asyncProperty(run, async ({ force, isLate, atStop, between, death }) => {
        const name = `crr-${++number}`;
        node.kubelet();
        const named = node.newest('app').id;
        const first = Number(named.slice(4));
        if (isLate) happen('EndsAndIsRecreated');
        const request = aRequest({ name, strategy: { forceRecreate: force } });
        const statusContext = { containerID: `containerd://${named}`, restartCount: first - 1 };
        node.add({ ...request, spec: { ...request.spec, containers: [{ name: 'app', statusContext }] } });
        node.stops.splice(0);
        node.meanwhile = () => atStop.forEach(happen);
        let agent = await node.agent(death);
        const pass = async (): Promise<void> => {
          await agent.pass().catch(() => undefined);
          if (!seen.note('the agent died', agent.dead)) return;
          agent = await node.agent();
        };
        for (const what of between) {
          await pass();
          if (what === 'AgentIsKilled') agent = await node.agent();
          happen(what);
          await node.clock.step(1000);
        }
        for (let turn = 0; turn < 20 && node.request(name).status?.phase !== 'Completed'; turn++) {
          node.kubelet();
          node.manager();
          await node.clock.step(1000);
          await pass();
        }
        const { status } = node.request(name);
        expect(status).toMatchObject({ phase: 'Completed', containerRecreateStates: [{ name: 'app', phase: 'Succeeded' }] });
        const asked = new Set(node.stops.map(({ id }) => id));
        expect(asked.size).toBeLessThanOrEqual(1);
        expect(hits(node).length).toBeLessThanOrEqual(1);
        if (!force) expect([[], [named]]).toContainEqual([...asked]);
        for (let id = first; id < Number(node.newest('app').id.slice(4)); id++) seen.note('a container was restarted');
        await node.api.delete(containerRecreateRequests, { namespace: 'default', name });
      }),
      { numRuns, endOnFailure: true },
    );
    seen.expectAtLeast({ 'a container was restarted': 2.5 * numRuns, 'the agent died': numRuns / 4 });
  }, 120_000);
});
