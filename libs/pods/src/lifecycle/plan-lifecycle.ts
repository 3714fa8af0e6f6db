/**
 * The lifecycle of a Pod: its next state, and the writes of each transition.
 *
 *   PreparingNormal --(preNormal all hooked; without the hook: on a node)--> Normal
 *   Normal --(chosen for update, hooked)--> PreparingUpdate --(unhooked)--> Updating --(update complete)--> Updated --(all hooked)--> Normal
 *   Normal --(chosen for update, not hooked)--> Updating --(complete, no hook)--> Normal
 *   any --(to be deleted, preDelete hooked)--> PreparingDelete --(unhooked)--> deleted, or (no longer wanted) PreparingNormal
 *
 * A transition into a state that has a not-ready key writes the state label (with its timestamp, in one patch) first and the key second. A transition
 * out of it removes the key first. So a Pod is never out of service for a hook without a state that shows it, wherever a write is refused or the
 * process dies. {@link staleLifecycleKeys} are left by older versions and users, and {@link planLifecycleRefresh} removes them.
 *
 * @see spec/inplace-update.md 8
 */
import { type Lifecycle, type LifecycleHook, annotations, labels, podConditions, podReadinessWriters } from '@kruise/api';
import { type Instant, type Pod, formatTime, hasReadinessGate } from '@kruise/objects';
import { type NotReadyKey, addNotReadyKey, hasNotReadyKey, removeNotReadyKey } from '../readiness/kruise-pod-ready.ts';
import { type LifecycleState, isAllHooked, isHooked, lifecycleStateOf } from '../lifecycle-state.ts';

const userAgent = podReadinessWriters.lifecycle;
/** Key of KruisePodReady while a Pod waits in PreparingDelete. */
const preDeleteHookKey: NotReadyKey = { userAgent, key: 'preDeleteHook' };
/** Key of KruisePodReady from PreparingUpdate until the update is complete. */
const preUpdateHookKey: NotReadyKey = { userAgent, key: 'preUpdateHook' };

/** The states in which a Pod may have each of the keys. */
const statesWithKey: readonly (readonly [NotReadyKey, readonly LifecycleState[]])[] = [
  [preDeleteHookKey, ['PreparingDelete']],
  [preUpdateHookKey, ['PreparingUpdate', 'Updating']],
];

/**
 * Returns the not-ready keys of lifecycle hooks that a Pod has although it is in none of their states. No hook waits for such a Pod, so no hook
 * brings it back to service.
 *
 * @remarks Nothing is parsed for a Pod whose condition is True.
 */
export function staleLifecycleKeys(pod: Pod): readonly NotReadyKey[] {
  if (!hasReadinessGate(pod, podConditions.kruisePodReady)) return [];
  const state = lifecycleStateOf(pod);
  return statesWithKey.flatMap(([key, states]) => (states.some((one) => one === state) || !hasNotReadyKey(pod, key) ? [] : [key]));
}

/** Strategic merge patch of a Pod's metadata. */
export interface LifecyclePatch {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
}

/**
 * One step to another state. A key is added after `patch` is written, and removed before. `readiness` is absent when the Pod needs no such write, and
 * `patch` when it has the state already. With both absent there is nothing to write.
 */
export interface LifecycleTransition {
  readonly to: LifecycleState;
  readonly readiness?: { readonly kind: 'AddKey' | 'RemoveKey'; readonly key: NotReadyKey };
  readonly patch?: LifecyclePatch;
  readonly because: string;
}

type Readiness = NonNullable<LifecycleTransition['readiness']>;

function wantedReadiness(to: LifecycleState, lifecycle: Lifecycle | undefined): Readiness | undefined {
  switch (to) {
    case 'PreparingDelete':
      return lifecycle?.preDelete?.markPodNotReady === true ? { kind: 'AddKey', key: preDeleteHookKey } : undefined;
    case 'PreparingUpdate':
      return lifecycle?.inPlaceUpdate?.markPodNotReady === true ? { kind: 'AddKey', key: preUpdateHookKey } : undefined;
    // Independent of the present flag: the key may be from an earlier one. Pods without it are not written.
    case 'Updated':
    case 'Normal':
      return { kind: 'RemoveKey', key: preUpdateHookKey };
    case 'PreparingNormal':
      return { kind: 'RemoveKey', key: preDeleteHookKey };
    case 'Updating':
      return undefined;
  }
}

