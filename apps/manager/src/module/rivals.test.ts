/** The object of a namespace that speaks against a new one. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { workloadSpreads, type WorkloadSpread } from '@kruise/api';
import { ApiError, Informers, type StoreReader } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { Caches } from '../caches/caches.ts';
import { Rivals } from './rivals.ts';

const { signal } = new AbortController();
const spreadOf = (name: string, target = 'web', namespace = 'a'): WorkloadSpread => ({
  metadata: { namespace, name },
  spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, subsets: [] },
});

class Scenario implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly api = new FakeApi();
  readonly reads: string[] = [];
  isAway = false;
  readonly #client = this.api.connect('handler', {
    before: ({ verb, key }) => {
      this.reads.push(`${verb} ${key.name}`);
      if (this.isAway) throw new ApiError('no answer', { kind: 'Unreachable', cause: undefined });
    },
  });
  readonly #stop = new AbortController();
  readonly #informers = new Informers({ client: this.api, clock: this.clock, logger: silentLogger() });
  readonly #informer = new Caches(this.#informers, '').of(workloadSpreads);
  readonly rivals = new Rivals({ type: workloadSpreads, informer: this.#informer, client: this.#client, clock: this.clock });
  readonly #running: Promise<void>;

  constructor(...held: readonly WorkloadSpread[]) {
    for (const spread of held) this.api.seed(workloadSpreads, spread);
    this.#running = this.#informers.run(this.#stop.signal);
  }

  async first(name = 'new', target = 'web'): Promise<string | undefined> {
    const candidates = (store: StoreReader<WorkloadSpread>): readonly WorkloadSpread[] => store.list({ namespace: 'a' });
    const isRival = ({ spec }: WorkloadSpread): boolean => spec.targetRef?.name === target;
    return (await this.rivals.first({ key: { namespace: 'a', name }, candidates, isRival }, signal))?.metadata.name;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

let opened: Scenario | undefined;
afterEach(() => opened?.[Symbol.asyncDispose]());
const open = (...held: readonly WorkloadSpread[]): Scenario => (opened = new Scenario(...held));

describe('a rival', () => {
  it('is found without a call where there is none, however many others there are', async () => {
    const scenario = open(...Array.from({ length: 50 }, (_, index) => spreadOf(`s${index}`, `other${index}`)), spreadOf('b', 'web', 'b'));
    expect([await scenario.first(), scenario.reads]).toEqual([undefined, []]);
  });

  it('is the first by name, read live once, and never the object itself', async () => {
    const scenario = open(spreadOf('y'), spreadOf('x'), spreadOf('new'));
    expect([await scenario.first(), scenario.reads]).toEqual(['x', ['get x']]);
  });

  it('is none when the API server no longer has it, or has it for another workload', async () => {
    const scenario = open(spreadOf('x'), spreadOf('y'));
    await scenario.first('warm');
    scenario.api.holdWatches();
    await scenario.api.delete(workloadSpreads, { namespace: 'a', name: 'x' });
    expect(await scenario.first()).toBe('y');
    await scenario.api.delete(workloadSpreads, { namespace: 'a', name: 'y' });
    scenario.api.seed(workloadSpreads, spreadOf('y', 'other'));
    expect(await scenario.first()).toBeUndefined();
  });

  it('counts as cached while the API server does not answer, and behind three that were read in vain', async () => {
    const scenario = open(...['p', 'q', 'r', 's', 't'].map((name) => spreadOf(name)));
    await scenario.first('warm');
    scenario.api.holdWatches();
    for (const name of ['p', 'q', 'r']) await scenario.api.delete(workloadSpreads, { namespace: 'a', name });
    scenario.reads.length = 0;
    expect([await scenario.first(), scenario.reads]).toEqual(['s', ['get p', 'get q', 'get r']]);
    scenario.isAway = true;
    expect(await scenario.first()).toBe('p');
  });
});

describe('an object that was admitted a moment ago', () => {
  it('is a rival before the cache has it, when the API server has it', async () => {
    const scenario = open();
    await scenario.first('warm');
    scenario.api.holdWatches();
    scenario.rivals.letIn(spreadOf('fresh'));
    scenario.api.seed(workloadSpreads, spreadOf('fresh'));
    expect(await scenario.first()).toBe('fresh');
  });

  it('is none, and is forgotten, when others refused it', async () => {
    const scenario = open();
    scenario.rivals.letIn(spreadOf('refused'));
    expect([await scenario.first(), await scenario.first(), scenario.reads]).toEqual([undefined, undefined, ['get refused']]);
  });

  it('is forgotten after 5 s', async () => {
    const scenario = open();
    scenario.rivals.letIn(spreadOf('old'));
    await scenario.clock.step(5001);
    expect([await scenario.first(), scenario.reads]).toEqual([undefined, []]);
  });

  it('is one of at most a thousand', async () => {
    const scenario = open();
    for (let i = 0; i < 1001; i++) scenario.rivals.letIn(spreadOf(`s${i}`, `web${i}`));
    expect([await scenario.first('new', 'web0'), await scenario.first('new', 'web1'), scenario.reads]).toEqual([
      undefined,
      undefined,
      ['get s1'],
    ]);
  });
});
