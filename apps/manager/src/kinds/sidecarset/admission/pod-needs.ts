/** Which Pods the injection has to see: those that a SidecarSet would be injected into, were they created now. */
import type { RequestNeed } from '@kruise/admission';
import { annotations, type SidecarSet } from '@kruise/api';
import type { StoreListener } from '@kruise/kube';
import { isEmptyLabelSelector, isJsonObject } from '@kruise/objects';
import type { PodNeeds } from '../../../module/pod-step.ts';

/** What injection leaves in a Pod. */
const trace = `has(object.metadata.annotations) && "${annotations.sidecarSetHash}" in object.metadata.annotations`;

/** In webhook names. */
const sidecarSetReason = 'sidecarset';

/**
 * At most one for each SidecarSet, in their order. A SidecarSet with paused injection, or one that selects nothing, needs no Pods.
 *
 * @remarks Illegal selectors are passed on unchanged: readers of the need treat them as selecting nothing, as the injection does.
 * @see spec/sidecarset.md 5.2
 */
export function sidecarSetNeeds(sets: readonly SidecarSet[]): readonly RequestNeed[] {
  return sets.flatMap(({ spec }): readonly RequestNeed[] => {
    if (!isJsonObject(spec) || spec.injectionStrategy?.paused === true) return [];
    const { selector, namespaceSelector } = spec;
    if (!isJsonObject(selector) || isEmptyLabelSelector(selector)) return [];
    return [{ reason: sidecarSetReason, objectSelector: selector, ...(namespaceSelector ? { namespaceSelector } : {}) }];
  });
}

/** Of the SidecarSets in a store. */
export const needsOfSidecarSets = (store: {
  readonly synced: boolean;
  list(query: { readonly sorted: true }): readonly SidecarSet[];
  subscribe(listener: StoreListener<SidecarSet>): unknown;
}): PodNeeds => ({
  trace,
  isReady: () => store.synced,
  current: () => sidecarSetNeeds(store.list({ sorted: true })),
  watch: (changed) => void store.subscribe(changed),
});
