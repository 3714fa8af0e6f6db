/**
 * One pass over a SidecarSet: the table of contents of its rules.
 *
 * The history comes first, then the status over the Pods as they were seen, then the conditions of Pods, then the ends of hot upgrades and the
 * next updates.
 * @see spec/sidecarset.md 5.5
 */
import type { SidecarSetStatus } from '@kruise/api';
import { byName, isPodActive, type ControllerRevision, type Pod } from '@kruise/objects';
import type { Action } from './action.ts';
import { podMatcherOf } from './pods/matching.ts';
import { canFlip, type Member } from './pods/pod-facts.ts';
import { chooseUpdates, type UpdateChoice } from './plan-update.ts';
import { planAdoption, planRevision, planTruncation, type HistorySeen } from './revisions/revisions.ts';
import { isNotUpdate, viewOf, type SidecarSetView } from './view/sidecar-set-view.ts';
import type { Context, Snapshot } from './snapshot.ts';
import { computeStatus } from './status.ts';

export interface Plan {
  readonly view: SidecarSetView;
  /** Holds the present version, once {@link revisions} are done. */
  readonly latest: ControllerRevision;
  /** While there is one of these, nothing else is planned. */
  readonly revisions: readonly Action[];
  readonly status: SidecarSetStatus;
  /** What is said in Pods. */
  readonly conditions: readonly Action[];
  /** Ends of hot upgrades, then updates of other Pods; one failing stops none of the others. */
  readonly changes: readonly Action[];
  /** How many Pods cannot be brought up to date; worth an event. */
  readonly notUpgradable: number;
  /** Failures are only logged. */
  readonly housekeeping: readonly Action[];
}

/** The Pods that the SidecarSet manages: active, selected, and with its sidecars in them. */
function matchedMembers({ sidecarSet, pods, namespaceLabels }: Snapshot, view: SidecarSetView, context: Context): readonly Member[] {
  const matcher = podMatcherOf(sidecarSet);
  const isSelected = (pod: Pod): boolean =>
    isPodActive(pod) &&
    matcher.matchesLabels(pod.metadata.labels) &&
    matcher.matchesNamespace(namespaceLabels.get(pod.metadata.namespace ?? ''));
  return pods
    .filter(isSelected)
    .map((pod) => context.memberOf(pod, view))
    .filter(({ injected }) => injected);
}

/** The Pods whose hot upgrade can be ended, by name. */
const flippable = (members: readonly Member[], view: SidecarSetView): readonly Member[] =>
  view.hotSidecars.length === 0
    ? []
    : members.filter(({ pod, records }) => canFlip(pod, records, view)).toSorted((a, b) => byName(a.pod, b.pod));

/**
 * False for Pods that lack more than images. True again once nothing but images differs, and, in case that was never written, for Pods that
 * were updated. An update says it by itself.
 */
function planConditions(
  members: readonly Member[],
  { notUpgradable }: UpdateChoice,
  updates: readonly Action[],
  { view, resting }: { readonly view: SidecarSetView } & Pick<Snapshot, 'resting'>,
): readonly Action[] {
  const isResting = ({ pod }: Member): boolean => resting.has(pod.metadata.uid ?? '');
  const updating = new Set(updates.map((action) => ('pod' in action ? action.pod : undefined)));
  const refused = notUpgradable
    .filter((member) => member.annotatedUpgradable !== false && !isResting(member))
    .map(({ pod }): Action => ({
      kind: 'SetUpgradable',
      pod,
      upgradable: false,
      because: 'fields other than images would have to change',
    }));
  const wasUpdated = ({ updated, records }: Member): boolean =>
    updated && records.states.kind === 'Parsed' && records.states.value.has(view.name);
  const isToBeTold = (member: Member): boolean =>
    member.annotatedUpgradable === false || (member.annotatedUpgradable === undefined && wasUpdated(member));
  const accepted = members
    .filter((member) => member.upgradable && !updating.has(member.pod) && isToBeTold(member) && !isResting(member))
    .map(({ pod }): Action => ({ kind: 'SetUpgradable', pod, upgradable: true, because: 'only its images have to change' }));
  return [...refused, ...accepted];
}

/** A Pod whose hot upgrade ends in this pass is not updated in it, and counts as unavailable meanwhile. */
function planChanges(
  members: readonly Member[],
  view: SidecarSetView,
  { refused, resting }: Snapshot,
): Pick<Plan, 'conditions' | 'changes' | 'notUpgradable'> {
  if (isNotUpdate(view.object) || view.strategy.paused === true) return { conditions: [], changes: [], notUpgradable: 0 };
  const choice = chooseUpdates(members, view, { refused, resting, ending: flippable(members, view) });
  const flips = choice.flips.map((chosen): Action => ({ kind: 'FlipPod', ...chosen }));
  const updates = choice.updates.map((chosen): Action => ({ kind: 'UpdatePod', ...chosen }));
  return {
    conditions: planConditions(members, choice, updates, { view, resting }),
    changes: [...flips, ...updates],
    notUpgradable: choice.notUpgradable.length,
  };
}

/** Deletes surplus revisions of the history; the remaining ones without an owner get one. */
function planHousekeeping(seen: HistorySeen, members: readonly Member[], { name }: SidecarSetView): readonly Action[] {
  const carried = new Set(members.flatMap(({ records }) => records.hashes.get(name)?.controllerRevision ?? []));
  const surplus = planTruncation(seen, carried);
  const orphans = planAdoption(seen.listed.filter((revision) => !surplus.includes(revision)));
  return [
    ...surplus.map((revision): Action => ({ kind: 'DeleteRevision', revision, because: 'the history is longer than its limit' })),
    ...orphans.map((revision): Action => ({ kind: 'AdoptRevision', revision, because: 'it belongs to this SidecarSet and has no owner' })),
  ];
}

/** Pure: the same snapshot gives the same plan. */
export function plan(seen: Snapshot, context: Context): Plan {
  const { sidecarSet, revisions, revisionNamespace } = seen;
  const view = viewOf(sidecarSet);
  const members = matchedMembers(seen, view, context);
  const historySeen = { sidecarSet, listed: revisions, namespace: revisionNamespace };
  const history = planRevision(historySeen);
  const status = computeStatus(sidecarSet, members, history.latest.metadata.name);
  const nothing = { view, latest: history.latest, revisions: history.actions, status, conditions: [], changes: [], notUpgradable: 0 };
  if (history.actions.length > 0) return { ...nothing, housekeeping: [] };
  return { ...nothing, ...planChanges(members, view, seen), housekeeping: planHousekeeping(historySeen, members, view) };
}
