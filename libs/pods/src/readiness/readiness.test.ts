import { describe, expect, it } from '@jest/globals';
import type { Instant, Pod } from '@kruise/objects';
import fc from 'fast-check';
import { aPod, condition, noon, readyConditions } from '../testdata/build.ts';
import { isPodUpdateReady } from './availability.ts';
import {
  type NotReadyKey,
  addNotReadyKey,
  firstKruisePodReady,
  formatNotReadyKeys,
  hasNotReadyKey,
  lacksKruisePodReady,
  parseNotReadyKeys,
  removeNotReadyKey,
} from './kruise-pod-ready.ts';

const gates = ['KruisePodReady'];
const update: NotReadyKey = { userAgent: 'Lifecycle', key: 'preUpdateHook' };
const recreate: NotReadyKey = { userAgent: 'ContainerRecreateRequest', key: 'ns/crr' };
const ready = aPod({ gates, conditions: [condition('KruisePodReady', 'True'), ...readyConditions()] });
const held = (pod: Pod, type = 'KruisePodReady') => pod.status?.conditions?.find((one) => one.type === type);

describe('KruisePodReady', () => {
  it('becomes False with the first key, and so does Ready', () => {
    const out = addNotReadyKey(ready, update, noon);
    expect(held(out)).toMatchObject({
      status: 'False',
      message: '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]',
      lastTransitionTime: '2026-01-02T12:00:00Z',
    });
    expect(held(out, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'ReadinessGatesNotReady',
      message: 'the status of pod readiness gate "KruisePodReady" is not "True", but False',
    });
  });

  it('stays False with the other key when one of two is removed, and is True with [] after the last', () => {
    const both = addNotReadyKey(addNotReadyKey(ready, update, noon), recreate, noon);
    expect(held(both)?.message).toBe(
      '[{"userAgent":"ContainerRecreateRequest","key":"ns/crr"},{"userAgent":"Lifecycle","key":"preUpdateHook"}]',
    );
    const one = removeNotReadyKey(both, recreate, noon);
    expect(held(one)).toMatchObject({ status: 'False', message: '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]' });
    const none = removeNotReadyKey(one, update, noon);
    expect(held(none)).toMatchObject({ status: 'True', message: '[]' });
    expect(held(none, 'Ready')?.status).toBe('False');
  });

  it('adds the condition, with status False, when there is none', () => {
    expect(held(addNotReadyKey(aPod({ gates }), update, noon))?.status).toBe('False');
  });

  it.each<[string, Pod]>([
    ['no gate', aPod({ gates: [], conditions: [condition('KruisePodReady', 'False', { message: formatNotReadyKeys([update]) })] })],
    ['no condition', aPod({ gates })],
    ['another key', addNotReadyKey(aPod({ gates }), recreate, noon)],
    ['an unreadable message', aPod({ gates, conditions: [condition('KruisePodReady', 'False', { message: 'x' })] })],
  ])('removes nothing with %s', (_name, pod) => {
    expect(removeNotReadyKey(pod, update, noon)).toBe(pod);
  });

  it('adds the condition to a Pod without a status, and keeps the rest of a status', () => {
    const bare: Pod = { metadata: { name: 'p' }, spec: { containers: [], readinessGates: [{ conditionType: 'KruisePodReady' }] } };
    expect(addNotReadyKey(bare, update, noon)).toEqual({
      ...bare,
      status: {
        conditions: [
          condition('KruisePodReady', 'False', { message: formatNotReadyKeys([update]), lastTransitionTime: '2026-01-02T12:00:00Z' }),
        ],
      },
    });
    expect(addNotReadyKey(ready, update, noon).status?.phase).toBe('Running');
    expect(removeNotReadyKey(bare, update, noon)).toBe(bare);
  });

  it('becomes False again when a True condition still names the key, which is kept once', () => {
    const stale = aPod({ gates, conditions: [condition('KruisePodReady', 'True', { message: formatNotReadyKeys([update, recreate]) })] });
    expect(hasNotReadyKey(stale, update)).toBe(false);
    expect(held(addNotReadyKey(stale, update, noon))).toMatchObject({ status: 'False', message: formatNotReadyKeys([recreate, update]) });
  });

  it.each<[string, readonly NotReadyKey[], boolean]>([
    ['that key', [update], true],
    ['that key among others', [recreate, update], true],
    ['another key of the same writer', [{ ...update, key: 'x' }], false],
    ['the key of another writer', [{ ...update, userAgent: 'x' }], false],
    ['no key', [], false],
  ])('has a key when its message names %s', (_name, keys, expected) => {
    const pod = aPod({ gates, conditions: [condition('KruisePodReady', 'False', { message: formatNotReadyKeys(keys) })] });
    expect(hasNotReadyKey(pod, update)).toBe(expected);
    expect(addNotReadyKey(pod, update, noon) === pod).toBe(expected);
  });

  it.each([
    [undefined, []],
    ['', []],
    ['[', []],
    ['{}', []],
    [
      '[null,7,{"userAgent":"a"},{"key":"k"},{"userAgent":1,"key":"k"},{"userAgent":"a","key":1},{"userAgent":"a","key":"k"}]',
      [{ userAgent: 'a', key: 'k' }],
    ],
  ])('reads from the message %j only valid keys', (message, keys) => {
    expect(parseNotReadyKeys(message)).toEqual(keys);
  });

  it('keeps the other fields of the condition', () => {
    const pod = aPod({ gates, conditions: [condition('KruisePodReady', 'True', { reason: 'Own' })] });
    expect(held(addNotReadyKey(pod, update, noon))).toMatchObject({ reason: 'Own', status: 'False' });
  });

  it('adds nothing without the gate, nor twice', () => {
    const without = aPod({ gates: [] });
    expect(addNotReadyKey(without, update, noon)).toBe(without);
    const out = addNotReadyKey(ready, update, noon);
    expect(addNotReadyKey(out, update, (noon + 1000) as Instant)).toBe(out);
  });

  it('has the same message in any order of writers, and reads its own output', () => {
    const key = fc.record({ userAgent: fc.string({ maxLength: 3 }), key: fc.string({ maxLength: 3 }) });
    const keys = fc.uniqueArray(key, { selector: (one) => JSON.stringify([one.userAgent, one.key]), maxLength: 5 });
    fc.assert(
      fc.property(keys, (list) => {
        const added = (order: readonly NotReadyKey[]) => held(order.reduce((pod, one) => addNotReadyKey(pod, one, noon), ready))?.message;
        expect(added(list.toReversed())).toBe(added(list));
        expect(parseNotReadyKeys(formatNotReadyKeys(list))).toHaveLength(list.length);
        expect(new Set(parseNotReadyKeys(formatNotReadyKeys(list)).map((one) => JSON.stringify(one)))).toEqual(
          new Set(list.map(({ userAgent, key: own }) => JSON.stringify({ userAgent, key: own }))),
        );
      }),
    );
  });

  it.each<[string, Pod, boolean]>([
    ['a new Pod', aPod({ gates }), true],
    ['a Pod without the gate', aPod({ gates: [] }), false],
    ['a Pod with the condition', ready, false],
    ['a terminating Pod', aPod({ gates, deleting: true }), false],
  ])('%s gets its first condition: %#', (_name, pod, expected) => {
    expect(lacksKruisePodReady(pod)).toBe(expected);
  });

  it('starts as True', () => {
    expect(JSON.stringify(firstKruisePodReady(noon))).toBe(
      '{"status":{"conditions":[{"type":"KruisePodReady","status":"True","lastProbeTime":null,"lastTransitionTime":"2026-01-02T12:00:00Z"}]}}',
    );
  });
});

