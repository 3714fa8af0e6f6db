/**
 * The change of one Pod that brings it to the present version: images, and what is written along. Pure and repeatable: a conflict means
 * calling it again on the newer Pod.
 *
 * @see spec/sidecarset.md 5.7, 5.8
 */
import { annotations, sidecarSetAnnotations, type SidecarContainer } from '@kruise/api';
import { containerStatusOf, formatTime, type Instant, type Pod } from '@kruise/objects';
import { imageIdsOf, type InPlaceUpdateState } from '@kruise/pods';
import { isHotUpgrade, planTurn, resetVersions, rolesOf, type TwinsSeen } from '../view/hot-upgrade.ts';
import { busyHotSidecars, imageOf, isStateConsistent, recordsOf, type PodRecords } from './pod-facts.ts';
import { patchAnnotations } from './patch-annotations.ts';
import {
  formatInjectedList,
  formatInjectionRecords,
  formatUpdateStates,
  formatWorkingContainers,
  injectedListOf,
  sidecarListOf,
  workingContainersOf,
} from '../view/pod-record.ts';
import type { SidecarSetView } from '../view/sidecar-set-view.ts';

type Annotations = Readonly<Record<string, string>>;

export interface UpdateContext {
  readonly view: SidecarSetView;
  /** Name of the revision that holds the present version. */
  readonly latestRevision: string;
  readonly now: Instant;
}

/** What one sidecar changes: at most one image, and for twins who works with which versions. */
interface Change {
  readonly image?: readonly [container: string, image: string];
  readonly turn?: { readonly sidecar: string; readonly working: string; readonly versions: Annotations };
}

function seenTwin(pod: Pod, records: PodRecords, view: SidecarSetView, name: string): TwinsSeen[keyof TwinsSeen] {
  const isSound = containerStatusOf(pod, name)?.ready === true && isStateConsistent(pod, records, view, new Set([name]));
  return { image: imageOf(pod, name) ?? '', isSound };
}

function imageChange(pod: Pod, container: string, image: string | undefined): Pick<Change, 'image'> {
  const held = imageOf(pod, container);
  return held === undefined || image === undefined || held === image ? {} : { image: [container, image] };
}

function changeOfHot(pod: Pod, records: PodRecords, sidecar: SidecarContainer, view: SidecarSetView): Change {
  const roles = rolesOf(pod.metadata.annotations, sidecar.name);
  const turn = planTurn(
    sidecar,
    roles,
    { working: seenTwin(pod, records, view, roles.working), idle: seenTwin(pod, records, view, roles.idle) },
    { held: pod.metadata.annotations ?? {}, version: view.object.metadata.resourceVersion ?? '' },
  );
  return turn.kind === 'None' ? {} : { ...imageChange(pod, turn.working, sidecar.image), turn: { sidecar: sidecar.name, ...turn } };
}

/** What the turns of twins write: the working map, which the sidecars of all SidecarSets share, and their versions. */
function turnAnnotations(pod: Pod, changes: readonly Change[]): Annotations {
  const turns = changes.flatMap(({ turn }) => turn ?? []);
  if (turns.length === 0) return {};
  const working = new Map(workingContainersOf(pod.metadata.annotations));
  for (const turn of turns) working.set(turn.sidecar, turn.working);
  const versions = Object.assign({}, ...turns.map((turn) => turn.versions)) as Annotations;
  return { ...versions, [sidecarSetAnnotations.workingHotUpgradeContainer]: formatWorkingContainers(working) };
}

/** Image ids of the containers that change now, over those remembered from earlier changes. */
const withImageIds = (state: InPlaceUpdateState, pod: Pod, changed: Iterable<string>): InPlaceUpdateState => ({
  ...state,
  lastContainerStatuses: { ...state.lastContainerStatuses, ...imageIdsOf(pod, changed, '') },
});

/** The Pod's states, with the state of this SidecarSet updated; an annotation that cannot be read is replaced. */
function stateText(pod: Pod, records: PodRecords, { view, now }: UpdateContext, changed: Iterable<string>): string {
  const states = records.states.kind === 'Parsed' ? records.states.value : new Map<string, InPlaceUpdateState>();
  const fresh: InPlaceUpdateState = { revision: view.hash, updateTimestamp: formatTime(now), lastContainerStatuses: {} };
  return formatUpdateStates(new Map([...states, [view.name, withImageIds(states.get(view.name) ?? fresh, pod, changed)]]));
}

function recordText(records: PodRecords, { view, now, latestRevision }: UpdateContext): string {
  const record = {
    updateTimestamp: formatTime(now),
    hash: view.hash,
    sidecarSetName: view.name,
    sidecarList: sidecarListOf(view.object.spec),
    controllerRevision: latestRevision,
  };
  return formatInjectionRecords(new Map([...records.hashes, [view.name, record]]));
}

const withImages = (pod: Pod, images: ReadonlyMap<string, string>): Pod['spec'] => ({
  ...pod.spec,
  containers: pod.spec.containers.map((container) => {
    const image = images.get(container.name);
    return image === undefined ? container : { ...container, image };
  }),
});

/**
 * The Pod at the present version. Nothing but images and annotations differs, whatever else the SidecarSet changed.
 *
 * @param pod matched and upgradable; the same Pod comes back when it is updated already
 * @throws when a metadata patch cannot be merged
 */
export function updatedPod(pod: Pod, context: UpdateContext): Pod {
  const { view } = context;
  const records = recordsOf(pod);
  if (records.hashes.get(view.name)?.hash === view.hash) return pod;
  const changes = view.sidecars.map((sidecar) =>
    isHotUpgrade(sidecar) ? changeOfHot(pod, records, sidecar, view) : imageChange(pod, sidecar.name, sidecar.image),
  );
  const images = new Map(changes.flatMap(({ image }) => (image === undefined ? [] : [image])));
  const listed = injectedListOf(pod.metadata.annotations) ?? [];
  const written: Annotations = {
    ...pod.metadata.annotations,
    ...turnAnnotations(pod, changes),
    [annotations.sidecarSetHash]: recordText(records, context),
    [sidecarSetAnnotations.inPlaceUpdateState]: stateText(pod, records, context, images.keys()),
    ...(listed.length > 0 ? {} : { [sidecarSetAnnotations.injectedList]: formatInjectedList([...records.injected, view.name]) }),
  };
  const patched = patchAnnotations(written, view.object.spec.patchPodMetadata ?? []);
  if (patched.kind === 'Refused') throw new Error(patched.why);
  return { ...pod, metadata: { ...pod.metadata, annotations: patched.annotations }, spec: withImages(pod, images) };
}

/** The Pod with its old twins emptied, after the new ones took over. @param pod one for which `canFlip` holds */
export function flippedPod(pod: Pod, context: UpdateContext): Pod {
  const { view } = context;
  const busy = busyHotSidecars(pod, view);
  const emptied = busy.map((sidecar) => ({
    roles: rolesOf(pod.metadata.annotations, sidecar.name),
    image: sidecar.upgradeStrategy?.hotUpgradeEmptyImage ?? '',
  }));
  const images = new Map(emptied.map(({ roles, image }) => [roles.idle, image]));
  const written = Object.assign(
    { ...pod.metadata.annotations, [sidecarSetAnnotations.inPlaceUpdateState]: stateText(pod, recordsOf(pod), context, images.keys()) },
    ...emptied.map(({ roles }) => resetVersions(roles)),
  ) as Annotations;
  return { ...pod, metadata: { ...pod.metadata, annotations: written }, spec: withImages(pod, images) };
}
