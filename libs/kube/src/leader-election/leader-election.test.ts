import { leases, milliseconds, seconds, type Instant, type KubeObject, type Lease, type Milliseconds } from '@kruise/objects';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import type { Clock, Timer } from '../clock.ts';
import { sleepOn } from '../clock/system-clock.ts';
import { FakeApi, type FakeFaults } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { validateElection, type ElectionConfig } from './election-config.ts';
import { LeaderElector } from './leader-elector.ts';
import type { Leadership } from './leadership.ts';

const key = { namespace: 'kruise-system', name: 'kruise-manager' };
const timing = { leaseDuration: seconds(15), renewDeadline: seconds(10), retryPeriod: seconds(2) };

/** The clock of a process that can be stopped (SIGSTOP): time advances, but timers and answers wait until the process continues. */
class StoppableClock implements Clock {
  readonly #inner: FakeClock;
  #thaw: Promise<void> | undefined;

  constructor(inner: FakeClock) {
    this.#inner = inner;
  }

  stopFor(length: number): void {
    const thaw = this.#inner.sleep(milliseconds(length)).then(() => {
      if (this.#thaw === thaw) this.#thaw = undefined;
    });
    this.#thaw = thaw;
  }

  async going(): Promise<void> {
    while (this.#thaw !== undefined) await this.#thaw;
  }

  now(): Instant {
    return this.#inner.now();
  }

  monotonic(): Milliseconds {
    return this.#inner.monotonic();
  }

  schedule(after: Milliseconds, task: () => void): Timer {
    let cancelled = false;
    const run = (): void => {
      if (cancelled) return;
      if (this.#thaw === undefined) task();
      else void this.#thaw.then(run);
    };
    const timer = this.#inner.schedule(after, run);
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }

  sleep(after: Milliseconds, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, after, signal);
  }
}

/** Stops everything that a test started, after the test. */
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function setUp() {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const timeline: string[] = [];
  const objects = new Set<string>();
  const candidate = (identity: string, own: FakeClock = clock) => {
    const connection = api.connect(identity);
    const logger = silentLogger();
    const recorder = {
      event: (object: KubeObject, type: string, reason: string, message: string) => {
        objects.add(JSON.stringify(object));
        timeline.push(`${type} ${reason} ${message}`);
      },
    };
    const counted: string[] = [];
    const metrics = { leading: (value: boolean) => void counted.push(`leading ${value}`), slowPath: () => void counted.push('slow path') };
    const elector = new LeaderElector(
      { lease: key, identity, ...timing },
      { client: connection, clock: own, logger, recorder, metrics, random: () => 0 },
    );
    const stop = new AbortController();
    const state: { leadership: Leadership | undefined; acquiredAt: number | undefined; lostAt: number | undefined } = {
      leadership: undefined,
      acquiredAt: undefined,
      lostAt: undefined,
    };
    const start = (): void => {
      void elector.acquire(stop.signal).then(
        (leadership) => {
          state.leadership = leadership;
          state.acquiredAt = clock.monotonic();
          leadership.leading.addEventListener('abort', () => (state.lostAt = clock.monotonic()));
        },
        () => undefined,
      );
    };
    stops.push(() => {
      stop.abort();
      void state.leadership?.abandon();
    });
    return { connection, logger, counted, elector, stop, state, start };
  };
  const spec = (): NonNullable<Lease['spec']> => api.peek(leases, key)?.spec ?? {};
  const hold = (holderIdentity: string, more: object = {}): void => {
    const time = '2020-01-01T00:00:00.000000Z';
    const held = api.peek(leases, key) ?? { metadata: key };
    api.seed(leases, {
      ...held,
      spec: { holderIdentity, leaseDurationSeconds: 15, acquireTime: time, renewTime: time, leaseTransitions: 3, ...more },
    });
  };
  return { clock, api, timeline, objects, candidate, spec, hold };
}

const down = (): never => {
  throw failures.unreachable();
};

