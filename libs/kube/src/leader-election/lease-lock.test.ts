import { getEventListeners } from 'node:events';
import { leases, seconds, type Lease } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import type { CallOptions, Client } from '../client/client.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { LeaseLock } from './lease-lock.ts';

const key = { namespace: 'kruise-system', name: 'kruise-manager' };
const config = { lease: key, identity: 'a', leaseDuration: seconds(15), renewDeadline: seconds(10), retryPeriod: seconds(2) };

function setUp() {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const lock = new LeaseLock(config, { client: api, clock });
  const held = (holderIdentity: string): Lease =>
    api.seed(leases, { ...(api.peek(leases, key) ?? { metadata: key }), spec: { holderIdentity, leaseDurationSeconds: 15 } });
  const verbs = () => api.calls.map((call) => call.verb).join(' ');
  return { clock, api, lock, held, verbs, signal: new AbortController().signal };
}

const unreachable = failures.unreachable();
const conflict = failures.conflict(leases, key.name, 'changed');

describe('an attempt to acquire', () => {
  it('reports the holder of the lease, and no holder before the lease was seen', async () => {
    const t = setUp();
    t.held('b');
    expect(t.lock.holder).toBe('');
    expect(await t.lock.acquire(t.signal)).toEqual({ kind: 'Taken', by: 'b', expiresIn: 15_000 });
    expect([t.lock.holder, t.verbs()]).toEqual(['b', 'get']);
  });

  it('takes a lease without a duration', async () => {
    const t = setUp();
    t.api.seed(leases, { metadata: key, spec: { holderIdentity: 'b' } });
    expect(await t.lock.acquire(t.signal)).toEqual({ kind: 'Held', renewedAt: 0 });
  });

  it('counts from the moment at which the write was sent', async () => {
    const t = setUp();
    t.api.faults.before = (call) => (call.verb === 'get' ? t.clock.sleep(seconds(1)) : t.clock.sleep(seconds(3)));
    const acquiring = t.lock.acquire(t.signal);
    await t.clock.step(4000);
    expect(await acquiring).toEqual({ kind: 'Held', renewedAt: 1000 });
  });
});

describe('every attempt', () => {
  it.each(['acquire', 'renewQuickly', 'renewCarefully'] as const)('to %s returns the error that it failed with', async (way) => {
    const t = setUp();
    await t.lock.acquire(t.signal);
    t.api.faults.before = () => {
      throw unreachable;
    };
    expect(await t.lock[way](t.signal)).toEqual({ kind: 'Failed', error: unreachable });
  });

  it('to renew a lease that was not acquired fails without a call', async () => {
    const t = setUp();
    expect(await t.lock.renewQuickly(t.signal)).toEqual({ kind: 'Failed', error: new Error('nothing was acquired') });
    expect(t.api.calls).toEqual([]);
  });
});

/** Returns a lock whose server never answers calls of one verb, not even when their signal aborts. */
function hangingAt(verb: 'get' | 'create' | 'update', there: boolean) {
  const t = setUp();
  const given: AbortSignal[] = [];
  const hang = (options: CallOptions | undefined): Promise<never> => {
    if (options?.signal !== undefined) given.push(options.signal);
    return new Promise(() => undefined);
  };
  const client = {
    get: (type, of, options) => (verb === 'get' ? hang(options) : t.api.get(type, of, options)),
    create: (type, object, options) => (verb === 'create' ? hang(options) : t.api.create(type, object, options)),
    update: (type, object, options) => (verb === 'update' ? hang(options) : t.api.update(type, object, options)),
  } satisfies Partial<Client> as unknown as Client;
  if (there) t.held('a');
  return { ...t, given, lock: new LeaseLock(config, { client, clock: t.clock }) };
}

