import { expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { pods } from '@kruise/objects';
import { Refusals, type Refusal } from './refusals.testing.ts';

const refusal: Refusal = { verb: 'change', resource: 'pods', subresource: '', slot: 1, answer: 'Forbidden', duration: 'lasting' };
const patch = {
  verb: 'patch',
  type: pods,
  key: { namespace: 'default', name: 'web-1' },
  subresource: '',
  body: {},
  from: 'manager',
} as const;
const slotOf = ({ key }: { readonly key: { readonly name: string } }): number => Number(key.name.slice(-1));

function refusals(clock = new FakeClock()): { readonly held: Refusals; readonly isRefused: (call?: object) => boolean } {
  const held = new Refusals(clock, slotOf);
  const isRefused = (call: object = patch): boolean => {
    try {
      held.before({ ...patch, ...call });
      return false;
    } catch {
      return true;
    }
  };
  return { held, isRefused };
}

it.each([
  ['another verb', { verb: 'delete' }],
  ['another resource', { type: undefined }],
  ['another part of the object', { subresource: 'status' }],
  ['another slot', { key: { namespace: 'default', name: 'web-2' } }],
])('applies to its writes alone, not to %s', (_name, other) => {
  const { held, isRefused } = refusals();
  held.add(refusal);
  expect([isRefused(), isRefused({ verb: 'update' }), isRefused(other)]).toEqual([true, true, false]);
});

it.each<[Refusal['duration'], readonly boolean[]]>([
  ['once', [true, false, false]],
  ['brief', [true, true, false]],
  ['lasting', [true, true, true]],
])('is in force %s', async (duration, expected) => {
  const clock = new FakeClock();
  const { held, isRefused } = refusals(clock);
  held.add({ ...refusal, duration });
  const seen = [isRefused(), isRefused()];
  await clock.step(6000);
  expect([...seen, isRefused()]).toEqual(expected);
  held.clear();
  expect(isRefused()).toBe(false);
});

it('loses an answer after the write, and counts it', () => {
  const { held, isRefused } = refusals();
  held.add({ ...refusal, slot: 'all', answer: 'LostAnswer', duration: 'once' });
  expect(isRefused()).toBe(false);
  expect(() => held.after(patch)).toThrow('connection reset');
  expect([held.count, held.hasRefused('pods', 'web-1'), held.hasRefused('pods', 'web-2'), held.hasRefused('nodes', 'web-1')]).toEqual([
    1,
    true,
    false,
    false,
  ]);
});

it('counts refused calls by what they write', async () => {
  const clock = new FakeClock();
  const { held, isRefused } = refusals(clock);
  held.add(refusal);
  isRefused();
  await clock.step(1000);
  isRefused();
  isRefused({ verb: 'update' });
  expect(held.since(clock.now() - 1000)).toEqual({
    total: 2,
    byObject: new Map([
      ['patch pods/ web-1', 1],
      ['update pods/ web-1', 1],
    ]),
  });
});

it('knows whether a write is refused until the recovery', () => {
  const { held } = refusals();
  held.add({ ...refusal, duration: 'brief' });
  expect(held.isLasting(refusal)).toBe(false);
  held.add(refusal);
  expect([held.isLasting(refusal), held.isLasting({ ...refusal, subresource: 'status' })]).toEqual([true, false]);
});

it.each([
  ['the answer to a call that changed something was lost', true, 3_000],
  ['the server refused the call', false, 2_000],
])('keeps news back for 2 s from the last loss: %s a second later', async (_name, wasCarriedOut, releasedAfterMs) => {
  const clock = new FakeClock();
  const began = clock.now();
  let releasedAt: number | undefined;
  const connection = { hold: () => undefined, release: () => void (releasedAt ??= clock.now()) };
  const held = new Refusals(clock, slotOf, connection);
  held.add({ ...refusal, answer: 'LostAnswer' });
  held.before(patch);
  for (let second = 1; second <= 5; second++) {
    await clock.step(1000);
    if (second === 1) {
      held.before(patch);
      if (wasCarriedOut) expect(() => held.after(patch)).toThrow('connection reset');
    }
    held.passOnNews();
  }
  expect((releasedAt ?? 0) - began).toBe(releasedAfterMs);
});