describe('acquiring', () => {
  it('creates the lease when there is none', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    expect(t.spec()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2025-01-01T00:00:00.000000Z',
      renewTime: '2025-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    expect([a.state.acquiredAt, a.elector.holder, t.timeline, a.counted]).toEqual([
      0,
      'a',
      ['Normal LeaderElection a became leader'],
      ['leading false', 'leading true'],
    ]);
    expect([...t.objects].map((object) => JSON.parse(object) as unknown)).toEqual([
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'kruise-manager', namespace: 'kruise-system' } },
    ]);
  });

  it('logs each holder once, each error, and that it leads', async () => {
    const t = setUp();
    const a = t.candidate('a');
    t.hold('b');
    a.start();
    await t.clock.step(4000);
    a.connection.faults.before = down;
    await t.clock.step(2000);
    a.connection.faults = {};
    t.hold('');
    await t.clock.step(2000);
    const fields = { logger: 'leader-election', lease: 'kruise-system/kruise-manager', identity: 'a' };
    expect(a.logger.lines).toEqual([
      { level: 'info', fields: { ...fields, holder: 'b' }, message: 'Observed another leader' },
      { level: 'warn', fields: { ...fields, error: failures.unreachable() }, message: 'Failed to acquire the lease' },
      { level: 'info', fields: { ...fields, holder: 'a' }, message: 'Observed another leader' },
      { level: 'info', fields, message: 'Became the leader' },
    ]);
  });

  it('logs no errors that come from being stopped, and makes no call when it was stopped before', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.connection.faults.before = () => new Promise(() => undefined);
    a.start();
    await t.clock.settle();
    a.stop.abort();
    await t.clock.settle();
    expect(a.logger.lines.map((line) => line.message)).toEqual(['Observed another leader']);
    const b = t.candidate('b');
    await expect(b.elector.acquire(AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect([b.logger.lines, b.elector.holder]).toEqual([[], '']);
  });

  it.each([
    ['has an empty holder', ''],
    ['is our own from before', 'a'],
  ])('takes a lease immediately that %s', async (_name, holder) => {
    const t = setUp();
    t.hold(holder);
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    expect(a.state.acquiredAt).toBe(0);
    const own = holder === 'a';
    expect(t.spec()).toMatchObject({
      holderIdentity: 'a',
      leaseTransitions: own ? 3 : 4,
      acquireTime: own ? '2020-01-01T00:00:00.000000Z' : '2025-01-01T00:00:00.000000Z',
      renewTime: '2025-01-01T00:00:00.000000Z',
    });
  });

  it("waits until another candidate's lease has not changed for its duration here, whatever times it contains", async () => {
    const t = setUp();
    t.hold('gone', { leaseDurationSeconds: 7 });
    const a = t.candidate('a');
    a.start();
    await t.clock.step(6999);
    expect([a.state.acquiredAt, t.spec().holderIdentity]).toEqual([undefined, 'gone']);
    await t.clock.step(1);
    expect(a.state.acquiredAt).toBe(7000);
    expect(t.spec()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 4, leaseDurationSeconds: 15 });
  });

  it('restarts the wait with every change of the lease', async () => {
    const t = setUp();
    t.hold('b');
    const a = t.candidate('a');
    a.start();
    for (let renewal = 1; renewal <= 5; renewal++) {
      await t.clock.step(10_000);
      t.hold('b', { renewTime: `2020-01-01T00:00:0${renewal}.000000Z` });
    }
    expect(a.state.acquiredAt).toBeUndefined();
    await t.clock.step(14_000);
    expect(a.state.acquiredAt).toBeUndefined();
    await t.clock.step(4000);
    // The last change was seen at 52 s. The attempt 15 s later comes before the next regular one.
    expect(a.state.acquiredAt).toBe(67_000);
  });

  it('keeps trying while the server fails, and when another candidate was faster', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.connection.faults.before = down;
    a.start();
    await t.clock.step(5000);
    a.connection.faults.before = (call) => {
      if (call.verb === 'create') t.hold('b');
    };
    await t.clock.step(2000);
    expect([a.state.acquiredAt, t.spec().holderIdentity]).toEqual([undefined, 'b']);
    a.connection.faults = {};
    t.hold('');
    await t.clock.step(2000);
    expect(a.state.acquiredAt).toBe(8000);
  });

  it('spreads its attempts by up to 1.2 periods', async () => {
    const t = setUp();
    t.hold('b');
    const times: number[] = [];
    const randoms = [0, 0.5, 0.999];
    const connection = t.api.connect('a', { before: () => void times.push(t.clock.monotonic()) });
    const elector = new LeaderElector(
      { lease: key, identity: 'a', ...timing },
      { client: connection, clock: t.clock, logger: silentLogger(), random: () => randoms.shift() ?? 0 },
    );
    const stop = new AbortController();
    const acquiring = elector.acquire(stop.signal);
    await t.clock.step(10_000);
    stop.abort(new Error('stopped'));
    await expect(acquiring).rejects.toThrow('stopped');
    expect(times.slice(0, 4).map(Math.round)).toEqual([0, 2000, 5200, 9598]);
    expect(t.clock.pending).toBe(0);
  });

  it('waits half of the renew deadline for a silent server', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.connection.faults.before = () => new Promise(() => undefined);
    a.start();
    await t.clock.step(5000);
    a.connection.faults = {};
    await t.clock.step(2000);
    expect(a.state.acquiredAt).toBe(7000);
  });
});

