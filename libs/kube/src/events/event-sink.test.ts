import { milliseconds, seconds, type KubeObject } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { ApiError, type Failure } from '../api-error.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { coreEvents } from './core-event.ts';
import { EventSink, type EventSinkOptions } from './event-sink.ts';

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'ns', uid: 'u' } };

function setUp(options: Partial<EventSinkOptions> = {}) {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const logger = silentLogger();
  const sink = new EventSink({ client: api, clock, logger, random: () => 0.5, ...options });
  const events = () =>
    api.peekAll(coreEvents).map((event) => `${event.metadata.namespace}: ${event.type} ${event.reason} ${event.message} x${event.count}`);
  return { clock, api, logger, sink, recorder: sink.recorder('cloneset-controller'), events };
}

describe('recording', () => {
  it('creates the first event and patches the count for the following ones', async () => {
    const t = setUp();
    for (let time = 0; time < 3; time++) {
      t.recorder.event(pod, 'Normal', 'Created', 'made it');
      await t.clock.step(1000);
    }
    expect(t.events()).toEqual(['ns: Normal Created made it x3']);
    expect(t.api.calls.map((call) => call.verb)).toEqual(['create', 'patch', 'patch']);
    expect(t.api.calls[1]?.body).toEqual({ count: 2, lastTimestamp: '2025-01-01T00:00:01Z', message: 'made it' });
    expect(t.api.peekAll(coreEvents)[0]).toMatchObject({
      reportingComponent: 'cloneset-controller',
      source: { component: 'cloneset-controller' },
      involvedObject: { uid: 'u' },
    });
  });

  it('puts events about cluster-scoped objects into default, and takes a plain reference', async () => {
    const t = setUp();
    t.recorder.event({ kind: 'Node', metadata: { name: 'n1' } }, 'Warning', 'R', 'm');
    t.recorder.event({ kind: 'Pod', name: 'b', namespace: 'other' }, 'Normal', 'R', 'm');
    await t.clock.settle();
    expect(t.events()).toEqual(['default: Warning R m x1', 'other: Normal R m x1']);
  });

  it.each([
    { options: { host: 'node-1' }, source: { component: 'cloneset-controller', host: 'node-1' }, reportingInstance: 'node-1' },
    { options: {}, source: { component: 'cloneset-controller' }, reportingInstance: '' },
  ])('contains with $options the process that an event comes from', async ({ options, source, reportingInstance }) => {
    const t = setUp(options);
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    const [event] = t.api.peekAll(coreEvents);
    expect([event?.source, event?.reportingInstance]).toStrictEqual([source, reportingInstance]);
  });

  it('raises the count with a patch that every server merges, and that can be aborted', async () => {
    const given: unknown[] = [];
    const client = {
      create: async <T>(_type: unknown, object: T) => object,
      patch: async (_type: unknown, _key: unknown, _patch: unknown, options: unknown) => void given.push(options) as never,
    };
    const t = setUp({ client });
    for (let time = 0; time < 2; time++) t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    expect(given).toEqual([{ type: 'strategic', signal: expect.any(AbortSignal) }]);
  });

  it('does not create a second event while it cannot raise the count', async () => {
    const t = setUp();
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    t.api.faults.before = () => {
      throw failures.unreachable();
    };
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    t.api.faults = {};
    await t.clock.step(5000);
    expect([t.events(), t.api.calls.map((call) => call.verb)]).toEqual([['ns: Normal R m x2'], ['create', 'patch', 'patch']]);
  });

  it('drops those beyond 25 about one object, and continues with others', async () => {
    const t = setUp();
    for (let time = 0; time < 30; time++) t.recorder.event(pod, 'Normal', 'R', 'm');
    t.recorder.event({ ...pod, metadata: { name: 'b', namespace: 'ns' } }, 'Normal', 'R', 'm');
    await t.clock.settle(100);
    expect([t.events(), t.logger.lines]).toEqual([['ns: Normal R m x25', 'ns: Normal R m x1'], []]);
  });

  it('creates an event again that the server has removed', async () => {
    const t = setUp();
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    const [event] = t.api.peekAll(coreEvents);
    await t.api.delete(coreEvents, { namespace: 'ns', name: event?.metadata.name ?? '' });
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    expect(t.events()).toEqual(['ns: Normal R m x2']);
  });

  it('neither waits nor throws, whatever its input', async () => {
    const t = setUp();
    t.api.faults.before = () => new Promise(() => undefined);
    t.recorder.event(pod, 'Normal', 'R', 'm');
    t.recorder.event({ metadata: { name: 'a' } }, 'Normal', 'R', 'm');
    t.recorder.event(undefined as unknown as KubeObject, 'Normal', 'R', 'm');
    t.recorder.event(pod, 'Normal', 'R', undefined as unknown as string);
    expect(t.api.calls).toEqual([]);
    const fields = { component: 'cloneset-controller', type: 'Normal', reason: 'R' };
    const error = expect.objectContaining({ name: 'TypeError' });
    expect(t.logger.lines).toEqual([
      { level: 'warn', fields: { ...fields, message: 'm' }, message: 'Dropped an event about an object without kind' },
      { level: 'error', fields: { ...fields, message: 'm', error }, message: 'Failed to create an event' },
      { level: 'error', fields: { ...fields, message: undefined, error }, message: 'Failed to create an event' },
    ]);
    const stopped = t.sink.stop(seconds(1));
    await t.clock.step(1000);
    await stopped;
  });

  it('joins similar events on the server', async () => {
    const t = setUp();
    for (let message = 1; message <= 15; message++) t.recorder.event(pod, 'Normal', 'R', `pod ${message}`);
    await t.clock.settle(100);
    expect(t.events()).toHaveLength(10);
    expect(t.events()).toContain('ns: Normal R (combined from similar events): pod 15 x6');
  });
});

