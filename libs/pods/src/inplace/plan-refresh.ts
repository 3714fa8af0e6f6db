/**
 * The next step of a Pod's in-place update. Every pass determines it before any other decision about the Pod.
 *
 *   grace annotation --(time is up)--> first batch --(done, required containers ready)--> next batch … --(done)--> InPlaceUpdateReady True
 *
 * @see spec/inplace-update.md 6.2
 */
import { podConditions } from '@kruise/api';
import {
  type Milliseconds,
  type Pod,
  containerStatusOf,
  formatTime,
  hasReadinessGate,
  parseTime,
  podCondition,
  seconds,
} from '@kruise/objects';
import { replaceCondition, withConditions } from '../readiness/pod-status.ts';
import { type RevisionAdapter, isOfRevision } from '../revision/revision-adapter.ts';
import { type ApplyContext, type AppliedUpdate, applyUpdate, withoutGrace } from './apply-update.ts';
import { containersCompletion } from './state/completion.ts';
import { type UpdateSpec, omitUndefined } from './spec/update-spec.ts';
import { type InPlaceUpdateState, type Stored, graceSpecOf, hasNextBatch, mayHaveNextBatch, updateStateOf } from './state/update-state.ts';

/** The input of one step of an update. */
export interface RefreshContext extends ApplyContext {
  readonly adapter: RevisionAdapter;
}

/** The next write for such a Pod, if any. At most one step in a pass. */
export type RefreshStep =
  | { readonly kind: 'Nothing' }
  /** Nothing until the Pod changes. */
  | { readonly kind: 'Pending'; readonly why: string }
  /** The grace period continues; whole seconds, more than 0. */
  | { readonly kind: 'Wait'; readonly remaining: Milliseconds }
  /** Write the Pod: a newer revision was chosen during the grace period. */
  | { readonly kind: 'DropGrace'; readonly pod: Pod; readonly because: string }
  /** Write the Pod (after its resize, if any). */
  | { readonly kind: 'ApplyGrace' | 'NextBatch'; readonly update: AppliedUpdate; readonly because: string }
  /** Write the status once, on exactly this version. After a conflict observe again; never retry on a newer Pod. */
  | { readonly kind: 'SetReady'; readonly pod: Pod }
  /** The annotations contradict each other or cannot be read. */
  | { readonly kind: 'Broken'; readonly why: string };

const nothing: RefreshStep = { kind: 'Nothing' };

function planGrace(pod: Pod, spec: UpdateSpec, state: InPlaceUpdateState, context: RefreshContext): RefreshStep {
  if (!isOfRevision(context.adapter, pod, spec.revision)) {
    return { kind: 'DropGrace', pod: withoutGrace(pod), because: `the Pod no longer has revision ${spec.revision}` };
  }
  const started = parseTime(state.updateTimestamp);
  const graceSeconds = spec.graceSeconds ?? 0;
  const remaining = started === undefined ? 0 : started + graceSeconds * 1000 - context.now;
  if (remaining > 0) return { kind: 'Wait', remaining: seconds(Math.ceil(remaining / 1000)) };
  const update = applyUpdate(withoutGrace(pod), spec, state, context);
  return { kind: 'ApplyGrace', update, because: `the grace period of ${String(graceSeconds)} seconds is over` };
}

function planNextBatch(pod: Pod, state: InPlaceUpdateState, context: RefreshContext): RefreshStep {
  const required = state.preCheckBeforeNext?.containersRequiredReady ?? [];
  const unready = required.find((name) => containerStatusOf(pod, name)?.ready !== true);
  if (unready !== undefined) return { kind: 'Pending', why: `container ${unready} has to be ready before the next batch` };
  const wishes = omitUndefined<Pick<UpdateSpec, 'containerImages' | 'containerRefMetadata' | 'containerResources'>>({
    containerImages: state.nextContainerImages,
    containerRefMetadata: state.nextContainerRefMetadata,
    containerResources: state.nextContainerResources,
  });
  return { kind: 'NextBatch', update: applyUpdate(pod, wishes, state, context), because: 'the containers of the previous batch are ready' };
}

function isBackInService(pod: Pod): boolean {
  if (!hasReadinessGate(pod, podConditions.inPlaceUpdateReady)) return true;
  const held = podCondition(pod, podConditions.inPlaceUpdateReady);
  return held?.status === 'True' && (held.reason ?? '') === '' && (held.message ?? '') === '';
}

/** Returns whether {@link planRefresh} has nothing to do until the Pod changes. False also for some Pods for which it has nothing to do. */
export const isAtRest = (pod: Pod): boolean => graceSpecOf(pod).kind === 'Absent' && !mayHaveNextBatch(pod) && isBackInService(pod);

function setReady(pod: Pod, context: RefreshContext): RefreshStep {
  const condition = { type: podConditions.inPlaceUpdateReady, status: 'True', lastTransitionTime: formatTime(context.now) };
  return { kind: 'SetReady', pod: withConditions(pod, replaceCondition(pod.status?.conditions, condition)) };
}

function planState(pod: Pod, stored: Stored<InPlaceUpdateState>, context: RefreshContext): RefreshStep {
  if (stored.kind === 'Malformed') return { kind: 'Broken', why: `the state annotation cannot be read: ${stored.why}` };
  const hasNext = stored.kind === 'Parsed' && hasNextBatch(stored.value);
  if (!hasNext && isBackInService(pod)) return nothing;
  if (stored.kind === 'Absent') return setReady(pod, context);
  const completion = containersCompletion(pod, stored.value, context.resources !== 'Ignored');
  if (completion.kind === 'Incomplete') return { kind: 'Pending', why: completion.why };
  return hasNext ? planNextBatch(pod, stored.value, context) : setReady(pod, context);
}

/**
 * Returns one step; the next one is found by another pass. A Pod that never was updated gets InPlaceUpdateReady True this way.
 *
 * @param pod as observed; the Pods in the answer have its resourceVersion
 */
export function planRefresh(pod: Pod, context: RefreshContext): RefreshStep {
  // Nearly every Pod of every pass ends here, so nothing is parsed before.
  if (isAtRest(pod)) return nothing;
  const grace = graceSpecOf(pod);
  const state = updateStateOf(pod);
  if (grace.kind === 'Absent') return planState(pod, state, context);
  if (grace.kind === 'Malformed') return { kind: 'Broken', why: `the grace annotation cannot be read: ${grace.why}` };
  if (state.kind !== 'Parsed') return { kind: 'Broken', why: 'a grace annotation without a readable state annotation' };
  return planGrace(pod, grace.value, state.value, context);
}