describe('renewing', () => {
  it('writes the time every retry period with one call, and makes no other call', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.step(60_000);
    expect(a.state.lostAt).toBeUndefined();
    expect(t.spec()).toMatchObject({
      acquireTime: '2025-01-01T00:00:00.000000Z',
      renewTime: '2025-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
    expect(t.api.calls.map((call) => call.verb).join(' ')).toBe(`get create${' update'.repeat(30)}`);
    expect(a.counted).not.toContain('slow path');
  });

  it('reads the lease after a conflict and keeps the fields that other clients wrote', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    t.api.seed(leases, { ...(t.api.peek(leases, key) as Lease), metadata: { ...key, labels: { team: 'x' } } });
    await t.clock.step(2000);
    expect(a.state.lostAt).toBeUndefined();
    expect(a.counted).toContain('slow path');
    expect(t.api.peek(leases, key)).toMatchObject({
      metadata: { labels: { team: 'x' } },
      spec: { renewTime: '2025-01-01T00:00:02.000000Z' },
    });
  });

  it('recreates the lease when it was deleted', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    await t.api.delete(leases, key);
    await t.clock.step(2000);
    expect([a.state.lostAt, t.spec().holderIdentity]).toEqual([undefined, 'a']);
  });

  it('survives failures and lost answers shorter than the renew deadline', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    a.connection.faults.before = down;
    await t.clock.step(5900);
    a.connection.faults = { after: down };
    await t.clock.step(1000);
    a.connection.faults = {};
    await t.clock.step(60_000);
    expect(a.state.lostAt).toBeUndefined();
  });

  it('logs each failure with the time that is left', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.step(4000);
    a.logger.lines.length = 0;
    a.connection.faults.before = down;
    await t.clock.step(4000);
    const fields = { logger: 'leader-election', lease: 'kruise-system/kruise-manager', identity: 'a', error: failures.unreachable() };
    const quickly = { level: 'debug', fields, message: 'Failed to renew the lease with one write; reading it first' };
    expect(a.logger.lines).toEqual([
      quickly,
      { level: 'warn', fields: { ...fields, leftMs: 8000 }, message: 'Failed to renew the lease' },
      quickly,
      { level: 'warn', fields: { ...fields, leftMs: 6000 }, message: 'Failed to renew the lease' },
    ]);
  });
});