function readinessOf(pod: Pod, to: LifecycleState, lifecycle: Lifecycle | undefined, now: Instant): Readiness | undefined {
  const wanted = wantedReadiness(to, lifecycle);
  if (wanted === undefined) return undefined;
  const after = wanted.kind === 'AddKey' ? addNotReadyKey(pod, wanted.key, now) : removeNotReadyKey(pod, wanted.key, now);
  return after === pod ? undefined : wanted;
}

/** Returns the label and annotation of a state, for a write with more changes (a new Pod, the start of an update). */
export const lifecycleMetadata = (to: LifecycleState, now: Instant): LifecyclePatch['metadata'] => ({
  labels: { [labels.lifecycleState]: to },
  annotations: { [annotations.lifecycleTimestamp]: formatTime(now) },
});

interface Step {
  readonly to: LifecycleState;
  readonly because: string;
  /** Its labels and finalizers are restored in the same patch. */
  readonly rehook?: LifecycleHook;
}

function transition(pod: Pod, { to, because, rehook }: Step, lifecycle: Lifecycle | undefined, now: Instant): LifecycleTransition {
  const readiness = readinessOf(pod, to, lifecycle, now);
  const step = { to, because, ...(readiness === undefined ? {} : { readiness }) };
  if (lifecycleStateOf(pod) === to) return step;
  const metadata = lifecycleMetadata(to, now);
  const finalizers = rehook?.finalizersHandler ?? [];
  return {
    ...step,
    patch: {
      metadata: {
        ...metadata,
        labels: { ...rehook?.labelsHandler, ...metadata.labels },
        ...(finalizers.length === 0 ? {} : { finalizers }),
      },
    },
  };
}

/** What {@link planLifecycleRefresh} depends on besides the Pod. */
export interface LifecycleSeen {
  readonly lifecycle: Lifecycle | undefined;
  readonly now: Instant;
  readonly isOfUpdateRevision: boolean;
  /** Returns what the completion rules of the in-place update decide; called only for Pods in Updating. */
  readonly isUpdateComplete: () => boolean;
  /** Whether a Pod without a preNormal hook stays PreparingNormal until it is on a node (CloneSet) or not (StatefulSet). */
  readonly waitForNode: boolean;
}

const afterUpdate = (pod: Pod, lifecycle: Lifecycle | undefined): 'Updated' | 'Normal' =>
  lifecycle !== undefined && !isAllHooked(lifecycle.inPlaceUpdate, pod) ? 'Updated' : 'Normal';

function fromPreparingNormal(pod: Pod, { lifecycle, waitForNode }: LifecycleSeen): Step | undefined {
  const hook = lifecycle?.preNormal;
  if (hook !== undefined) return isAllHooked(hook, pod) ? { to: 'Normal', because: 'the preNormal hook is complete' } : undefined;
  const isPlaced = !waitForNode || (pod.spec.nodeName ?? '') !== '';
  return isPlaced ? { to: 'Normal', because: 'there is no preNormal hook to wait for' } : undefined;
}

function fromUpdated(pod: Pod, { lifecycle }: LifecycleSeen): Step | undefined {
  const hook = lifecycle?.inPlaceUpdate;
  return hook === undefined || isAllHooked(hook, pod) ? { to: 'Normal', because: 'no inPlaceUpdate hook is missing' } : undefined;
}

function refreshStep(pod: Pod, seen: LifecycleSeen): Step | undefined {
  switch (lifecycleStateOf(pod)) {
    case 'PreparingNormal':
      return fromPreparingNormal(pod, seen);
    case 'PreparingUpdate':
      return seen.isOfUpdateRevision
        ? { to: afterUpdate(pod, seen.lifecycle), because: 'the Pod already has the update revision' }
        : undefined;
    case 'Updating':
      return seen.isUpdateComplete() ? { to: afterUpdate(pod, seen.lifecycle), because: 'the in-place update is complete' } : undefined;
    case 'Updated':
      return fromUpdated(pod, seen);
    default:
      return undefined;
  }
}

