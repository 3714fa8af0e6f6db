/** Stores, reflectors and the caching client together against a server with faults: they always converge to the server. */
import { afterAll, expect, it } from '@jest/globals';
import { configMaps, type ConfigMap } from '@kruise/objects';
import { Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { isFailure } from '../api-error.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { CachingClient } from './caching-client.ts';
import { Informers } from './informers.ts';

type Step =
  | { readonly kind: 'Put' | 'Delete'; readonly by: 'own' | 'other'; readonly name: string; readonly label: string }
  | { readonly kind: 'Wait'; readonly ms: number }
  | { readonly kind: 'Fail'; readonly calls: number; readonly with: 'unreachable' | 'serverError' | 'gone' | 'lostAnswer' }
  | { readonly kind: 'EndWatches' | 'ResetWatches' | 'ExpireWatches' | 'Compact' | 'Hold' | 'Release' };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('Put' as const, 'Put' as const, 'Delete' as const),
      by: fc.constantFrom('own' as const, 'other' as const),
      name: fc.constantFrom('a', 'b', 'c'),
      label: fc.constantFrom('in', 'out'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('Wait' as const), ms: fc.integer({ min: 1, max: 3_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('Fail' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      with: fc.constantFrom('unreachable' as const, 'serverError' as const, 'gone' as const, 'lostAnswer' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'EndWatches' as const,
        'ResetWatches' as const,
        'ExpireWatches' as const,
        'Compact' as const,
        'Hold' as const,
        'Release' as const,
      ),
    }),
  },
);

/** What the steps of all runs covered. */
const seen = new Occurrences();

class Run {
  readonly clock = new FakeClock();
  readonly api = new FakeApi({ clock: this.clock });
  readonly #watching = this.api.connect('watching');
  readonly #other = this.api.connect('other');
  readonly #informers: Informers;
  readonly #own: CachingClient;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(streamingLists: boolean) {
    this.#informers = new Informers({ client: this.#watching, clock: this.clock, logger: silentLogger(), streamingLists });
    this.#informers.store(configMaps);
    this.#informers.store(configMaps, { labelSelector: 'where=in' });
    this.#own = new CachingClient(this.api.connect('own'), this.#informers);
    this.#ended = this.#informers.run(this.#stop.signal);
  }

  async do(step: Step): Promise<void> {
    switch (step.kind) {
      case 'Put':
        return this.#put(step.by === 'own' ? this.#own : this.#other, step.name, step.label);
      case 'Delete':
        return ignoreNotFound((step.by === 'own' ? this.#own : this.#other).delete(configMaps, { namespace: 'ns', name: step.name }));
      case 'Wait':
        return this.clock.step(step.ms);
      case 'Fail':
        return this.#fail(step.calls, step.with);
      case 'EndWatches':
        return this.api.endWatches();
      case 'ResetWatches':
        return this.api.endWatches(failures.unreachable());
      case 'ExpireWatches':
        return this.api.endWatches(failures.gone());
      case 'Compact':
        return this.api.compact();
      case 'Hold':
        return this.api.holdWatches();
      default:
        return this.api.releaseWatches();
    }
  }

  async comeToRest(): Promise<void> {
    this.#watching.faults = {};
    this.api.releaseWatches();
    await this.clock.step(120_000);
    const truth = this.api.peekAll(configMaps);
    seen.note('objects of both sorts are left', new Set(truth.map(({ metadata }) => metadata.labels?.['where'])).size === 2);
    expect(this.#informers.store(configMaps).list({ sorted: true })).toEqual(truth);
    const part = this.#informers.store(configMaps, { labelSelector: 'where=in' });
    expect(part.list({ sorted: true })).toEqual(truth.filter(({ metadata }) => metadata.labels?.['where'] === 'in'));
    this.#stop.abort();
    await this.#ended;
    expect(this.clock.pending).toBe(0);
  }

  async #put(client: FakeApi | CachingClient, name: string, label: string): Promise<void> {
    const metadata = { name, namespace: 'ns', labels: { where: label } };
    const exists = this.api.peek(configMaps, { namespace: 'ns', name }) !== undefined;
    const object: ConfigMap = { metadata, data: { now: String(this.clock.monotonic()) } };
    const answer = exists ? await client.update(configMaps, object) : await client.create(configMaps, object);
    if (client !== this.#own) return;
    seen.note('an own write');
    const held = this.#informers.store(configMaps).get({ namespace: 'ns', name });
    expect(held?.metadata.resourceVersion).toBe(answer.metadata.resourceVersion);
  }

  #fail(calls: number, how: 'unreachable' | 'serverError' | 'gone' | 'lostAnswer'): void {
    let left = calls;
    const fault = (): void => {
      if (seen.note(how, left-- > 0)) throw how === 'lostAnswer' ? failures.unreachable() : failures[how]();
    };
    this.#watching.faults = how === 'lostAnswer' ? { after: fault } : { before: fault };
  }
}

async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (!isFailure(error, 'NotFound')) throw error;
  });
}

const faults = ['unreachable', 'serverError', 'gone', 'lostAnswer'];
afterAll(() =>
  seen.expectAtLeast({
    ...Object.fromEntries(faults.map((fault) => [fault, 10])),
    'an own write': 100,
    'objects of both sorts are left': 20,
  }),
);

it.each([true, false])('whatever fails, the stores converge to the server (streaming lists: %s)', async (streamingLists) => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 1, maxLength: 30, size: 'max' }), async (steps) => {
      const run = new Run(streamingLists);
      for (const step of steps) await run.do(step);
      await run.comeToRest();
    }),
    { numRuns: 120 },
  );
});
