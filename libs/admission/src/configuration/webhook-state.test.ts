import { describe, expect, it } from '@jest/globals';
import type { KeyMaterial } from '../certificates/key-material.ts';
import { dueConversions, initialState, isMissing, next, type WebhookEvent, type WebhookState } from './webhook-state.ts';

const nowMs = 1_000_000;
const first: KeyMaterial = { caCert: 'A', cert: 'a', key: 'a' };
const second: KeyMaterial = { caCert: 'B', cert: 'b', key: 'b' };
const error = new Error('no answer');
const done: WebhookEvent = { kind: 'Done', nowMs };
const failed: WebhookEvent = { kind: 'Failed', error, nowMs };
const obtained = (material: KeyMaterial): WebhookEvent => ({ kind: 'Obtained', material, nowMs });
const changed = (definitions: boolean): WebhookEvent => ({ kind: 'ObjectsChanged', definitions });
const need = { reason: 'first' };
const narrowing = { a: { needs: [need] } };
const needs: WebhookEvent = { kind: 'NeedsChanged', narrowing };
const requeue = (atMs: number): WebhookEvent => ({ kind: 'RequeueWanted', atMs });

const after = (events: readonly WebhookEvent[], state = initialState(false, true)): WebhookState => events.reduce(next, state);
const firstSync = [done, obtained(first), done, done];
const write = { kind: 'Write', narrowing: 'AsItIs' };

describe('what comes next', () => {
  it.each<{ name: string; events: readonly WebhookEvent[]; phase: unknown }>([
    { name: 'the first sync begins without a pause', events: [], phase: { kind: 'Pause', untilMs: 0 } },
    { name: 'certificates are obtained first', events: [done], phase: { kind: 'Obtain' } },
    {
      name: 'the first certificate is presented at once',
      events: [done, obtained(first)],
      phase: { kind: 'Install', material: first, isLast: false },
    },
    { name: 'then objects are written', events: [done, obtained(first), done], phase: write },
    { name: 'then a minute passes', events: firstSync, phase: { kind: 'Pause', untilMs: nowMs + 60_000 } },
    { name: 'a change during a pause ends it', events: [...firstSync, changed(true), done], phase: { kind: 'Obtain' } },
    {
      name: 'a change during a sync leaves the pause out',
      events: [done, changed(false), obtained(first), done, done],
      phase: { kind: 'Obtain' },
    },
    { name: 'new needs leave it out, too', events: [done, needs, obtained(first), done, done], phase: { kind: 'Obtain' } },
    {
      name: 'a change before a sync causes no second one',
      events: [changed(true), ...firstSync],
      phase: { kind: 'Pause', untilMs: nowMs + 60_000 },
    },
    {
      name: 'the next sync presents the same certificate again',
      events: [...firstSync, done, obtained(first)],
      phase: { kind: 'Install', material: first, isLast: false },
    },
    {
      name: 'another authority is trusted before it is presented',
      events: [...firstSync, done, obtained(second)],
      phase: { ...write, replacement: second },
    },
    { name: 'and noticed', events: [...firstSync, done, obtained(second), done], phase: { kind: 'AwaitTrust', replacement: second } },
    {
      name: 'then presented',
      events: [...firstSync, done, obtained(second), done, done],
      phase: { kind: 'Install', material: second, isLast: true },
    },
    {
      name: 'and the sync ends',
      events: [...firstSync, done, obtained(second), done, done, done],
      phase: { kind: 'Pause', untilMs: nowMs + 60_000 },
    },
    {
      name: 'a written need ends the pause when its time is over',
      events: [done, obtained(first), done, requeue(nowMs + 9000), requeue(nowMs + 5000), requeue(nowMs + 7000), done],
      phase: { kind: 'Pause', untilMs: nowMs + 5000 },
    },
    {
      name: 'a time that has passed causes a short pause',
      events: [done, obtained(first), done, requeue(nowMs - 1), done],
      phase: { kind: 'Pause', untilMs: nowMs + 20 },
    },
    {
      name: 'times of earlier syncs do not count',
      events: [done, obtained(first), requeue(nowMs + 5000), done, done],
      phase: { kind: 'Pause', untilMs: nowMs + 60_000 },
    },
  ])('$name', ({ events, phase }) => {
    expect(after(events).phase).toEqual(phase);
  });

  it('is a check only, with certificates from outside', () => {
    const outside = initialState(true, true);
    expect(after([done, obtained(first), done], outside).phase).toEqual({ kind: 'Check' });
    const synced = after(firstSync, outside);
    expect(synced).toMatchObject({ initialised: true, narrowing: undefined });
    // No object is written for another authority, so nothing is waited for.
    expect(after([done, obtained(second)], synced).phase).toEqual({ kind: 'Install', material: second, isLast: false });
  });

  it('is not decided without certificates', () => {
    expect(() => after([done, done])).toThrow('certificates were not obtained');
  });
});

