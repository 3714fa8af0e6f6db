/** A SidecarSet as the rules of updating read it, with absent members filled in; an object that went past admission may lack any of them. */
import type { SidecarContainer, SidecarSet, SidecarSetUpdateStrategy } from '@kruise/api';
import { labelMatcherOrNothing, matchAll, scaleIntOrPercentOr, type LabelMatcher } from '@kruise/objects';
import { partitionInPods } from '@kruise/pods';
import { hashesOf } from '../revisions/hash.ts';
import { containerNamesOf, isHotUpgrade } from './hot-upgrade.ts';

/** Made once a pass. */
export interface SidecarSetView {
  readonly object: SidecarSet;
  readonly name: string;
  readonly hash: string;
  readonly hashWithoutImage: string;
  /** `spec.containers`: what is updated. */
  readonly sidecars: readonly SidecarContainer[];
  readonly hotSidecars: readonly SidecarContainer[];
  /** Names in Pods of all {@link sidecars}, both twins of hot ones. */
  readonly containerNames: ReadonlySet<string>;
  readonly strategy: SidecarSetUpdateStrategy;
  /** `updateStrategy.selector`: which Pods are updated at all. */
  readonly selects: LabelMatcher;
}

const isContainer = (value: SidecarContainer | null | undefined): value is SidecarContainer => typeof value?.name === 'string';

export function viewOf(object: SidecarSet): SidecarSetView {
  const sidecars = Array.isArray(object.spec.containers) ? (object.spec.containers as readonly SidecarContainer[]).filter(isContainer) : [];
  const strategy = object.spec.updateStrategy ?? {};
  return {
    object,
    name: object.metadata.name,
    ...hashesOf(object),
    sidecars,
    hotSidecars: sidecars.filter(isHotUpgrade),
    containerNames: new Set(sidecars.flatMap(containerNamesOf)),
    strategy,
    selects: strategy.selector === undefined || strategy.selector === null ? matchAll([]) : labelMatcherOrNothing(strategy.selector),
  };
}

/** Only injects; what runs is left alone. */
export const isNotUpdate = ({ spec }: SidecarSet): boolean => spec.updateStrategy?.type === 'NotUpdate';

/** Pods of `matched` to leave on older versions; all of them when the field cannot be read. */
export const partitionOf = ({ strategy }: SidecarSetView, matched: number): number =>
  partitionInPods(strategy.partition ?? 0, matched) ?? matched;

/** Pods of `matched` that may be unavailable, rounded up; none when the field cannot be read. */
export const maxUnavailableOf = ({ strategy }: SidecarSetView, matched: number): number =>
  Math.max(scaleIntOrPercentOr(0, strategy.maxUnavailable ?? 1, matched, 'up'), 0);
