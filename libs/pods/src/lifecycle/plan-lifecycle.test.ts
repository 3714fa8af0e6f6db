import { describe, expect, it } from '@jest/globals';
import type { Lifecycle } from '@kruise/api';
import { aPod, condition, noon } from '../testdata/build.ts';
import { isAllHooked, isHooked, lifecycleStateOf } from './lifecycle-state.ts';
import {
  type LifecycleSeen,
  canUndelete,
  planLifecycleForDelete,
  planLifecycleForUpdate,
  planLifecycleRefresh,
  planLifecycleUndelete,
} from './plan-lifecycle.ts';

const hook = { labelsHandler: { hook: 'on' }, finalizersHandler: ['kruise/hook'] };
const lifecycle: Lifecycle = { inPlaceUpdate: hook };
const inState = (state: string, more: object = {}, labels: object = {}) =>
  aPod({ labels: { ...(state === '' ? {} : { 'lifecycle.apps.kruise.io/state': state }), ...labels }, ...more });
const hooked = (state: string) => inState(state, { finalizers: ['kruise/hook'] }, { hook: 'on' });
const halfHooked = (state: string) => inState(state, {}, { hook: 'on' });
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
  ])('%s', (_name, given, pod, ...[any, all]) => {
    expect([isHooked(given, pod), isAllHooked(given, pod)]).toEqual([any, all]);
  });

  it('reads an unknown state as none', () => {
    expect(lifecycleStateOf(inState('Nonsense'))).toBe('');
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

  it.each<[string, ReturnType<typeof aPod>, Partial<LifecycleSeen>, string | undefined]>([
    ['PreparingNormal without a hook waits for a node', inState('PreparingNormal', offNode), {}, undefined],
    ['PreparingNormal without a hook, on a node', inState('PreparingNormal'), {}, 'Normal'],
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
    'gives the Pod back to service when it leaves %s, whatever the flag says by now',
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

describe('planLifecycleForUpdate', () => {
  it.each<[string, ReturnType<typeof aPod>, Lifecycle | undefined, string]>([
    ['no state, not hooked', inState(''), lifecycle, 'Update'],
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

  it('puts the whole hook back when a newer revision catches an Updated Pod', () => {
    expect(planLifecycleForUpdate(inState('Updated'), lifecycle, noon)).toMatchObject({
      kind: 'Prepare',
      transition: {
        to: 'PreparingUpdate',
        patch: { metadata: { labels: { hook: 'on', 'lifecycle.apps.kruise.io/state': 'PreparingUpdate' }, finalizers: ['kruise/hook'] } },
      },
    });
  });

  it('takes the Pod out of service if the hook says so', () => {
    const marking: Lifecycle = { inPlaceUpdate: { ...hook, markPodNotReady: true } };
    expect(planLifecycleForUpdate(hooked('Normal'), marking, noon)).toMatchObject({
      transition: { readiness: { kind: 'AddKey', key: { key: 'preUpdateHook' } } },
    });
  });
});

describe('planLifecycleForDelete', () => {
  const guarded: Lifecycle = { preDelete: { ...hook, markPodNotReady: true } };

  it('lets a Pod go that no hook holds', () => {
    expect(planLifecycleForDelete(inState('PreparingDelete'), guarded, noon)).toEqual({ kind: 'Delete' });
    expect(planLifecycleForDelete(hooked('Normal'), undefined, noon)).toEqual({ kind: 'Delete' });
  });

  it('takes a hooked Pod out of service first, then marks it', () => {
    const admission = planLifecycleForDelete(hooked('Normal'), guarded, noon);
    expect(admission).toMatchObject({
      transition: {
        to: 'PreparingDelete',
        readiness: { kind: 'AddKey', key: { key: 'preDeleteHook' } },
        patch: patchTo('PreparingDelete'),
      },
    });
  });

  it('still adds a key that is missing when the state is there', () => {
    const admission = planLifecycleForDelete(hooked('PreparingDelete'), guarded, noon);
    expect(admission).toMatchObject({ transition: { readiness: { kind: 'AddKey' } } });
    expect(admission).not.toHaveProperty('transition.patch');
  });

  it('has nothing to write for a Pod that waits', () => {
    const held = condition('KruisePodReady', 'False', { message: '[{"userAgent":"Lifecycle","key":"preDeleteHook"}]' });
    const waiting = inState('PreparingDelete', { conditions: [held], finalizers: ['kruise/hook'] });
    const admission = planLifecycleForDelete(waiting, guarded, noon);
    expect(admission).toMatchObject({ kind: 'Prepare', transition: { to: 'PreparingDelete' } });
    expect(admission).not.toHaveProperty('transition.patch');
    expect(admission).not.toHaveProperty('transition.readiness');
  });

  it('takes Pods back unless a hook takes them out of service', () => {
    expect(planLifecycleUndelete(inState('PreparingDelete'), { preDelete: hook }, noon).patch).toEqual(patchTo('PreparingNormal'));
    expect([canUndelete({ preDelete: hook }), canUndelete(guarded), canUndelete({ inPlaceUpdate: { markPodNotReady: true } })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