describe('a call that is not answered', () => {
  it.each<{ way: 'acquire' | 'release'; verb: 'get' | 'create' | 'update'; there: boolean }>([
    { way: 'acquire', verb: 'get', there: true },
    { way: 'acquire', verb: 'create', there: false },
    { way: 'acquire', verb: 'update', there: true },
    { way: 'release', verb: 'get', there: true },
    { way: 'release', verb: 'update', there: true },
  ])('is aborted after half of the renew deadline: $verb of $way', async ({ way, verb, there }) => {
    const t = hangingAt(verb, there);
    let outcome: unknown = 'waiting';
    t.lock[way](t.signal).then(
      (result) => (outcome = result),
      (error: unknown) => (outcome = { kind: 'Failed', error }),
    );
    await t.clock.step(4999);
    expect([outcome, t.given.map(({ aborted }) => aborted)]).toEqual(['waiting', [false]]);
    await t.clock.step(1);
    const error = { message: 'no answer within 5000 ms', failure: { kind: 'Unreachable', cause: undefined } };
    expect(outcome).toMatchObject({ kind: 'Failed', error });
    expect(t.given.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('is aborted immediately when the caller aborts, and leaves neither a timer nor a listener', async () => {
    const t = hangingAt('update', true);
    const stop = new AbortController();
    const acquiring = t.lock.acquire(stop.signal);
    await t.clock.settle();
    expect(getEventListeners(stop.signal, 'abort').length).toBe(1);
    stop.abort(new Error('enough'));
    expect(await acquiring).toEqual({ kind: 'Failed', error: new Error('enough') });
    expect([getEventListeners(stop.signal, 'abort').length, t.clock.pending]).toEqual([0, 0]);
    expect(t.given[0]?.reason).toEqual(new Error('enough'));
  });

  it('is not sent when the caller aborted before', async () => {
    const t = setUp();
    expect(await t.lock.acquire(AbortSignal.abort(new Error('enough')))).toEqual({ kind: 'Failed', error: new Error('enough') });
    expect(t.api.calls).toEqual([]);
  });

  it('leaves neither a timer nor a listener when it is answered', async () => {
    const t = setUp();
    await t.lock.acquire(t.signal);
    expect([getEventListeners(t.signal, 'abort').length, t.clock.pending]).toEqual([0, 0]);
  });
});

describe('a release', () => {
  it('does nothing when the lease does not exist or has another holder', async () => {
    const t = setUp();
    await t.lock.release(t.signal);
    t.held('b');
    await t.lock.release(t.signal);
    expect(t.verbs()).toBe('get get');
  });

  it.each([
    { conflicts: 2, verbs: 'get update get update get update', holder: '' },
    { conflicts: 3, verbs: 'get update get update get update', holder: 'a' },
  ])('that conflicts $conflicts times reads and writes up to three times', async ({ conflicts, verbs, holder }) => {
    const t = setUp();
    t.held('a');
    let left = conflicts;
    t.api.faults.before = (call) => {
      if (call.verb === 'update' && left-- > 0) throw conflict;
    };
    const released = t.lock.release(t.signal);
    await (holder === '' ? released : expect(released).rejects.toBe(conflict));
    expect([t.verbs(), t.api.peek(leases, key)?.spec?.holderIdentity]).toEqual([verbs, holder]);
  });

  it('that fails otherwise is not retried', async () => {
    const t = setUp();
    t.held('a');
    t.api.faults.before = (call) => {
      if (call.verb === 'update') throw unreachable;
    };
    await expect(t.lock.release(t.signal)).rejects.toBe(unreachable);
    expect(t.verbs()).toBe('get update');
  });

  it('does not take the lease from a candidate that acquired it meanwhile', async () => {
    const t = setUp();
    t.held('a');
    t.api.faults.before = (call) => {
      if (call.verb !== 'update') return;
      t.held('b');
      throw conflict;
    };
    await t.lock.release(t.signal);
    expect([t.verbs(), t.api.peek(leases, key)?.spec?.holderIdentity]).toEqual(['get update get', 'b']);
  });

  it('shows no holder', async () => {
    const t = setUp();
    await t.lock.acquire(t.signal);
    expect(t.lock.holder).toBe('a');
    await t.lock.release(t.signal);
    expect(t.lock.holder).toBe('');
  });
});
