import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@kruise/kube';
import { apiFailures, FakeClock } from '@kruise/kube/testing';
import { milliseconds, pods } from '@kruise/objects';
import { concernsOneObject, RefusedObjects, type PacedWrite, type Write } from './refused-objects.ts';

const all = (): ReadonlySet<string> => new Set(['a', 'b', 'c']);
const fail = (error: Error) => (): Promise<void> => Promise.reject(error);
const refused = new Error('denied');

describe('refusals', () => {
  it('are noted with their order, and end with the next success', async () => {
    const refusals = new RefusedObjects(new FakeClock());
    for (const subject of ['b', 'a', 'b']) await refusals.attempt('set', [subject], fail(refused)).catch(() => undefined);
    const noted = refusals.of('set', all);
    expect([noted.get('a'), noted.get('b')]).toEqual([2, 3]);
    await refusals.attempt('set', ['a'], () => Promise.resolve());
    expect([...['a', 'b'].map((subject) => refusals.of('set', all).has(subject))]).toEqual([false, true]);
    expect(noted.has('a')).toBe(true);
  });

  it('are passed on', async () => {
    await expect(new RefusedObjects(new FakeClock()).attempt('set', ['a'], fail(refused))).rejects.toBe(refused);
    await expect(new RefusedObjects(new FakeClock()).attempt('set', [], fail(refused))).rejects.toBe(refused);
  });

  it('are no conflicts, and nothing about a deleted object', async () => {
    const refusals = new RefusedObjects(new FakeClock());
    for (const error of [apiFailures.conflict(pods, 'a', 'changed'), apiFailures.notFound(pods, 'a')])
      await refusals.attempt('set', ['a'], fail(error)).catch(() => undefined);
    expect(refusals.of('set', all).size).toBe(0);
  });

  it('name the kinds of action that the API server refuses, and none that only a guard refuses', async () => {
    const refusals = new RefusedObjects(new FakeClock());
    const write = (kind: string): PacedWrite => ({ kind, object: 'a', generation: 1 });
    const kinds = (): readonly string[] => ['UpdatePod', 'DeletePod'].filter((kind) => refusals.isKindRefused('set', kind));
    refusals.note('set', 'a');
    expect(kinds()).toEqual([]);
    await refusals.attempt('set', ['a'], fail(refused), write('UpdatePod')).catch(() => undefined);
    expect(kinds()).toEqual(['UpdatePod']);
    await refusals.attempt('set', ['b'], () => Promise.resolve(), write('UpdatePod'));
    refusals.note('set', 'a');
    expect(kinds()).toEqual(['UpdatePod']);
    await refusals.attempt('set', ['a'], fail(refused), write('DeletePod')).catch(() => undefined);
    expect(kinds()).toEqual(['DeletePod']);
    await refusals.attempt('set', ['a'], () => Promise.resolve(), write('UpdatePod'));
    expect(kinds()).toEqual([]);
  });

  it('leave with their object, and with the owner', () => {
    const refusals = new RefusedObjects(new FakeClock());
    for (const subject of ['a', 'b']) refusals.note('set', subject);
    refusals.note('other', 'c');
    expect(refusals.of('set', () => new Set(['b'])).size).toBe(1);
    expect(refusals.of('set', all).has('a')).toBe(false);
    refusals.forget('set');
    expect(['set', 'other'].map((owner) => refusals.of(owner, all).size)).toEqual([0, 1]);
  });
});