/** Removes one stale key; the state is unchanged. */
function withoutStaleKey(pod: Pod): LifecycleTransition | undefined {
  const [key] = staleLifecycleKeys(pod);
  if (key === undefined) return undefined;
  const to = lifecycleStateOf(pod) || 'Normal';
  return { to, readiness: { kind: 'RemoveKey', key }, because: `the Pod is in no state of key ${key.key}` };
}

/**
 * Returns the step that a Pod takes by itself, in every pass before any other decision about it: to another state, or the removal of a key that
 * belongs to none of its state (then without `patch`).
 *
 * @returns undefined when it stays as it is
 */
export function planLifecycleRefresh(pod: Pod, seen: LifecycleSeen): LifecycleTransition | undefined {
  const step = refreshStep(pod, seen);
  return step === undefined ? withoutStaleKey(pod) : transition(pod, step, seen.lifecycle, seen.now);
}

/** Whether the update of a Pod may start now, or what precedes it. */
export type UpdateAdmission =
  /** Start the update now, with state Updating in the same write. */
  | { readonly kind: 'Update' }
  /** Take this step first; the update follows when the hook releases the Pod. */
  | { readonly kind: 'Prepare'; readonly transition: LifecycleTransition }
  | { readonly kind: 'Wait'; readonly why: string }
  /** The Pod is in a state from which it must not be updated. The caller decides which error that is. */
  | { readonly kind: 'Refuse'; readonly why: string };

/**
 * Returns whether a Pod that was chosen for an in-place update may start it.
 *
 * @see spec/inplace-update.md 8
 */
export function planLifecycleForUpdate(pod: Pod, lifecycle: Lifecycle | undefined, now: Instant): UpdateAdmission {
  const hook = lifecycle?.inPlaceUpdate;
  const state = lifecycleStateOf(pod);
  const prepare = (because: string, rehook?: LifecycleHook): UpdateAdmission => ({
    kind: 'Prepare',
    transition: transition(pod, { to: 'PreparingUpdate', because, ...(rehook === undefined ? {} : { rehook }) }, lifecycle, now),
  });
  switch (state) {
    case '':
    case 'PreparingNormal':
    case 'Normal':
      return isHooked(hook, pod) ? prepare('the inPlaceUpdate hook holds the Pod') : { kind: 'Update' };
    case 'PreparingUpdate':
      return isHooked(hook, pod) ? { kind: 'Wait', why: 'the inPlaceUpdate hook still holds the Pod' } : { kind: 'Update' };
    case 'Updating':
      return { kind: 'Update' };
    case 'Updated':
      return hook === undefined
        ? { kind: 'Wait', why: 'the Pod must change from Updated to Normal first' }
        : prepare('a newer revision came before the inPlaceUpdate hook was put back', hook);
    case 'PreparingDelete':
      return { kind: 'Refuse', why: `not allowed to in-place update a Pod in state ${state}` };
  }
}

/** Whether a Pod may be deleted now, or which hook has to release it first. */
export type DeleteAdmission =
  | { readonly kind: 'Delete' }
  /** Hooked. There is nothing left to write when the Pod is PreparingDelete already. */
  | { readonly kind: 'Prepare'; readonly transition: LifecycleTransition };

/** Returns whether the workload may delete a Pod now. */
export function planLifecycleForDelete(pod: Pod, lifecycle: Lifecycle | undefined, now: Instant): DeleteAdmission {
  if (!isHooked(lifecycle?.preDelete, pod)) return { kind: 'Delete' };
  return {
    kind: 'Prepare',
    transition: transition(pod, { to: 'PreparingDelete', because: 'the preDelete hook holds the Pod' }, lifecycle, now),
  };
}

/** Returns whether Pods may return from PreparingDelete: not when a hook takes them out of service. @see spec/cloneset.md 5.5 */
export const canUndelete = (lifecycle: Lifecycle | undefined): boolean =>
  lifecycle?.preDelete?.markPodNotReady !== true && lifecycle?.inPlaceUpdate?.markPodNotReady !== true;

/** Returns the step of a Pod from PreparingDelete back to service because its deletion is no longer required. */
export const planLifecycleUndelete = (pod: Pod, lifecycle: Lifecycle | undefined, now: Instant): LifecycleTransition =>
  transition(pod, { to: 'PreparingNormal', because: 'the deletion is no longer wanted' }, lifecycle, now);