describe('losing', () => {
  it('ends at the renew deadline after the last successful renewal was sent, and retries until then', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.step(4000);
    a.connection.faults.before = down;
    const calls = t.api.calls.length;
    await t.clock.step(9999);
    expect(a.state.leadership?.isLeading()).toBe(true);
    await t.clock.step(1);
    expect(a.state.lostAt).toBe(14_000);
    expect(t.api.calls.length - calls).toBe(8);
    expect(() => a.state.leadership?.assertLeading()).toThrow('not renewed for 10000 ms');
    expect(t.timeline).toEqual(['Normal LeaderElection a became leader', 'Normal LeaderElection a stopped leading']);
    expect(a.counted.at(-1)).toBe('leading false');
    await t.clock.step(60_000);
    expect([t.api.calls.length - calls, t.clock.pending]).toEqual([8, 0]);
  });

  it('counts from the moment at which a renewal was sent whose answer was late', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.step(1999);
    a.connection.faults.after = () => t.clock.sleep(milliseconds(4900));
    await t.clock.step(4902);
    a.connection.faults = { before: down };
    await t.clock.step(20_000);
    expect(a.state.lostAt).toBe(12_000);
  });

  it('is not extended by an answer that arrives after the deadline', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    a.connection.faults.before = () => t.clock.sleep(milliseconds(4999));
    t.clock.freeze(9000);
    await t.clock.step(30_000);
    expect(a.state.lostAt).toBe(10_000);
  });

  it('leaves no timer or listener of a renewal whose answer arrives after it', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.step(1000);
    let answer = (): void => undefined;
    a.connection.faults.after = () => new Promise<void>((resolve) => (answer = resolve));
    await t.clock.step(1000);
    t.clock.freeze(9000);
    expect(a.state.leadership?.isLeading()).toBe(false);
    answer();
    await t.clock.settle();
    expect([t.clock.pending, a.state.leadership?.isLeading()]).toEqual([0, false]);
    expect(a.logger.lines.at(-1)?.message).toBe('Lost the leadership');
  });

  it('is announced once, whatever is found after it', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    a.logger.lines.length = 0;
    t.hold('b');
    a.connection.faults.before = (call) => (call.verb === 'get' ? t.clock.sleep(milliseconds(1000)) : undefined);
    await t.clock.step(2000);
    t.clock.freeze(8000);
    expect(a.state.leadership?.isLeading()).toBe(false);
    await t.clock.step(10_000);
    await a.state.leadership?.release();
    await a.state.leadership?.abandon();
    const lines = a.logger.lines.filter((line) => line.level === 'error');
    expect(lines).toMatchObject([{ fields: { why: 'the lease was not renewed for 10000 ms' }, message: 'Lost the leadership' }]);
    expect(t.timeline).toEqual(['Normal LeaderElection a became leader', 'Normal LeaderElection a stopped leading']);
    expect(a.counted.filter((line) => line === 'leading false')).toHaveLength(2);
  });

  it.each([
    ['taken by another', 'b', 'taken by b'],
    ['emptied', '', 'cleared'],
  ])('ends immediately when the lease is seen %s', async (_name, holder, why) => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    t.hold(holder);
    await t.clock.step(2000);
    expect(a.state.lostAt).toBe(2000);
    expect(() => a.state.leadership?.assertLeading()).toThrow(why);
    expect(t.spec().holderIdentity).toBe(holder);
  });

  it('is known to the guard as soon as the process continues, before any timer ran', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.step(1000);
    t.clock.freeze(9000);
    expect(() => a.state.leadership?.assertLeading()).toThrow('leadership lost');
    expect(a.state.leadership?.leading.aborted).toBe(true);
    await t.clock.step(60_000);
    expect(t.api.calls.map((call) => call.verb)).toEqual(['get', 'create']);
  });

  it('is not lost by a jump of the wall clock, on either side', async () => {
    const t = setUp();
    const [a, b] = [t.candidate('a'), t.candidate('b')];
    a.start();
    await t.clock.settle();
    b.start();
    for (const jump of [86_400_000, -200_000_000, 3_600_000]) {
      t.clock.jumpWallClock(jump);
      await t.clock.step(30_000);
    }
    expect([a.state.lostAt, b.state.acquiredAt]).toEqual([undefined, undefined]);
  });
});

