/** What the planner asks of a Pod with regard to one SidecarSet. @see spec/sidecarset.md 5.5, 5.7 */
import { sidecarSetAnnotations, type SidecarContainer } from '@kruise/api';
import { containerStatusOf, isPodActive, isPodReady, type Container, type Pod } from '@kruise/objects';
import { runsSpecImage, type Parsed } from '@kruise/pods';
import { containerNamesOf, isHotUpgrade, rolesOf } from '../view/hot-upgrade.ts';
import {
  imagelessRecordsOf,
  injectedSetsOf,
  injectionRecordsOf,
  parseUpdateStates,
  workingContainersOf,
  type InjectionRecords,
  type UpdateStates,
} from '../view/pod-record.ts';
import type { SidecarSetView } from '../view/sidecar-set-view.ts';
import { upgradableEntry } from './upgradable-condition.ts';

/** A Pod's annotations about SidecarSets, parsed. */
export interface PodRecords {
  readonly injected: readonly string[];
  readonly hashes: InjectionRecords;
  readonly imageless: InjectionRecords;
  readonly states: Parsed<UpdateStates>;
}

export const recordsOf = (pod: Pod): PodRecords => ({
  injected: injectedSetsOf(pod),
  hashes: injectionRecordsOf(pod.metadata),
  imageless: imagelessRecordsOf(pod.metadata),
  states: parseUpdateStates(pod.metadata.annotations?.[sidecarSetAnnotations.inPlaceUpdateState]),
});

const hasContainer = ({ spec }: Pod, name: string): boolean =>
  [...spec.containers, ...(spec.initContainers ?? [])].some((container) => container.name === name);

/** Whether the Pod has the sidecar in the form that the SidecarSet gives it now: one container, or twins that take turns. */
function hasSidecar(pod: Pod, sidecar: SidecarContainer): boolean {
  const isKnown = !isHotUpgrade(sidecar) || workingContainersOf(pod.metadata.annotations).has(sidecar.name);
  return isKnown && containerNamesOf(sidecar).every((name) => hasContainer(pod, name));
}

/** Whether the Pod has every sidecar of the SidecarSet; one that was removed from the SidecarSet does not matter. */
export const hasAllSidecars = (pod: Pod, { sidecars }: Pick<SidecarSetView, 'sidecars'>): boolean =>
  sidecars.every((sidecar) => hasSidecar(pod, sidecar));

/** Whether the Pod's last update was to, or its injection was of, the present version. */
const isUpdated = (records: PodRecords, view: SidecarSetView): boolean => records.hashes.get(view.name)?.hash === view.hash;

/** Whether nothing but images differs from what the Pod was injected with. */
const isUpgradable = (records: PodRecords, view: SidecarSetView): boolean =>
  records.imageless.get(view.name)?.hash === view.hashWithoutImage;

export const imageOf = (pod: Pod, name: string): string | undefined =>
  pod.spec.containers.find((container) => container.name === name)?.image;

/** The twins that do not work and are to run the empty image. */
function emptiedTwins(pod: Pod, { hotSidecars }: SidecarSetView): ReadonlySet<string> {
  if (hotSidecars.length === 0) return new Set();
  const idle = hotSidecars.map(({ name, upgradeStrategy }) => ({
    name: rolesOf(pod.metadata.annotations, name).idle,
    empty: upgradeStrategy?.hotUpgradeEmptyImage,
  }));
  return new Set(idle.filter(({ name, empty }) => imageOf(pod, name) === empty).map(({ name }) => name));
}

/**
 * Whether these containers run what the Pod's spec requests.
 *
 * @param names containers of the Pod; others are not looked at
 */
export function isStateConsistent(pod: Pod, records: PodRecords, view: SidecarSetView, names: ReadonlySet<string>): boolean {
  if ((pod.status?.containerStatuses ?? []).length !== pod.spec.containers.length) return false;
  if (records.states.kind === 'Malformed') return false;
  const before = records.states.value.get(view.name)?.lastContainerStatuses ?? {};
  const written = records.hashes.get(view.name)?.updateTimestamp;
  const emptied = emptiedTwins(pod, view);
  const isDone = (container: Container): boolean => {
    const imageID = Object.hasOwn(before, container.name) ? before[container.name]?.imageID : undefined;
    // No record holds the time of the end of a hot upgrade, so that a restart since then cannot be seen.
    const since = emptied.has(container.name) ? undefined : written;
    return runsSpecImage(pod, container, { imageID, since });
  };
  return pod.spec.containers.filter(({ name }) => names.has(name)).every(isDone);
}

/** The twins that do not work, of all hot-upgrade sidecars. */
const idleContainers = (pod: Pod, { hotSidecars }: SidecarSetView): ReadonlySet<string> =>
  new Set(hotSidecars.map(({ name }) => rolesOf(pod.metadata.annotations, name).idle));

