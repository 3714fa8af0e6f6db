import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectKey } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { settled } from '../outcome.ts';
import type { StoreEvent, StoreListener } from '../store.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { ControllerRunner } from './controller-runner.ts';
import { enqueueSelf } from './enqueue.ts';
import { onEvent, watchInformer } from './watch.ts';

class HandInformer {
  readonly #listeners = new Set<StoreListener<KubeObject>>();
  readonly #sync = Promise.withResolvers<void>();
  readonly store = {
    subscribe: (listener: StoreListener<KubeObject>): (() => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };
  readonly reflector = { waitForSync: (): Promise<void> => this.#sync.promise };

  get listeners(): number {
    return this.#listeners.size;
  }

  synced(): void {
    this.#sync.resolve();
  }

  add(name: string): void {
    const event: StoreEvent<KubeObject> = { kind: 'Added', object: { metadata: { namespace: 'ns', name } }, initial: false };
    for (const listener of this.#listeners) listener(event);
  }
}

describe('a controller', () => {
  it('waits for caches that enqueue nothing, and receives events besides its queue', async () => {
    const [watched, followed, read] = [new HandInformer(), new HandInformer(), new HandInformer()];
    const clock = new FakeClock();
    const reconciled: ObjectKey[] = [];
    const seen: string[] = [];
    const runner = new ControllerRunner(
      {
        name: 'c',
        workers: 1,
        watches: [watchInformer(watched, enqueueSelf), onEvent(followed, ({ object }) => void seen.push(object.metadata.name))],
        caches: [read],
        reconcile: (key) => (reconciled.push(key), Promise.resolve(settled)),
      },
      { clock, logger: silentLogger() },
    );
    const stop = new AbortController();
    const run = runner.run(stop.signal);
    watched.add('a');
    followed.add('b');
    watched.synced();
    read.synced();
    await clock.settle();
    expect([runner.working, reconciled, seen]).toEqual([false, [], ['b']]);
    followed.synced();
    await clock.settle();
    expect([runner.working, reconciled, seen]).toEqual([true, [{ namespace: 'ns', name: 'a' }], ['b']]);
    stop.abort();
    await run;
    expect([watched.listeners, followed.listeners]).toEqual([0, 0]);
  });

  it('does not begin before a cache that it only reads is filled', async () => {
    const [watched, read] = [new HandInformer(), new HandInformer()];
    const clock = new FakeClock();
    const definition = {
      name: 'c',
      workers: 1,
      watches: [watchInformer(watched, enqueueSelf)],
      caches: [read],
      reconcile: () => Promise.resolve(settled),
    };
    const runner = new ControllerRunner(definition, { clock, logger: silentLogger() });
    const stop = new AbortController();
    const run = runner.run(stop.signal);
    watched.synced();
    await clock.settle();
    expect(runner.working).toBe(false);
    read.synced();
    await clock.settle();
    expect(runner.working).toBe(true);
    stop.abort();
    await run;
  });
});
