import { urlPath } from '../client/transport/resource-path.ts';
import { configMaps, leases, pods, seconds, type ConfigMap } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { fencedClient } from './fenced-client.ts';
import { LeaderElector, runAsLeader } from './leader-elector.ts';
import { LeadershipLost, type Leadership } from './leadership.ts';

const key = { namespace: 'kruise-system', name: 'kruise-manager' };

function setUp() {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const lock = api.connect('lock');
  const elector = new LeaderElector(
    { lease: key, identity: 'a', leaseDuration: seconds(15), renewDeadline: seconds(10), retryPeriod: seconds(2) },
    { client: lock, clock, logger: silentLogger() },
  );
  return { clock, api, lock, elector, stop: new AbortController(), holder: () => api.peek(leases, key)?.spec?.holderIdentity };
}

const down = (): never => {
  throw failures.unreachable();
};

describe('runAsLeader', () => {
  it('keeps renewing while the workers stop, and releases only after that', async () => {
    const t = setUp();
    const done = runAsLeader(t.elector, t.stop.signal, async (_leadership, stop) => {
      await new Promise((resolve) => stop.addEventListener('abort', resolve));
      await t.clock.sleep(seconds(25));
    });
    await t.clock.step(5000);
    t.stop.abort();
    await t.clock.step(24_000);
    expect([t.holder(), t.api.peek(leases, key)?.spec?.renewTime]).toEqual(['a', '2025-01-01T00:00:28.000000Z']);
    await t.clock.step(1000);
    await done;
    expect([t.holder(), t.clock.pending]).toEqual(['', 0]);
  });

  it('throws as soon as the lease is lost and leaves it alone', async () => {
    const t = setUp();
    let stopped: LeadershipLost | undefined;
    const done = runAsLeader(t.elector, t.stop.signal, async (_leadership, stop) => {
      stop.addEventListener('abort', () => (stopped = stop.reason as LeadershipLost));
      await new Promise(() => undefined);
    });
    done.catch(() => undefined);
    await t.clock.settle();
    t.lock.faults.before = down;
    await t.clock.step(10_000);
    await expect(done).rejects.toBeInstanceOf(LeadershipLost);
    expect(stopped).toBeInstanceOf(LeadershipLost);
    t.lock.faults = {};
    await t.clock.step(60_000);
    expect(t.holder()).toBe('a');
  });

  it('does not release when the work failed: it may not have stopped', async () => {
    const t = setUp();
    const done = runAsLeader(t.elector, t.stop.signal, () => Promise.reject(new Error('reconciles did not stop')));
    done.catch(() => undefined);
    await t.clock.step(30_000);
    await expect(done).rejects.toThrow('reconciles did not stop');
    expect([t.holder(), t.api.peek(leases, key)?.spec?.renewTime, t.clock.pending]).toEqual(['a', '2025-01-01T00:00:00.000000Z', 0]);
  });

  it('ends without an error when it is stopped before it leads', async () => {
    const t = setUp();
    t.lock.faults.before = down;
    const done = runAsLeader(t.elector, t.stop.signal, () => Promise.reject(new Error('worked')));
    await t.clock.step(5000);
    t.stop.abort();
    await done;
    expect(t.clock.pending).toBe(0);
  });

  it('fails when the work ends after the lease was lost, even though nothing has noticed the loss', async () => {
    const t = setUp();
    const done = runAsLeader(t.elector, t.stop.signal, async () => t.clock.freeze(10_000));
    await expect(done).rejects.toBeInstanceOf(LeadershipLost);
    expect(t.holder()).toBe('a');
  });

  it('fails with the error that keeps it from becoming a candidate', async () => {
    const clock = new FakeClock();
    const leading = (): never => {
      throw new Error('no such metric');
    };
    const elector = new LeaderElector(
      { lease: key, identity: 'a', leaseDuration: seconds(15), renewDeadline: seconds(10), retryPeriod: seconds(2) },
      { client: new FakeApi({ clock }), clock, logger: silentLogger(), metrics: { leading, slowPath: () => undefined } },
    );
    const work = () => Promise.reject(new Error('worked'));
    await expect(runAsLeader(elector, new AbortController().signal, work)).rejects.toThrow('no such metric');
  });
});

describe('fencedClient', () => {
  const configMap: ConfigMap = { metadata: { name: 'a', namespace: 'default' } };

  async function lead() {
    const t = setUp();
    const leadership: Leadership = await t.elector.acquire(t.stop.signal);
    const connection = t.api.connect('controllers');
    return {
      ...t,
      leadership,
      connection,
      client: fencedClient(connection, leadership),
      writes: () => t.api.calls.filter((call) => call.from === 'controllers' && call.verb !== 'get'),
    };
  }

  it('passes all calls on while leading', async () => {
    const t = await lead();
    const created = await t.client.create(configMaps, configMap);
    expect(await t.client.get(configMaps, { namespace: 'default', name: 'a' })).toEqual(created);
    await t.leadership.abandon();
  });

  it('refuses every write after a loss without sending it, and keeps reading', async () => {
    const t = await lead();
    t.api.seed(configMaps, configMap);
    t.clock.freeze(10_000);
    const at = { namespace: 'default', name: 'a' };
    const scale = { metadata: { name: 'a' }, spec: { replicas: 1 } };
    const writes = [
      () => t.client.create(configMaps, configMap),
      () => t.client.update(configMaps, configMap),
      () => t.client.updateStatus(configMaps, configMap),
      () => t.client.patch(configMaps, at, {}, { type: 'merge' }),
      () => t.client.delete(configMaps, at),
      () => t.client.updateScale(pods, at, scale),
      () => t.client.evict(at),
      () => t.client.raw(urlPath`/x`, { method: 'POST' }),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    expect(t.writes()).toEqual([]);
    expect(await t.client.get(configMaps, at)).toMatchObject({ metadata: { name: 'a' } });
  });

  it('aborts a write whose caller aborts, as before', async () => {
    const t = await lead();
    t.connection.faults.before = () => t.clock.sleep(seconds(60));
    const gaveUp = new AbortController();
    const creating = t.client.create(configMaps, configMap, { signal: gaveUp.signal });
    gaveUp.abort();
    await expect(creating).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    await expect(t.client.create(configMaps, configMap, { signal: gaveUp.signal })).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    expect(t.leadership.isLeading()).toBe(true);
    await t.leadership.abandon();
  });

  it('aborts a write that was under way when the lease was lost', async () => {
    const t = await lead();
    t.lock.faults.before = down;
    t.connection.faults.before = () => t.clock.sleep(seconds(60));
    const creating = t.client.create(configMaps, configMap, { signal: new AbortController().signal });
    creating.catch(() => undefined);
    await t.clock.step(10_000);
    await expect(creating).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    await t.clock.step(120_000);
    expect(t.api.peek(configMaps, { namespace: 'default', name: 'a' })).toBeUndefined();
  });

  it('does not send a write that waited in the client while the process was stopped', async () => {
    const t = await lead();
    let go = (): void => undefined;
    t.connection.faults.before = () => new Promise<void>((resolve) => (go = resolve));
    const creating = t.client.create(configMaps, configMap);
    creating.catch(() => undefined);
    await t.clock.settle();
    t.clock.freeze(10_000);
    go();
    await expect(creating).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    expect(t.api.peek(configMaps, { namespace: 'default', name: 'a' })).toBeUndefined();
    await t.leadership.abandon();
  });
});
