import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { newEvent, type ObjectReference } from './core-event.ts';
import { EventCorrelator, type CorrelatorLimits } from './event-correlator.ts';

function setUp(limits: CorrelatorLimits = {}) {
  const clock = new FakeClock();
  const correlator = new EventCorrelator(clock, limits);
  let serial = 0;
  const send = (message: string, change: { reason?: string; about?: Partial<ObjectReference>; component?: string } = {}): string => {
    const about = { kind: 'Pod', name: 'a', namespace: 'ns', uid: 'u', ...change.about };
    const event = newEvent(
      { about, type: 'Normal', reason: change.reason ?? 'R', message, component: change.component ?? 'c' },
      clock.now(),
      serial++,
    );
    const result = correlator.correlate(event);
    return result.kind === 'Drop' ? 'Drop' : `${result.kind} ${result.event.message} x${result.event.count}`;
  };
  return { clock, correlator, send };
}

/** Sends one message after the other. */
const similar = (send: (message: string) => string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => send(`m${index + 1}`));

describe('identical events', () => {
  it('increase the count under the name and first time of the first', async () => {
    const t = setUp();
    const about = { kind: 'Pod', name: 'a' };
    const make = (serial: number) => newEvent({ about, type: 'Normal', reason: 'R', message: 'm', component: 'c' }, t.clock.now(), serial);
    const first = t.correlator.correlate(make(1));
    await t.clock.step(5000);
    const second = t.correlator.correlate(make(2));
    expect(first).toMatchObject({ kind: 'Create', event: { count: 1 } });
    expect(second).toMatchObject({
      kind: 'CountUp',
      event: {
        count: 2,
        firstTimestamp: '2025-01-01T00:00:00Z',
        lastTimestamp: '2025-01-01T00:00:05Z',
        metadata: { name: first.kind === 'Create' ? first.event.metadata.name : '' },
      },
    });
  });

  it.each([
    ['reason', { reason: 'Other' }],
    ['object', { about: { uid: 'other' } }],
    ['kind', { about: { kind: 'Node' } }],
    ['field', { about: { fieldPath: 'spec.containers{main}' } }],
    ['source', { component: 'other' }],
    ['where the namespace ends and the name begins', { about: { namespace: 'n', name: 'sa' } }],
  ])('differ by %s', (_name, change) => {
    const t = setUp();
    expect([t.send('m'), t.send('m', change), t.send('m')]).toEqual(['Create m x1', 'Create m x1', 'CountUp m x2']);
  });

  it('are distinguished by the message and not by the version of the object', () => {
    const t = setUp();
    expect([t.send('m'), t.send('n'), t.send('m', { about: { resourceVersion: '9' } })]).toEqual([
      'Create m x1',
      'Create n x1',
      'CountUp m x2',
    ]);
  });
});

describe('similar events', () => {
  it('become one from the tenth message on, whose count increases from there', () => {
    const t = setUp();
    const results = similar(t.send, 12);
    expect(results.slice(0, 9)).toEqual(results.slice(0, 9).map((_, index) => `Create m${index + 1} x1`));
    expect(results.slice(9)).toEqual([
      'Create (combined from similar events): m10 x1',
      'CountUp (combined from similar events): m11 x2',
      'CountUp (combined from similar events): m12 x3',
    ]);
  });

  it('stay one as long as they come within ten minutes of each other', async () => {
    const t = setUp();
    await t.clock.step(3_600_000);
    similar(t.send, 10);
    await t.clock.step(600_000);
    expect(t.send('m11')).toBe('CountUp (combined from similar events): m11 x2');
    await t.clock.step(600_001);
    expect(t.send('m12')).toBe('Create m12 x1');
  });

  it('are joined for each source, object, type and reason', () => {
    const t = setUp();
    similar(t.send, 10);
    expect(t.send('m11', { about: { name: 'b', uid: 'v' } })).toBe('Create m11 x1');
    expect(t.send('m11', { reason: 'Other' })).toBe('Create m11 x1');
    expect(t.send('m11')).toBe('CountUp (combined from similar events): m11 x2');
  });

  it('are reported separately when they were among the last nine, as the number of messages stays the same', () => {
    const t = setUp();
    similar(t.send, 12);
    expect([t.send('m4'), t.send('m3')]).toEqual(['CountUp m4 x2', 'CountUp (combined from similar events): m3 x4']);
  });

  it('are few messages however often they occur', () => {
    const t = setUp();
    for (let round = 0; round < 2; round++) for (let message = 1; message <= 9; message++) t.send(`m${message}`);
    expect(t.send('m1')).toBe('CountUp m1 x3');
  });

  it('keep their message within the limit', () => {
    const t = setUp({ similarEvents: 1 });
    expect(t.send('x'.repeat(5000))).toMatch(/^Create \(combined from similar events\): x{989}\.\.\. x1$/);
  });
});

describe('too many events about an object', () => {
  it('pass 25 at once and then one in five minutes, whatever their reasons', async () => {
    const t = setUp();
    const results = Array.from({ length: 30 }, (_, index) => t.send('m', { reason: `R${index % 3}` }));
    expect(results.filter((result) => result !== 'Drop')).toHaveLength(25);
    await t.clock.step(299_999);
    expect(t.send('m')).toBe('Drop');
    await t.clock.step(1);
    expect([t.send('m'), t.send('m')]).toEqual(['CountUp m x2', 'Drop']);
    expect(t.send('m', { about: { uid: 'other' } })).toBe('Create m x1');
    expect(t.send('m', { component: 'other' })).toBe('Create m x1');
  });
});

describe('memory', () => {
  it('is bounded: the least recently used entries are removed', () => {
    const t = setUp({ remembered: 2 });
    t.send('m', { about: { uid: '1' } });
    t.send('m', { about: { uid: '2' } });
    t.send('m', { about: { uid: '1' } });
    t.send('m', { about: { uid: '3' } });
    expect([t.send('m', { about: { uid: '1' } }), t.send('m', { about: { uid: '2' } })]).toEqual(['CountUp m x3', 'Create m x1']);
  });
});