/** The hot-upgrade sidecars whose idle twin holds something else than the empty image: their upgrade is not over. */
export const busyHotSidecars = (pod: Pod, { hotSidecars }: SidecarSetView): readonly SidecarContainer[] =>
  hotSidecars.filter(
    (sidecar) => imageOf(pod, rolesOf(pod.metadata.annotations, sidecar.name).idle) !== sidecar.upgradeStrategy?.hotUpgradeEmptyImage,
  );

const runsReady = (pod: Pod): boolean => isPodActive(pod) && pod.status?.phase === 'Running' && isPodReady(pod);

/** Running, ready, not terminating, and no twin is left over from a hot upgrade. */
const isReady = (pod: Pod, view: SidecarSetView): boolean => runsReady(pod) && busyHotSidecars(pod, view).length === 0;

/** Whether the hot upgrade of the Pod got so far that the old twins can be emptied. @see spec/sidecarset.md 5.8 */
export function canFlip(pod: Pod, records: PodRecords, view: SidecarSetView): boolean {
  if (busyHotSidecars(pod, view).length === 0) return false;
  const idle = idleContainers(pod, view);
  const working = new Set([...view.containerNames].filter((name) => !idle.has(name)));
  if (!isStateConsistent(pod, records, view, working)) return false;
  const others = pod.spec.containers.filter(({ name }) => !idle.has(name));
  return runsReady(pod) || (isPodActive(pod) && others.every(({ name }) => containerStatusOf(pod, name)?.ready === true));
}

/** Whether the Pod is not ready although its containers are, as on a node without a kubelet: what was written to the Pod may never take effect. */
export const isOnLostNode = (pod: Pod): boolean => !isPodReady(pod) && (pod.status?.containerStatuses ?? []).every(({ ready }) => ready);

/**
 * Whether the empty image is replacing an old twin, which briefly takes the Pod out of service. False on a node without a kubelet.
 */
export function isEmptying(pod: Pod, records: PodRecords, view: SidecarSetView): boolean {
  const isRestarting = (name: string): boolean => {
    const isUp = containerStatusOf(pod, name)?.ready === true;
    return isUp ? !isStateConsistent(pod, records, view, new Set([name])) : true;
  };
  return !isOnLostNode(pod) && [...emptiedTwins(pod, view)].some(isRestarting);
}

/** Whether one of the sidecars serves with an image that it is about to lose: its update has to end before the next begins. */
export const servesOldImage = (pod: Pod, records: PodRecords, view: SidecarSetView): boolean =>
  [...view.containerNames].some(
    (name) => containerStatusOf(pod, name)?.ready === true && !isStateConsistent(pod, records, view, new Set([name])),
  );

/**
 * Whether a container that an update of ours changed has not come up since: it is about to, or never will.
 *
 * @remarks Nothing else that is wrong with the Pod counts.
 */
export function isComingUp(pod: Pod, { states }: PodRecords, view: SidecarSetView): boolean {
  const state = states.kind === 'Parsed' ? states.value.get(view.name) : undefined;
  if (state === undefined) return false;
  const changed = Object.keys(state.lastContainerStatuses ?? {});
  return changed.some((name) => view.containerNames.has(name) && containerStatusOf(pod, name)?.ready !== true);
}

/** All that a pass wants to know of one Pod; depends on nothing but the Pod and the SidecarSet's generation. */
export interface Member {
  readonly pod: Pod;
  readonly records: PodRecords;
  /** It was injected with the SidecarSet, and has all of its sidecars. */
  readonly injected: boolean;
  readonly updated: boolean;
  readonly upgradable: boolean;
  readonly consistent: boolean;
  readonly ready: boolean;
  /** An update of ours, perhaps to an earlier version, is not over: what it changed does not run yet or is not ready. */
  readonly updating: boolean;
  /** What its condition SidecarSetUpgradable says of the SidecarSet; undefined when nothing. */
  readonly annotatedUpgradable: boolean | undefined;
}

export function memberOf(pod: Pod, records: PodRecords, view: SidecarSetView): Member {
  const consistent = isStateConsistent(pod, records, view, view.containerNames);
  const wasUpdated = records.states.kind === 'Parsed' && records.states.value.has(view.name);
  return {
    pod,
    records,
    injected: records.injected.includes(view.name) && hasAllSidecars(pod, view),
    updated: isUpdated(records, view),
    upgradable: isUpgradable(records, view),
    consistent,
    ready: isReady(pod, view),
    updating: wasUpdated && (!consistent || isComingUp(pod, records, view)),
    annotatedUpgradable: upgradableEntry(pod, view.name),
  };
}