describe('a server that does not answer', () => {
  it('is retried, in order, until it answers', async () => {
    const t = setUp();
    t.api.faults.before = () => {
      throw failures.unreachable();
    };
    t.recorder.event(pod, 'Normal', 'R', 'first');
    t.recorder.event(pod, 'Normal', 'R', 'second');
    await t.clock.step(5000 + 2 * 10_000 - 1);
    expect(t.api.calls).toHaveLength(3);
    t.api.faults = {};
    await t.clock.step(1);
    expect(t.events()).toEqual(['ns: Normal R first x1', 'ns: Normal R second x1']);
  });

  it('causes an event to be dropped after 12 attempts, and the next one starts over', async () => {
    const t = setUp();
    t.api.faults.before = () => {
      throw failures.serverError(503);
    };
    t.recorder.event(pod, 'Normal', 'R', 'lost');
    await t.clock.step(1_000_000);
    expect(t.api.calls).toHaveLength(12);
    t.api.faults = {};
    t.recorder.event(pod, 'Normal', 'R', 'kept');
    await t.clock.settle();
    expect(t.events()).toEqual(['ns: Normal R kept x1']);
    const error = failures.serverError(503);
    expect(t.logger.lines).toEqual([
      { level: 'warn', fields: { object: 'Pod ns/a', reason: 'R', error, tries: 12 }, message: 'Failed to write an event' },
      { level: 'warn', fields: { count: 1 }, message: 'Dropped events' },
    ]);
  });

  it.each<{ failure: Failure | undefined; tries: number }>([
    { failure: { kind: 'Unreachable', cause: undefined }, tries: 2 },
    { failure: { kind: 'TooManyRequests', retryAfter: milliseconds(0) }, tries: 2 },
    { failure: { kind: 'ServerError', status: 500 }, tries: 2 },
    { failure: { kind: 'ServerError', status: 503 }, tries: 2 },
    { failure: { kind: 'ServerError', status: 499 }, tries: 1 },
    { failure: { kind: 'Invalid', causes: [] }, tries: 1 },
    { failure: { kind: 'NotFound' }, tries: 1 },
    { failure: { kind: 'Conflict' }, tries: 1 },
    { failure: undefined, tries: 2 },
  ])('receives an event $tries times after $failure', async ({ failure, tries }) => {
    const t = setUp();
    t.api.faults.before = () => {
      throw failure === undefined ? new Error('no ApiError') : new ApiError('failed', failure);
    };
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.step(10_000);
    expect(t.api.calls).toHaveLength(tries);
  });

  it('that stored the event before its answer was lost causes no log line', async () => {
    const t = setUp();
    t.api.faults.after = () => {
      throw failures.unreachable();
    };
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    t.api.faults = {};
    await t.clock.step(5000);
    expect([t.events(), t.logger.lines]).toEqual([['ns: Normal R m x1'], []]);
  });

  it('and one that refuses differ: a refusal is final', async () => {
    const t = setUp();
    t.api.faults.before = () => {
      throw new ApiError('namespace is being terminated', { kind: 'Forbidden' }, { code: 403 });
    };
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.step(100_000);
    expect(t.api.calls).toHaveLength(1);
    const error = new ApiError('namespace is being terminated', { kind: 'Forbidden' });
    expect(t.logger.lines).toEqual([
      { level: 'warn', fields: { object: 'Pod ns/a', reason: 'R', error }, message: 'The API server refused an event' },
    ]);
  });
});