describe('releasing', () => {
  it('stops leading first, then empties the lease, which another candidate takes at its next attempt', async () => {
    const t = setUp();
    const [a, b] = [t.candidate('a'), t.candidate('b')];
    a.start();
    await t.clock.settle();
    b.start();
    await t.clock.step(6500);
    let leadingAtRelease: boolean | undefined;
    a.connection.faults.before = (call) => {
      if (call.verb === 'update') leadingAtRelease = a.state.leadership?.isLeading();
    };
    await a.state.leadership?.release();
    expect(leadingAtRelease).toBe(false);
    expect(t.spec()).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
      renewTime: '2025-01-01T00:00:06.500000Z',
    });
    await t.clock.step(2000);
    expect(b.state.acquiredAt).toBe(8000);
    expect(t.spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(t.timeline).toEqual([
      'Normal LeaderElection a became leader',
      'Normal LeaderElection a stopped leading',
      'Normal LeaderElection b became leader',
    ]);
  });

  it('prevails over a renewal that was under way', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    a.connection.faults.after = () => t.clock.sleep(milliseconds(100));
    await t.clock.step(2050);
    const released = a.state.leadership?.release();
    await t.clock.step(1000);
    await released;
    expect(t.spec().holderIdentity).toBe('');
  });

  it('leaves a lease alone that this candidate no longer holds', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    t.hold('b');
    await a.state.leadership?.release();
    expect(t.spec().holderIdentity).toBe('b');
    const c = t.candidate('c');
    t.hold('');
    c.start();
    await t.clock.settle();
    t.clock.freeze(10_000);
    await c.state.leadership?.release();
    expect(t.spec().holderIdentity).toBe('c');
  });

  it('does not fail when the server does', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    a.connection.faults.before = down;
    await a.state.leadership?.release();
    expect(a.logger.lines.at(-1)).toMatchObject({
      level: 'warn',
      fields: { error: failures.unreachable() },
      message: 'Failed to release the lease; it will expire',
    });
    expect(t.clock.pending).toBe(0);
  });

  it('is given up after the renew deadline, however often it could be retried', async () => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    a.connection.faults.before = () => t.clock.sleep(seconds(4));
    a.connection.faults.arrive = (call) => {
      if (call.verb === 'update') throw failures.conflict(leases, key.name, 'changed');
    };
    let releasedAt: number | undefined;
    void a.state.leadership?.release().then(() => (releasedAt = t.clock.monotonic()));
    await t.clock.step(60_000);
    expect(releasedAt).toBe(10_000);
    const failure = { kind: 'Unreachable', cause: undefined };
    const error = { message: 'the lease was not released in time', failure };
    expect(a.logger.lines.at(-1)).toMatchObject({ fields: { error }, message: 'Failed to release the lease; it will expire' });
  });

  it.each([
    { way: 'release', why: 'the leadership was released', last: 'Released the lease' },
    { way: 'abandon', why: 'the leadership was abandoned', last: 'Became the leader' },
  ] as const)('by $way is announced to every writer, and logged when the lease is released', async ({ way, why, last }) => {
    const t = setUp();
    const a = t.candidate('a');
    a.start();
    await t.clock.settle();
    await a.state.leadership?.[way]();
    expect(() => a.state.leadership?.assertLeading()).toThrow(why);
    expect(a.logger.lines.at(-1)).toMatchObject({ level: 'info', message: last });
  });
});