describe('after a failure', () => {
  it('the sync is repeated with backoff, which a success ends', () => {
    const pauses: unknown[] = [];
    let state = initialState(false, false);
    for (let time = 0; time < 12; time++) {
      state = after([done, failed], state);
      pauses.push(state.phase.kind === 'Pause' ? state.phase.untilMs - nowMs : state.phase.kind);
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
    expect(state).toMatchObject({ failures: 12, lastError: error, initialised: false });
    expect(after(firstSync, state)).toMatchObject({ failures: 0, lastError: undefined, initialised: true });
  });

  it('a change that was reported meanwhile leaves the backoff out', () => {
    expect(after([done, changed(true), failed]).phase).toEqual({ kind: 'Obtain' });
  });

  it('an authority that is due for replacement is still presented, and trusted for a minute more', () => {
    const state = after([...firstSync, done, obtained(second), failed]);
    expect(state.bundles).toEqual({ announced: 'B', serving: 'A', retiring: { caCert: 'A', untilMs: nowMs + 60_000 } });
  });
});

describe('a need is missing', () => {
  const one = { webhook: 'a', need };
  it.each<{ name: string; events: readonly WebhookEvent[]; missing: boolean; narrows?: boolean }>([
    { name: 'not before the server presents a certificate', events: [needs], missing: false },
    { name: 'before the needs are known', events: firstSync, missing: true },
    { name: 'until they are written', events: [...firstSync, needs], missing: true },
    { name: 'not once they are written', events: [...firstSync, needs, ...firstSync], missing: false },
    { name: 'when they changed while they were written', events: [done, obtained(first), done, needs, done], missing: true },
    { name: 'after a failure', events: [needs, ...firstSync, done, failed], missing: true },
    { name: 'never where webhooks are not narrowed', events: [needs, ...firstSync], missing: false, narrows: false },
  ])('$name', ({ events, missing, narrows = true }) => {
    expect(isMissing(after(events, initialState(false, narrows)), one)).toBe(missing);
  });

  it('unless its webhook is called for everything', () => {
    const state = after([needs, ...firstSync]);
    expect(isMissing(state, { webhook: 'b', need })).toBe(false);
    expect(isMissing(state, { webhook: 'a', need: { reason: 'other' } })).toBe(true);
  });
});

it('needs that the API server refused are not used until they change', () => {
  const refused = after([needs, { kind: 'NarrowingRefused', narrowing }]);
  expect(refused.refused).toBe(refused.narrowing);
  expect(after([{ ...needs, narrowing: { ...narrowing } }], refused).refused).toBeUndefined();
});

it('CRDs are written again after another change, for other authorities, and after a minute', () => {
  const conversions = dueConversions(after(firstSync), 'A', nowMs);
  if (conversions === undefined) throw new Error('nothing was due');
  const state = after([{ kind: 'DefinitionsWritten', conversions }, changed(false)], after(firstSync));
  expect(dueConversions(state, 'A', nowMs + 59_999)).toBeUndefined();
  expect(dueConversions(state, 'A', nowMs + 60_000)).toEqual({ bundle: 'A', atMs: nowMs + 60_000, changes: 0 });
  expect(dueConversions(state, 'B A', nowMs)).toMatchObject({ bundle: 'B A' });
  expect(dueConversions(after([changed(true)], state), 'A', nowMs)).toMatchObject({ changes: 1 });
});

it('only writes that callers waited for are paced', () => {
  const written = { kind: 'ConfigurationWritten', name: 'c', write: { basis: '', atMs: 1, restores: 2 }, nowMs } as const;
  expect(after([{ ...written, isUrgent: false }])).toMatchObject({ widenedUntilMs: 0, written: { c: { atMs: nowMs, restores: 2 } } });
  expect(after([{ ...written, isUrgent: true }])).toMatchObject({ widenedUntilMs: nowMs + 500 });
});