describe('bounds', () => {
  it('drops events beyond the queue and logs it once', async () => {
    const t = setUp({ queued: 3 });
    for (let count = 0; count < 10; count++)
      t.recorder.event({ ...pod, metadata: { name: `p${count}`, namespace: 'ns' } }, 'Normal', 'R', 'm');
    expect(t.sink.waiting).toBe(3);
    await t.clock.settle();
    expect(t.events()).toHaveLength(3);
    expect(t.logger.lines).toEqual([
      { level: 'warn', fields: { reason: 'R', closed: false }, message: 'Dropping events' },
      { level: 'warn', fields: { count: 7 }, message: 'Dropped events' },
    ]);
  });
});

describe('stopping', () => {
  it('writes the waiting events and accepts no more', async () => {
    const t = setUp();
    t.recorder.event(pod, 'Normal', 'R', 'last');
    const stopped = t.sink.stop();
    t.recorder.event(pod, 'Normal', 'R', 'late');
    await stopped;
    await t.clock.settle();
    expect([t.events(), t.clock.pending]).toEqual([['ns: Normal R last x1'], 0]);
  });

  it('does not wait for an unreachable server', async () => {
    const t = setUp();
    t.api.faults.before = () => {
      throw failures.unreachable();
    };
    t.recorder.event(pod, 'Normal', 'R', 'a');
    t.recorder.event(pod, 'Normal', 'R', 'b');
    await t.clock.settle();
    const stopped = t.sink.stop(seconds(2));
    await t.clock.step(2000);
    await stopped;
    expect([t.clock.pending, t.api.calls.length]).toEqual([0, 1]);
    expect(t.logger.lines.map(({ message }) => message)).toEqual(['Failed to write an event', 'Dropped events']);
    expect(t.logger.lines.at(-1)?.fields).toEqual({ count: 2 });
  });

  it('aborts the call in progress, as a call that its caller aborted', async () => {
    const reasons: unknown[] = [];
    const create = (_type: unknown, _object: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<never> =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason as Error);
        }),
      );
    const t = setUp({ client: { create, patch: () => Promise.reject(new Error('unexpected')) } });
    t.recorder.event(pod, 'Normal', 'R', 'm');
    const stopped = t.sink.stop(seconds(1));
    await t.clock.step(1000);
    await stopped;
    expect(reasons).toEqual([expect.objectContaining({ failure: { kind: 'Aborted' } })]);
  });
});
