/** Histories of a request in which everything may happen between two steps: containers end, the kubelet recreates them, the agent dies. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ContainerRecreateRequest, ContainerRecreateRequestStrategy, ContainerRecreateState } from '@kruise/api';
import { instant, type Instant } from '@kruise/objects';
import { casesOf, Occurrences } from '@kruise/testing';
import type { ContainerInstance } from './plan-states.ts';
import { planStep, withState } from './plan-step.ts';
import { aRequest, anInstance, later, made } from './testing.ts';

const numRuns = casesOf(1000, 20_000);

const names = ['app', 'sidecar', 'proxy'];

/** A node and one request, as far as the rules can see them. */
class Model {
  request: ContainerRecreateRequest;
  now: Instant = made;
  readonly instances = new Map<string, ContainerInstance>();
  /** Ids of every instance for which a stop was requested, by container. */
  readonly asked = new Map<string, Set<string>>();
  hits = 0;

  constructor(strategy: ContainerRecreateRequestStrategy) {
    this.request = aRequest({ containers: names, strategy, status: { phase: 'Recreating' } });
    for (const name of names) this.instances.set(name, anInstance({ containerID: `containerd://${name}-1`, startedAt: later(-60) }));
  }

  #write(status: Partial<NonNullable<ContainerRecreateRequest['status']>>): void {
    this.request = { ...this.request, status: { phase: 'Recreating', ...this.request.status, ...status } };
  }

  end(name: string): void {
    const instance = this.instances.get(name);
    if (instance?.state === 'Running') this.instances.set(name, { ...instance, state: 'Exited' });
  }

  /** Restarts a container. @param isStarted whether the new instance runs immediately */
  kubelet(name: string, isStarted = true): void {
    const instance = this.instances.get(name);
    if (instance === undefined || instance.state === 'Running') return;
    const restartCount = instance.state === 'Created' ? instance.restartCount : instance.restartCount + 1;
    const started = isStarted ? { state: 'Running' as const, startedAt: this.now } : { state: 'Created' as const, startedAt: undefined };
    this.instances.set(name, { containerID: `containerd://${name}-${restartCount + 1}`, restartCount, ...started });
  }

  manager(isReady: boolean): void {
    const containerStatusSnapshot = names.flatMap((name) => {
      const instance = this.instances.get(name);
      if (instance?.state !== 'Running' || instance.restartCount === 0) return [];
      return [{ name, ready: isReady, restartCount: instance.restartCount, containerID: instance.containerID }];
    });
    if (containerStatusSnapshot.length > 0) this.#write({ containerStatusSnapshot });
  }

  /** Runs one step of the agent. `isLost`: it dies before the write that ends the step. */
  step(isLost = false): void {
    if (this.request.status?.phase === 'Completed') return;
    const step = planStep(this.request, this.instances, this.now);
    if (step.kind === 'Stop') {
      const { containerID, state } = this.instances.get(step.container) ?? anInstance();
      this.asked.set(step.container, (this.asked.get(step.container) ?? new Set()).add(containerID));
      if (state === 'Running') this.hits++;
      this.end(step.container);
      const stopped: ContainerRecreateState = { name: step.container, phase: 'Recreating', isKilled: true };
      if (!isLost) this.#write({ containerRecreateStates: withState(step.states, stopped) });
    }
    if (isLost) return;
    if (step.kind === 'Record') this.#write({ containerRecreateStates: step.states });
    if (step.kind === 'Complete') this.#write({ phase: 'Completed' });
  }

  wait(seconds: number): void {
    this.now = instant(this.now + seconds * 1000);
  }
}

const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('Step' as const), isLost: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('End' as const, 'Kubelet' as const, 'Kubelet' as const, 'KubeletSlowly' as const),
      name: fc.constantFrom(...names),
    }),
  },
  fc.record({ kind: fc.constant('Manager' as const), isReady: fc.boolean() }),
  fc.record({ kind: fc.constant('Wait' as const), seconds: fc.integer({ min: 1, max: 4 }) }),
);

describe('whatever happens', () => {
  it('a request stops at most one instance of each container, and reaches its end', () => {
    const strategy = fc.record({
      forceRecreate: fc.boolean(),
      orderedRecreate: fc.boolean(),
      minStartedSeconds: fc.integer({ min: 0, max: 3 }),
    });
    const seen = new Occurrences();
    fc.assert(
      fc.property(strategy, fc.array(happening, { maxLength: 80, size: 'max' }), (given, history) => {
        const model = new Model(given);
        for (const event of history) {
          if (event.kind === 'Step') model.step(event.isLost);
          else if (event.kind === 'Manager') model.manager(event.isReady);
          else if (event.kind === 'Wait') model.wait(event.seconds);
          else if (event.kind === 'End') model.end(event.name);
          else model.kubelet(event.name, event.kind === 'Kubelet');
        }
        seen.note('a request is over within the history', model.request.status?.phase === 'Completed');
        seen.note('a container was stopped within the history', model.hits > 0);
        for (let turn = 0; turn < 60 && model.request.status?.phase !== 'Completed'; turn++) {
          model.step();
          model.wait(1);
          for (const name of names) model.kubelet(name);
          model.manager(true);
        }
        expect(model.request.status).toMatchObject({
          phase: 'Completed',
          containerRecreateStates: names.map((name) => ({ name, phase: 'Succeeded' })),
        });
        for (const [name, ids] of model.asked) {
          expect(ids.size).toBe(1);
          const isFirst = ids.has(`containerd://${name}-1`);
          if (!given.forceRecreate) expect(isFirst).toBe(true);
          seen.note('a later instance was stopped by force', !isFirst);
        }
        expect(model.hits).toBe(model.asked.size);
        seen.note('a container ended by itself before its turn', model.asked.size < names.length);
      }),
      { numRuns },
    );
    seen.expectAtLeast({
      'a request is over within the history': numRuns / 400,
      'a container was stopped within the history': numRuns / 4,
      'a later instance was stopped by force': numRuns / 20,
      'a container ended by itself before its turn': numRuns / 7,
    });
  });
});