describe('two candidates', () => {
  it('never lead at the same time, under any partitions, delays, freezes and releases', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const t = setUp();
      let state = seed * 2654435761;
      const random = (): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
      };
      const leaders: Leadership[] = [];
      let acquired = 0;
      const participate = (name: string): { shake: () => void } => {
        const connection = t.api.connect(name);
        const clock = new StoppableClock(t.clock);
        const run = async (): Promise<void> => {
          for (let index = 0; ; index++) {
            const elector = new LeaderElector(
              { lease: key, identity: `${name}-${index}`, ...timing },
              { client: connection, clock, logger: silentLogger(), random },
            );
            const leadership = await elector.acquire(new AbortController().signal);
            expect(leaders.filter((leader) => leader.isLeading())).toEqual([]);
            acquired++;
            leaders.push(leadership);
            leadership.leading.addEventListener('abort', () => leaders.splice(leaders.indexOf(leadership), 1));
            if (random() < 0.3) {
              await t.clock.sleep(seconds(random() * 40));
              await leadership.release();
            } else await new Promise((resolve) => leadership.leading.addEventListener('abort', resolve));
          }
        };
        void run();
        const shake = (): void => {
          const mood = random();
          const late = (): Promise<void> => t.clock.sleep(milliseconds(random() * 9000));
          const faults: FakeFaults =
            mood < 0.25
              ? { before: down }
              : mood < 0.4
                ? { after: down }
                : mood < 0.55
                  ? { before: late }
                  : mood < 0.7
                    ? { after: late }
                    : {};
          if (random() < 0.2) clock.stopFor(random() * 30_000);
          connection.faults = {
            ...faults,
            after: async (call) => {
              await clock.going();
              await faults.after?.(call);
            },
          };
        };
        return { shake };
      };
      const parties = [participate('a'), participate('b'), participate('c')];
      for (let round = 0; round < 40; round++) {
        for (const party of parties) party.shake();
        await t.clock.step(random() * 20_000);
        if (random() < 0.2) t.clock.freeze(random() * 20_000);
        expect(leaders.filter((leader) => leader.isLeading()).length).toBeLessThanOrEqual(1);
      }
      expect(acquired).toBeGreaterThan(3);
    }
  });
});

describe('the configuration', () => {
  it.each<[string, Partial<ElectionConfig>, RegExp | undefined]>([
    ['the usual numbers', {}, undefined],
    ['a lease of one second', { leaseDuration: seconds(1), renewDeadline: milliseconds(999), retryPeriod: milliseconds(100) }, undefined],
    ['a deadline as long as the lease', { renewDeadline: seconds(15) }, /lease duration in whole seconds must be longer/],
    [
      'a deadline beyond the whole seconds that are written',
      { leaseDuration: milliseconds(10_900), renewDeadline: milliseconds(10_500) },
      /whole seconds/,
    ],
    ['a period too close to the deadline', { retryPeriod: milliseconds(8334) }, /1.2 x the retry period/],
    [
      'a lease below a second',
      { leaseDuration: milliseconds(999), renewDeadline: milliseconds(500), retryPeriod: milliseconds(100) },
      /at least 1 s/,
    ],
    ['no period', { retryPeriod: milliseconds(0) }, /retry period must be above 0/],
    ['no deadline', { renewDeadline: milliseconds(0) }, /renew deadline must be above 0/],
    ['no identity', { identity: '' }, /identity must not be empty/],
    ['a period that is as close as that', { renewDeadline: seconds(6), retryPeriod: seconds(5) }, /1.2 x the retry period/],
    ['no lease', { lease: { namespace: '', name: '' } }, /needs a namespace and a name/],
    ['a lease without name', { lease: { namespace: 'n', name: '' } }, /needs a namespace and a name/],
    ['a lease without namespace', { lease: { namespace: '', name: 'l' } }, /needs a namespace and a name/],
  ])('with %s is checked', (_name, change, fault) => {
    const config = { lease: key, identity: 'a', ...timing, ...change };
    const faults = validateElection(config).join('; ');
    expect(faults).toMatch(fault ?? /^$/);
    const make = () => new LeaderElector(config, { client: new FakeApi(), clock: new FakeClock(), logger: silentLogger() });
    if (fault === undefined) expect(make).not.toThrow();
    else expect(make).toThrow(fault);
  });
});