const forbidden = (message: string): ApiError => new ApiError(message, { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden' });

const owner = (uid: string, generation = 1) => ({ metadata: { name: uid, uid, generation } });
const update: Write = { kind: 'UpdatePod', object: 'x' };
const quotaExceeded = forbidden('exceeded quota: few');

function waits(): {
  readonly refusals: RefusedObjects;
  readonly pass: (ms: number) => void;
  /** Refuses the write now. */
  readonly refuse: (write?: Write, error?: Error, generation?: number) => Promise<void>;
  readonly left: (of?: string) => number | undefined;
} {
  let now = 5;
  const refusals = new RefusedObjects({ monotonic: () => milliseconds(now) });
  const refuse = async (write = update, error: Error = refused, generation = 1): Promise<void> => {
    await refusals.attempt('set', [], fail(error), { ...write, generation }).catch(() => undefined);
  };
  return { refusals, pass: (ms) => void (now += ms), refuse, left: (of = 'set') => refusals.shortestWait(of) };
}

describe('a refused write', () => {
  it('waits for 1 s, and for twice as long after each further refusal, up to a minute', async () => {
    const { refusals, pass, refuse, left } = waits();
    const lengths: unknown[] = [];
    for (let time = 0; time < 8; time++) {
      await refuse();
      const length = left() ?? 0;
      lengths.push(length);
      pass(length - 1);
      expect([refusals.waiting('set', update)?.error, left()]).toEqual([refused, 1]);
      pass(1);
      refusals.begin(owner('set'));
      expect([refusals.waiting('set', update), left()]).toEqual([undefined, undefined]);
    }
    expect(lengths).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('repeats the pass immediately when its wait ends after the pass has left it out', async () => {
    const { refusals, pass, refuse, left } = waits();
    await refuse();
    pass(999);
    refusals.begin(owner('set'));
    expect(refusals.waiting('set', update)).toBeDefined();
    pass(1);
    expect(left()).toBe(0);
    refusals.begin(owner('set'));
    expect([refusals.waiting('set', update), left()]).toEqual([undefined, undefined]);
  });

  it('holds back neither another kind of action on its object, nor another object, nor another owner', async () => {
    const { refusals, refuse } = waits();
    await refuse();
    const others: readonly [string, Write][] = [
      ['set', { kind: 'DeletePod', object: 'x' }],
      ['set', { kind: 'UpdatePod', object: 'y' }],
      ['other', update],
    ];
    expect(others.map(([of, write]) => refusals.waiting(of, write))).toEqual([undefined, undefined, undefined]);
    expect([...refusals.waitingObjects('set')]).toEqual(['x']);
  });

  it('is refused since the first refusal in a row', async () => {
    const { refusals, pass, refuse } = waits();
    await refuse();
    pass(1000);
    await refuse();
    expect(refusals.since('set', update)).toBe(5);
    expect(refusals.since('set', { kind: 'DeletePod', object: 'x' })).toBeUndefined();
  });

  it('ends the wait of the owner that is the shortest', async () => {
    const { pass, refuse, left } = waits();
    await refuse();
    pass(400);
    await refuse({ kind: 'UpdatePod', object: 'y' });
    expect([left(), left('other')]).toEqual([600, undefined]);
  });

  it('waits for 1 s again after a success', async () => {
    const { refusals, pass, refuse, left } = waits();
    await refuse();
    pass(1000);
    await refuse();
    await refusals.attempt('set', [], () => Promise.resolve(), { ...update, generation: 1 });
    expect([refusals.waiting('set', update), left()]).toEqual([undefined, undefined]);
    await refuse();
    expect(left()).toBe(1000);
  });

  it('is tried at once after a change of the specification, but comes last', async () => {
    const { refusals, refuse, left } = waits();
    await refuse();
    refusals.note('set', 'x');
    refusals.begin(owner('set'));
    expect(left()).toBe(1000);
    refusals.begin(owner('set', 2));
    expect([left(), refusals.waiting('set', update)]).toEqual([undefined, undefined]);
    expect(refusals.isRefused('set', 'x')).toBe(true);
    await refuse(update, refused, 2);
    refusals.begin(owner('set', 2));
    expect(left()).toBe(1000);
  });

  it('is forgotten when it was not tried for a minute after its wait, and with the owner', async () => {
    const { refusals, pass, refuse, left } = waits();
    await refuse();
    pass(61_000);
    expect(left()).toBeUndefined();
    await refuse();
    expect(left()).toBe(2000);
    pass(62_001);
    expect(left()).toBeUndefined();
    await refuse();
    expect(left()).toBe(1000);
    refusals.forget('set');
    expect([left(), refusals.waiting('set', update)]).toEqual([undefined, undefined]);
  });

  it('of a quota holds back its kind of action for all objects, until one of them frees the quota', async () => {
    const { refusals, pass, refuse, left } = waits();
    const creation = (object: string): Write => ({ kind: 'CreatePod', object });
    const lengths: unknown[] = [];
    for (let time = 0; time < 5; time++) {
      // Those of one pass are one refusal.
      await refuse(creation('a'), quotaExceeded);
      await refuse(creation('b'), quotaExceeded);
      lengths.push(left());
      expect(['a', 'c'].map((name) => refusals.waiting('set', creation(name))?.error)).toEqual([quotaExceeded, quotaExceeded]);
      expect([refusals.waiting('set', update), refusals.waitingObjects('set').size]).toEqual([undefined, 0]);
      pass(left() ?? 0);
    }
    expect(lengths).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(refusals.since('set', creation('c'))).toBe(5);
    await refuse(creation('a'), quotaExceeded);
    await refuse();
    refusals.freed('set');
    refusals.freed('other');
    expect([refusals.waiting('set', creation('a')), refusals.waiting('set', update)?.error]).toEqual([undefined, refused]);
    await refuse(creation('a'), quotaExceeded);
    pass(59_999);
    refusals.begin(owner('set'));
    expect(refusals.waiting('set', creation('b'))?.error).toBe(quotaExceeded);
    await refusals.attempt('set', [], () => Promise.resolve(), { ...creation('c'), generation: 1 });
    await refuse(creation('a'), quotaExceeded);
    expect(left()).toBe(1000);
  });

  it('of a budget holds back its kind of action for all objects, for at most 4 s', async () => {
    const { refusals, pass, refuse, left } = waits();
    const deletion = (object: string): Write => ({ kind: 'RecreatePod', object });
    const error = forbidden('admission webhook "a" denied the request: podunavailablebudget.policy.kruise.io "b" is forbidden: none');
    const lengths: unknown[] = [];
    for (let time = 0; time < 5; time++) {
      await refuse(deletion('a'), error);
      await refuse(deletion('b'), error);
      lengths.push(left());
      expect(['a', 'c'].map((name) => refusals.waiting('set', deletion(name))?.error)).toEqual([error, error]);
      expect([refusals.waiting('set', update), refusals.waitingObjects('set').size]).toEqual([undefined, 0]);
      // An object that no longer counts in quotas makes no Pod available.
      refusals.freed('set');
      expect(refusals.waiting('set', deletion('c'))?.error).toBe(error);
      pass(left() ?? 0);
    }
    expect(lengths).toEqual([1000, 2000, 4000, 4000, 4000]);
    expect(concernsOneObject(error)).toBe(false);
    await refusals.attempt('set', [], () => Promise.resolve(), { ...deletion('c'), generation: 1 });
    await refuse(deletion('a'), error);
    expect(left()).toBe(1000);
  });

  it('waits as long as a busy server requests', async () => {
    const { refuse, left } = waits();
    await refuse(update, new ApiError('slow down', { kind: 'TooManyRequests', retryAfter: milliseconds(7000) }));
    expect(left()).toBe(7000);
  });

  it.each([
    apiFailures.conflict(pods, 'a', 'changed'),
    apiFailures.notFound(pods, 'a'),
    new ApiError('reset', { kind: 'Unreachable', cause: 0 }),
  ])('does not wait after $message: the next pass decides again, or an outage ends', async (error) => {
    const { refuse, left } = waits();
    await refuse(update, error);
    expect(left()).toBeUndefined();
  });
});

describe('a pass in which writes were refused', () => {
  it('comes again when the first wait ends, within a minute, and is no failure when nothing was tried', async () => {
    const { refusals, refuse } = waits();
    expect(refusals.outcome('set', undefined, [undefined])).toEqual({ kind: 'Settled' });
    expect(refusals.outcome('set', refused, [])).toEqual({ kind: 'Retry', error: refused, within: 60_000 });
    await refuse();
    expect(refusals.outcome('set', refused, [milliseconds(5000)])).toEqual({ kind: 'Retry', error: refused, within: 1000 });
    expect(refusals.outcome('set', undefined, [milliseconds(5000)])).toEqual({ kind: 'Requeue', after: 1000 });
    expect(refusals.outcome('set', undefined, [milliseconds(500)])).toEqual({ kind: 'Requeue', after: 500 });
  });

  it('writes the status again when its own wait has ended', async () => {
    const { refusals, pass } = waits();
    let tries = 0;
    const write = (): Promise<void> => {
      tries += 1;
      return tries === 1 ? Promise.reject(refused) : Promise.resolve();
    };
    expect(await refusals.writeStatus(owner('set'), write)).toEqual({ error: refused, fresh: refused });
    expect(await refusals.writeStatus(owner('set'), write)).toEqual({ error: refused });
    expect(tries).toBe(1);
    pass(1000);
    expect(await refusals.writeStatus(owner('set'), write)).toEqual({});
    expect(tries).toBe(2);
  });
});