describe('availability', () => {
  const since = '2026-01-02T11:59:50Z';
  const given = (more: object = {}, extra: readonly object[] = []) => aPod({ conditions: [...readyConditions(since), ...extra], ...more });
  const state = (name: string) => ({ labels: { 'lifecycle.apps.kruise.io/state': name } });

  it.each<[string, Pod, number, boolean]>([
    ['ready, no state', given(), 0, true],
    ['ready, Normal', given(state('Normal')), 0, true],
    ['PreparingNormal', given(state('PreparingNormal')), 0, true],
    ['not running', given({ phase: 'Pending' }), 0, false],
    ['in an update', given({}, [condition('InPlaceUpdateReady', 'False')]), 0, false],
    ['after an update', given({}, [condition('InPlaceUpdateReady', 'True')]), 0, true],
    ['for 10 s of 9', given(), 9, true],
    ['for 10 s of 10', given(), 10, false],
    ['not ready', aPod(), 0, false],
    ['without a status', { metadata: { name: 'p' }, spec: { containers: [] } }, 0, false],
    ['ready, but not known whether it is in an update', given({}, [condition('InPlaceUpdateReady', 'Unknown')]), 0, false],
    ['PreparingDelete', given(state('PreparingDelete')), 0, true],
  ])('%s', (_name, pod, minReadySeconds, updateReady) => {
    expect(isPodUpdateReady(pod, minReadySeconds, noon)).toBe(updateReady);
  });
});
