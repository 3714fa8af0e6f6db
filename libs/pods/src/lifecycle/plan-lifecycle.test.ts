import { describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { aPod, condition, noon } from '../testdata/build.ts';
import { isAllHooked, isHooked, lifecycleStateOf } from '../lifecycle-state.ts';
import {
  type LifecycleSeen,
  canUndelete,
  planLifecycleForDelete,
  planLifecycleForUpdate,
  planLifecycleRefresh,
  planLifecycleUndelete,
  staleLifecycleKeys,
} from './plan-lifecycle.ts';

const hook = { labelsHandler: { hook: 'on' }, finalizersHandler: ['kruise/hook'] };
const lifecycle: Lifecycle = { inPlaceUpdate: hook };
const inState = (state: string, more: object = {}, labels: object = {}) =>
  aPod({ labels: { ...(state === '' ? {} : { 'lifecycle.apps.kruise.io/state': state }), ...labels }, ...more });
const hooked = (state: string) => inState(state, { finalizers: ['kruise/hook'] }, { hook: 'on' });
const halfHooked = (state: string) => inState(state, {}, { hook: 'on' });
const bare: Pod = { metadata: { name: 'bare' }, spec: { containers: [] } };
const patchTo = (state: string) => ({
  metadata: {
    labels: { 'lifecycle.apps.kruise.io/state': state },
    annotations: { 'lifecycle.apps.kruise.io/timestamp': '2026-01-02T12:00:00Z' },
  },
});

describe('hooks', () => {
  it.each<[string, Parameters<typeof isHooked>[0], ReturnType<typeof aPod>, boolean, boolean]>([
    ['no hook', undefined, hooked('Normal'), false, false],
    ['an empty hook', {}, hooked('Normal'), false, true],
    ['all there', hook, hooked('Normal'), true, true],
    ['one of two', hook, halfHooked('Normal'), true, false],
    ['none', hook, inState('Normal'), false, false],
    ['another value of the label', hook, inState('Normal', {}, { hook: 'off' }), false, false],
    ['only finalizers asked for, and there', { finalizersHandler: ['kruise/hook'] }, hooked('Normal'), true, true],
    ['only finalizers asked for, one of two there', { finalizersHandler: ['kruise/hook', 'b'] }, hooked('Normal'), true, false],
    ['only labels asked for, and there', { labelsHandler: { hook: 'on' } }, halfHooked('Normal'), true, true],
    ['only labels asked for, one of two there', { labelsHandler: { hook: 'on', b: '1' } }, halfHooked('Normal'), true, false],
    ['a Pod without labels and finalizers', hook, bare, false, false],
  ])('%s', (_name, given, pod, ...[any, all]) => {
    expect([isHooked(given, pod), isAllHooked(given, pod)]).toEqual([any, all]);
  });

  it('reads an unknown state as none, and no label as none', () => {
    expect([lifecycleStateOf(inState('Nonsense')), lifecycleStateOf(bare), lifecycleStateOf(inState('Updated'))]).toEqual([
      '',
      '',
      'Updated',
    ]);
  });
});

describe('planLifecycleRefresh', () => {
  const seen: LifecycleSeen = {
    lifecycle: undefined,
    now: noon,
    isOfUpdateRevision: false,
    isUpdateComplete: () => false,
    waitForNode: true,
  };
  const offNode = { nodeName: '' };
  const inPlace = (pod: Pod, nodeName: string): Pod => ({ ...pod, spec: { ...pod.spec, nodeName } });

  it.each<[string, ReturnType<typeof aPod>, Partial<LifecycleSeen>, string | undefined]>([
    ['PreparingNormal without a hook waits for a node', inState('PreparingNormal', offNode), {}, undefined],
    ['PreparingNormal without a hook, on a node', inState('PreparingNormal'), {}, 'Normal'],
    ['PreparingNormal without a hook, with an empty node name', inPlace(inState('PreparingNormal'), ''), {}, undefined],
    ['PreparingNormal of a StatefulSet does not wait', inState('PreparingNormal', offNode), { waitForNode: false }, 'Normal'],
    ['PreparingNormal waits for every preNormal hook', halfHooked('PreparingNormal'), { lifecycle: { preNormal: hook } }, undefined],
    ['PreparingNormal with every preNormal hook', hooked('PreparingNormal'), { lifecycle: { preNormal: hook } }, 'Normal'],
    ['PreparingUpdate waits', inState('PreparingUpdate'), { lifecycle }, undefined],
    ['PreparingUpdate after a rollback, unhooked', inState('PreparingUpdate'), { lifecycle, isOfUpdateRevision: true }, 'Updated'],
    ['PreparingUpdate after a rollback, still hooked', hooked('PreparingUpdate'), { lifecycle, isOfUpdateRevision: true }, 'Normal'],
    ['PreparingUpdate after a rollback, lifecycle gone', inState('PreparingUpdate'), { isOfUpdateRevision: true }, 'Normal'],
    ['Updating goes on', inState('Updating'), { lifecycle }, undefined],
    ['Updating complete, unhooked', inState('Updating'), { lifecycle, isUpdateComplete: () => true }, 'Updated'],
    ['Updating complete, hooked', hooked('Updating'), { lifecycle, isUpdateComplete: () => true }, 'Normal'],
    [
      'Updating complete, only other hooks',
      inState('Updating'),
      { lifecycle: { preDelete: hook }, isUpdateComplete: () => true },
      'Updated',
    ],
    ['Updating complete, no lifecycle', inState('Updating'), { isUpdateComplete: () => true }, 'Normal'],
    ['Updated waits for the hook', halfHooked('Updated'), { lifecycle }, undefined],
    ['Updated without a lifecycle', inState('Updated'), {}, 'Normal'],
    ['Updated with a hook that asks for nothing', inState('Updated'), { lifecycle: { inPlaceUpdate: {} } }, 'Normal'],
    ['Updating complete, half hooked', halfHooked('Updating'), { lifecycle, isUpdateComplete: () => true }, 'Updated'],
    [
      'PreparingNormal with a lifecycle but no preNormal hook waits for a node',
      inState('PreparingNormal', offNode),
      { lifecycle },
      undefined,
    ],
    [
      'PreparingNormal with a preNormal hook needs no node',
      inPlace(hooked('PreparingNormal'), ''),
      { lifecycle: { preNormal: hook } },
      'Normal',
    ],
    ['Updated with the hook', hooked('Updated'), { lifecycle }, 'Normal'],
    ['Updated without a hook', inState('Updated'), { lifecycle: { preDelete: hook } }, 'Normal'],
    ['Normal stays', inState('Normal'), { lifecycle }, undefined],
    ['PreparingDelete stays', inState('PreparingDelete'), { lifecycle }, undefined],
    ['a Pod from before there were states stays', inState(''), { lifecycle }, undefined],
  ])('%s', (_name, pod, more, to) => {
    const step = planLifecycleRefresh(pod, { ...seen, ...more });
    expect(step?.to).toBe(to);
    if (to !== undefined) expect(step?.patch).toEqual(patchTo(to));
  });

  it.each(['Updating', 'Updated', 'PreparingUpdate'])(
    'returns the Pod to service when it leaves %s, whatever the flag is by now',
    (state) => {
      const held = condition('KruisePodReady', 'False', { message: '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]' });
      const step = planLifecycleRefresh(inState(state, { conditions: [held] }), {
        ...seen,
        isOfUpdateRevision: true,
        isUpdateComplete: () => true,
      });
      expect(step).toMatchObject({ to: 'Normal', readiness: { kind: 'RemoveKey', key: { userAgent: 'Lifecycle', key: 'preUpdateHook' } } });
    },
  );
});

describe('planLifecycleRefresh to Updated', () => {
  it('returns the Pod to service while the hook is missing', () => {
    const held = condition('KruisePodReady', 'False', { message: '[{"userAgent":"Lifecycle","key":"preUpdateHook"}]' });
    const pod = inState('Updating', { conditions: [held] });
    const seen = { lifecycle, now: noon, isOfUpdateRevision: true, isUpdateComplete: () => true, waitForNode: true };
    expect(planLifecycleRefresh(pod, seen)).toMatchObject({
      to: 'Updated',
      readiness: { kind: 'RemoveKey', key: { userAgent: 'Lifecycle', key: 'preUpdateHook' } },
    });
    expect(planLifecycleRefresh(inState('Updating'), seen)).not.toHaveProperty('readiness');
  });
});

describe('planLifecycleForUpdate', () => {
  it.each<[string, ReturnType<typeof aPod>, Lifecycle | undefined, string]>([
    ['no state, not hooked', inState(''), lifecycle, 'Update'],
    ['no state, hooked', hooked(''), lifecycle, 'Prepare'],
    ['PreparingNormal, hooked', hooked('PreparingNormal'), lifecycle, 'Prepare'],
    ['PreparingUpdate, lifecycle gone', hooked('PreparingUpdate'), undefined, 'Update'],
    ['PreparingNormal, not hooked', inState('PreparingNormal'), lifecycle, 'Update'],
    ['Normal, no lifecycle', hooked('Normal'), undefined, 'Update'],
    ['Normal, hooked by one', halfHooked('Normal'), lifecycle, 'Prepare'],
    ['PreparingUpdate, still hooked', halfHooked('PreparingUpdate'), lifecycle, 'Wait'],
    ['PreparingUpdate, let go', inState('PreparingUpdate'), lifecycle, 'Update'],
    ['Updating, for a newer revision', hooked('Updating'), lifecycle, 'Update'],
    ['Updated without a hook', inState('Updated'), undefined, 'Wait'],
    ['PreparingDelete', inState('PreparingDelete'), lifecycle, 'Refuse'],
  ])('%s', (_name, pod, given, kind) => {
    expect(planLifecycleForUpdate(pod, given, noon).kind).toBe(kind);
  });

  it('changes only the state when a hook holds the Pod', () => {
    expect(planLifecycleForUpdate(hooked('Normal'), lifecycle, noon)).toEqual({
      kind: 'Prepare',
      transition: { to: 'PreparingUpdate', because: expect.any(String), patch: patchTo('PreparingUpdate') },
    });
  });

  it('restores labels without changing finalizers when the hook has none', () => {
    const byLabel: Lifecycle = { inPlaceUpdate: { labelsHandler: { hook: 'on' } } };
    expect(planLifecycleForUpdate(inState('Updated'), byLabel, noon)).toHaveProperty('transition.patch.metadata', {
      labels: { hook: 'on', 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' },
      annotations: patchTo('').metadata.annotations,
    });
  });

  it('reports that a Pod in PreparingDelete must not be updated', () => {
    expect(planLifecycleForUpdate(inState('PreparingDelete'), lifecycle, noon)).toEqual({
      kind: 'Refuse',
      why: 'not allowed to in-place update a Pod in state PreparingDelete',
    });
  });

  it('restores the whole hook when there is a newer revision for an Updated Pod', () => {
    expect(planLifecycleForUpdate(inState('Updated'), lifecycle, noon)).toMatchObject({
      kind: 'Prepare',
      transition: {
        to: 'PreparingUpdate',
        patch: { metadata: { labels: { hook: 'on', 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' }, finalizers: ['kruise/hook'] } },
      },
    });
  });

  it('takes the Pod out of service if the hook requires it', () => {
    const marking: Lifecycle = { inPlaceUpdate: { ...hook, markPodNotReady: true } };
    expect(planLifecycleForUpdate(hooked('Normal'), marking, noon)).toMatchObject({
      transition: { readiness: { kind: 'AddKey', key: { userAgent: 'Lifecycle', key: 'preUpdateHook' } } },
    });
  });

  it('keeps the Pod in service when only the preDelete hook would take it out', () => {
    const admission = planLifecycleForUpdate(hooked('Normal'), { ...lifecycle, preDelete: { ...hook, markPodNotReady: true } }, noon);
    expect(admission).not.toHaveProperty('transition.readiness');
  });
});

describe('planLifecycleForDelete', () => {
  const guarded: Lifecycle = { preDelete: { ...hook, markPodNotReady: true } };

  it('allows the deletion of a Pod that no hook holds', () => {
    expect(planLifecycleForDelete(inState('PreparingDelete'), guarded, noon)).toEqual({ kind: 'Delete' });
    expect(planLifecycleForDelete(hooked('Normal'), undefined, noon)).toEqual({ kind: 'Delete' });
  });

  it('marks a hooked Pod and takes it out of service', () => {
    const admission = planLifecycleForDelete(hooked('Normal'), guarded, noon);
    expect(admission).toMatchObject({
      transition: {
        to: 'PreparingDelete',
        readiness: { kind: 'AddKey', key: { userAgent: 'Lifecycle', key: 'preDeleteHook' } },
        patch: patchTo('PreparingDelete'),
      },
    });
  });

  it('only marks a Pod whose hook keeps it in service, whatever the other hook requires', () => {
    const marking = { ...hook, markPodNotReady: true };
    expect(planLifecycleForDelete(hooked('Normal'), { preDelete: hook, inPlaceUpdate: marking }, noon)).toEqual({
      kind: 'Prepare',
      transition: { to: 'PreparingDelete', because: expect.any(String), patch: patchTo('PreparingDelete') },
    });
  });

  it('still adds a missing key when the Pod has the state', () => {
    const admission = planLifecycleForDelete(hooked('PreparingDelete'), guarded, noon);
    expect(admission).toMatchObject({ transition: { readiness: { kind: 'AddKey' } } });
    expect(admission).not.toHaveProperty('transition.patch');
  });

  it('has nothing to write for a waiting Pod', () => {
    const held = condition('KruisePodReady', 'False', { message: '[{"userAgent":"Lifecycle","key":"preDeleteHook"}]' });
    const waiting = inState('PreparingDelete', { conditions: [held], finalizers: ['kruise/hook'] });
    const admission = planLifecycleForDelete(waiting, guarded, noon);
    expect(admission).toMatchObject({ kind: 'Prepare', transition: { to: 'PreparingDelete' } });
    expect(admission).not.toHaveProperty('transition.patch');
    expect(admission).not.toHaveProperty('transition.readiness');
  });

  it('allows Pods to return unless a hook takes them out of service', () => {
    expect(planLifecycleUndelete(inState('PreparingDelete'), { preDelete: hook }, noon).patch).toEqual(patchTo('PreparingNormal'));
    expect([canUndelete({ preDelete: hook }), canUndelete(guarded), canUndelete({ inPlaceUpdate: { markPodNotReady: true } })]).toEqual([
      true,
      false,
      false,
    ]);
    expect([canUndelete(undefined), canUndelete({ inPlaceUpdate: hook })]).toEqual([true, true]);
  });

  it('returns a Pod to service, although the hook no longer takes Pods out of it', () => {
    const back = planLifecycleUndelete(holding('PreparingDelete', 'preDeleteHook'), { preDelete: hook }, noon);
    expect(back).toMatchObject({ to: 'PreparingNormal', readiness: { kind: 'RemoveKey', key: { key: 'preDeleteHook' } } });
    expect(planLifecycleUndelete(holding('PreparingDelete', 'preUpdateHook'), undefined, noon)).not.toHaveProperty('readiness');
  });
});

/** Out of service for hooks, in this state. */
const holding = (state: string, ...keys: readonly string[]): Pod => {
  const message = JSON.stringify([...keys.map((key) => ({ userAgent: 'Lifecycle', key })), { userAgent: 'Other', key: 'preDeleteHook' }]);
  return inState(state, { conditions: [condition('KruisePodReady', 'False', { message })] });
};

describe('a key of a lifecycle hook', () => {
  const keysOf = (pod: Pod): readonly string[] => staleLifecycleKeys(pod).map(({ key }) => key);
  it.each<[string, readonly string[]]>([
    ['', ['preDeleteHook', 'preUpdateHook']],
    ['Normal', ['preDeleteHook', 'preUpdateHook']],
    ['PreparingNormal', ['preDeleteHook', 'preUpdateHook']],
    ['PreparingUpdate', ['preDeleteHook']],
    ['Updating', ['preDeleteHook']],
    ['Updated', ['preDeleteHook', 'preUpdateHook']],
    ['PreparingDelete', ['preUpdateHook']],
  ])('is stale in state "%s" unless it belongs to that state', (state, stale) => {
    expect(keysOf(holding(state, 'preDeleteHook', 'preUpdateHook'))).toEqual(stale);
  });

  it('is absent from a Pod that has other keys, is in service, or has no such gate', () => {
    const ready = condition('KruisePodReady', 'True', { message: '[{"userAgent":"Lifecycle","key":"preDeleteHook"}]' });
    const pod = holding('Normal', 'preDeleteHook');
    expect(keysOf(holding('Normal'))).toEqual([]);
    expect(keysOf(inState('Normal', { conditions: [ready] }))).toEqual([]);
    expect(keysOf({ ...pod, spec: { ...pod.spec, readinessGates: [] } })).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['Normal', 'preDeleteHook', 'Normal'],
    ['', 'preDeleteHook', 'Normal'],
    ['Normal', 'preUpdateHook', 'Normal'],
    ['PreparingDelete', 'preUpdateHook', 'PreparingDelete'],
    ['PreparingUpdate', 'preDeleteHook', 'PreparingUpdate'],
  ])('is removed from a Pod in state "%s" that has %s, and the state stays', (state, key, to) => {
    const seen: LifecycleSeen = {
      lifecycle,
      now: noon,
      isOfUpdateRevision: false,
      isUpdateComplete: () => false,
      waitForNode: true,
    };
    expect(planLifecycleRefresh(holding(state, key), seen)).toEqual({
      to,
      readiness: { kind: 'RemoveKey', key: { userAgent: 'Lifecycle', key } },
      because: `the Pod is in no state of key ${key}`,
    });
  });
});

it('a hook of very many finalizers reads those of a Pod once', () => {
  let reads = 0;
  const held = Array.from({ length: 1000 }, (_, at) => `example.com/held-${at}`);
  const finalizers = new Proxy(held, { get: (target, name) => (reads++, Reflect.get(target, name) as unknown) });
  const pod = { metadata: { name: 'a', finalizers }, spec: { containers: [] } } as Pod;
  const others = { finalizersHandler: held.map((name) => `${name}-other`) };
  expect([isHooked(others, pod), isAllHooked({ finalizersHandler: held }, pod)]).toEqual([false, true]);
  expect(reads).toBeLessThan(10_000);
});
