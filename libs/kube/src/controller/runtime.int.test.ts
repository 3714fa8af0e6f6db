/** Controllers, events and leader election over a real API server, and the contract that the fake server shares with it. */
import { configMaps, keyOf, leases, milliseconds, namespaces, type ConfigMap, type Lease } from '@kruise/objects';
import { sinceKubernetes, startControlPlane, staysTrue, succeeds, type ControlPlane } from '@kruise/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { loadClusterConfig } from '../config/load-config.ts';
import { coreEvents } from '../events/core-event.ts';
import { EventSink } from '../events/event-sink.ts';
import { fencedClient } from '../leader-election/fenced-client.ts';
import { LeaderElector, runAsLeader } from '../leader-election/leader-elector.ts';
import { retry, settled } from '../outcome.ts';
import { CachingClient } from '../reflector/caching-client.ts';
import { Informers } from '../reflector/informers.ts';
import { describesClientContract } from '../testing/client-contract.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { ControllerRunner } from './controller-runner.ts';
import { watchInformer } from './watch.ts';

const clock = new SystemClock();
let plane: ControlPlane;
const clients: Client[] = [];
/** Stops everything that a failed test left running. */
const end = new AbortController();

function connect(userAgent: string): Client {
  const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent });
  clients.push(client);
  return client;
}

async function until(what: string, holds: () => Promise<boolean> | boolean, withinMs = 120_000): Promise<void> {
  const deadline = clock.monotonic() + withinMs;
  while (!(await holds())) {
    if (clock.monotonic() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await clock.sleep(milliseconds(20));
  }
}

beforeAll(async () => {
  plane = await startControlPlane();
});

afterAll(async () => {
  end.abort();
  for (const client of clients) client.close();
  await plane?.stop();
});

describe('a real API server', () => {
  describesClientContract(() => clients[0] ?? connect('contract'), sinceKubernetes(32, it));
});

describe('a controller over informers', () => {
  it('brings every object to its state, reads its own writes, reports them, and continues after the server was unreachable', async () => {
    const stop = new AbortController();
    end.signal.addEventListener('abort', () => stop.abort());
    const logger = silentLogger();
    const direct = connect('controller');
    await direct.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'controlled' } });
    const informers = new Informers({ client: direct, clock, logger });
    const informer = informers.informer<ConfigMap>(configMaps, { namespace: 'controlled' });
    const client = new CachingClient(direct, informers);
    const sink = new EventSink({ client: direct, clock, logger });
    const recorder = sink.recorder('test-controller');
    let writes = 0;
    const runner = new ControllerRunner(
      {
        name: 'test-controller',
        workers: 3,
        watches: [watchInformer(informer, (event) => [keyOf(event.object)])],
        reconcile: async (key, signal) => {
          const object = informer.store.get(key);
          if (object === undefined || object.data?.['doubled'] === String(2 * Number(object.data?.['number']))) return settled;
          writes++;
          try {
            await client.update(
              configMaps,
              { ...object, data: { ...object.data, doubled: String(2 * Number(object.data?.['number'])) } },
              { signal },
            );
          } catch (error) {
            return retry(error);
          }
          recorder.event(object, 'Normal', 'Doubled', `doubled ${object.data?.['number']}`);
          return settled;
        },
      },
      { clock, logger },
    );
    const running = Promise.all([informers.run(stop.signal), runner.run(stop.signal)]);
    const create = (name: string, number: number) =>
      direct.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: 'controlled' },
        data: { number: String(number) },
      });
    const allDoubled = async (count: number): Promise<boolean> => {
      const { items } = await direct.list(configMaps, { namespace: 'controlled' }).catch(() => ({ items: [] as readonly ConfigMap[] }));
      return items.length >= count && items.every((item) => item.data?.['doubled'] === String(2 * Number(item.data?.['number'])));
    };
    for (let number = 0; number < 20; number++) await create(`n${number}`, number);
    await until('20 objects are doubled', () => allDoubled(20));
    expect(writes).toBe(20);
    await plane.restartApiServer();
    await until('the server takes objects again', () => succeeds(create('after', 7)));
    await until('the new object is doubled', () => allDoubled(21));
    stop.abort();
    await running;
    await sink.stop();
    const { items } = await direct.list(coreEvents, { namespace: 'controlled' });
    expect(items.map((event) => event.message).toSorted()).toEqual(
      [...Array.from({ length: 20 }, (_, number) => `doubled ${number}`), 'doubled 7'].toSorted(),
    );
  });
});

describe('two candidates over one lease', () => {
  it('lead one after the other, release on a stop, and write nothing after the end', async () => {
    const key = { namespace: 'default', name: 'test-lease' };
    const timing = { leaseDuration: milliseconds(10_000), renewDeadline: milliseconds(8_000), retryPeriod: milliseconds(300) };
    const timeline: string[] = [];
    const candidate = (identity: string) => {
      const client = connect(identity);
      const sink = new EventSink({ client, clock, logger: silentLogger() });
      const elector = new LeaderElector(
        { lease: key, identity, ...timing },
        { client, clock, logger: silentLogger(), recorder: sink.recorder(identity) },
      );
      const stop = new AbortController();
      end.signal.addEventListener('abort', () => stop.abort());
      let fenced: Client | undefined;
      const done = runAsLeader(elector, stop.signal, async (leadership, stopping) => {
        timeline.push(`${identity} leads`);
        fenced = fencedClient(client, leadership);
        await new Promise((resolve) => stopping.addEventListener('abort', resolve));
        timeline.push(`${identity} ends`);
      });
      return { stop, done, sink, fenced: () => fenced };
    };
    const a = candidate('a');
    await until('a leads', () => timeline.includes('a leads'));
    const b = candidate('b');
    await staysTrue('a alone leads', () => timeline.length === 1, timing.leaseDuration + 1_000);
    expect(timeline).toEqual(['a leads']);
    a.stop.abort();
    await a.done;
    const released = clock.monotonic();
    await until('b leads', () => timeline.includes('b leads'));
    expect(clock.monotonic() - released).toBeLessThan(timing.leaseDuration - 1_000);
    await expect(a.fenced()?.create(configMaps, { metadata: { name: 'late', namespace: 'default' } })).rejects.toMatchObject({
      failure: { kind: 'Aborted' },
    });
    expect(timeline).toEqual(['a leads', 'a ends', 'b leads']);
    const held: Lease = await connect('reader').get(leases, key);
    expect(held.spec).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 10, leaseTransitions: 1 });
    b.stop.abort();
    await b.done;
    await Promise.all([a.sink.stop(), b.sink.stop()]);
    const released2: Lease = await connect('reader').get(leases, key);
    expect(released2.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    const { items } = await connect('reader').list(coreEvents, { namespace: 'default', fieldSelector: 'reason=LeaderElection' });
    expect(items.map((event) => event.message).toSorted()).toEqual([
      'a became leader',
      'a stopped leading',
      'b became leader',
      'b stopped leading',
    ]);
  });
});
