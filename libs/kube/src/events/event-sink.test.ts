import { seconds, type KubeObject } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../api-error.ts';
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
  it('creates the first event and patches the count of those that follow', async () => {
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

  it('creates an event anew that the server has forgotten', async () => {
    const t = setUp();
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    const [event] = t.api.peekAll(coreEvents);
    await t.api.delete(coreEvents, { namespace: 'ns', name: event?.metadata.name ?? '' });
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.settle();
    expect(t.events()).toEqual(['ns: Normal R m x2']);
  });

  it('neither waits nor throws, whatever it is given', async () => {
    const t = setUp();
    t.api.faults.before = () => new Promise(() => undefined);
    t.recorder.event(pod, 'Normal', 'R', 'm');
    t.recorder.event({ metadata: { name: 'a' } }, 'Normal', 'R', 'm');
    t.recorder.event(undefined as unknown as KubeObject, 'Normal', 'R', 'm');
    t.recorder.event(pod, 'Normal', 'R', undefined as unknown as string);
    expect(t.api.calls).toEqual([]);
    expect(t.logger.lines.map((line) => line.message)).toEqual([
      'event about an object without kind dropped',
      'event could not be made',
      'event could not be made',
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
  it('is tried again, in order, until it does', async () => {
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

  it('costs an event after 12 tries, and the next one begins anew', async () => {
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
    expect(t.logger.lines.map((line) => line.message)).toEqual(['event lost', 'events were lost']);
  });

  it('that took the event before its answer was lost, is not complained about', async () => {
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

  it('and one that refuses are not the same: refused once is refused', async () => {
    const t = setUp();
    t.api.faults.before = () => {
      throw new ApiError('namespace is being terminated', { kind: 'Forbidden' }, { code: 403 });
    };
    t.recorder.event(pod, 'Normal', 'R', 'm');
    await t.clock.step(100_000);
    expect(t.api.calls).toHaveLength(1);
    expect(t.logger.lines.map((line) => line.message)).toEqual(['event refused']);
  });
});

describe('bounds', () => {
  it('drops events beyond the queue and says so once', async () => {
    const t = setUp({ queued: 3 });
    for (let count = 0; count < 10; count++)
      t.recorder.event({ ...pod, metadata: { name: `p${count}`, namespace: 'ns' } }, 'Normal', 'R', 'm');
    expect(t.sink.waiting).toBe(3);
    await t.clock.settle();
    expect(t.events()).toHaveLength(3);
    expect(t.logger.lines).toEqual([
      { level: 'warn', fields: { reason: 'R', closed: false }, message: 'events are dropped' },
      { level: 'warn', fields: { count: 7 }, message: 'events were lost' },
    ]);
  });
});

describe('stopping', () => {
  it('writes what waits and takes nothing more', async () => {
    const t = setUp();
    t.recorder.event(pod, 'Normal', 'R', 'last');
    const stopped = t.sink.stop();
    t.recorder.event(pod, 'Normal', 'R', 'late');
    await stopped;
    await t.clock.settle();
    expect([t.events(), t.clock.pending]).toEqual([['ns: Normal R last x1'], 0]);
  });

  it('does not wait for a server that is away', async () => {
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
    expect(t.clock.pending).toBe(0);
    expect(t.logger.lines.at(-1)).toMatchObject({ fields: { count: 2 }, message: 'events were lost' });
  });
});
