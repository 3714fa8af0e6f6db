/**
 * When a Pod counts as available for a budget: it is in service, and its containers run what its spec requests. The same rule decides whom admission
 * protects and whom the controller counts. Pure.
 * @see spec/podunavailablebudget.md 5.4
 */
import { podUnavailableBudgetLabels, sidecarSetAnnotations, sidecarSetEnvNames, type Gates } from '@kruise/api';
import {
  containerStatusOf,
  isJsonObject,
  isPodActive,
  isPodReady,
  parseImageReference,
  type Container,
  type Pod,
  memoized,
} from '@kruise/objects';
import { isSameImageRef, parseObject, updateCompletion } from '@kruise/pods';

/** Whether the user has labelled the Pod as unavailable. */
export const hasUnavailableLabel = ({ metadata }: Pod): boolean =>
  Object.keys(metadata.labels ?? {}).some((key) => key.startsWith(podUnavailableBudgetLabels.unavailablePodPrefix));

const isInService = (pod: Pod): boolean =>
  pod.status?.phase === 'Running' && isPodActive(pod) && isPodReady(pod) && !hasUnavailableLabel(pod);

/** Runtimes put their name and `://` before an id. */
const withoutScheme = (imageId: string): string => imageId.slice(imageId.indexOf('://') < 0 ? 0 : imageId.indexOf('://') + 3);

/** An id that is no reference, such as the bare digest of a configuration, says nothing about the digest of the image. */
function runsDigest(pod: Pod, { name, image = '' }: Container): boolean {
  const wanted = parseImageReference(image)?.digest;
  if (wanted === undefined) return true;
  const imageId = withoutScheme(containerStatusOf(pod, name)?.imageID ?? '');
  const running = parseImageReference(imageId)?.digest;
  return imageId !== '' && (running === undefined || running === wanted);
}

const isInjected = ({ env = [] }: Container): boolean =>
  env.some(({ name, value }) => name === sidecarSetEnvNames.isInjected && value === 'true');

/** The image ids that updates of these SidecarSets have recorded, by container; undefined when the record cannot be read. */
function recordedImageIds(text: string, sidecarSets: readonly string[]): ReadonlyMap<string, unknown> | undefined {
  const parsed = parseObject(text);
  if (parsed.kind !== 'Parsed') return undefined;
  const states = sidecarSets.map((name) => parsed.value[name]).filter(isJsonObject);
  const recorded = states.flatMap(({ lastContainerStatuses }) =>
    isJsonObject(lastContainerStatuses) ? Object.entries(lastContainerStatuses) : [],
  );
  return new Map(recorded.map(([container, status]) => [container, isJsonObject(status) ? status['imageID'] : undefined]));
}

/** Whether no sidecar still runs the image from before an update of its SidecarSet. */
function hasUpdatedSidecars(pod: Pod): boolean {
  const injected = pod.metadata.annotations?.[sidecarSetAnnotations.injectedList] ?? '';
  const state = pod.metadata.annotations?.[sidecarSetAnnotations.inPlaceUpdateState];
  const sidecars = pod.spec.containers.filter(isInjected);
  if (injected === '' || state === undefined || sidecars.length === 0) return true;
  const recorded = recordedImageIds(state, injected.split(','));
  if (recorded === undefined) return false;
  return sidecars.every(({ name, image = '' }) => {
    const status = containerStatusOf(pod, name);
    return status === undefined || recorded.get(name) !== status.imageID || isSameImageRef(status.image, image);
  });
}

const isConsistent = (pod: Pod, isScalingOn: boolean): boolean =>
  pod.spec.containers.every((container) => runsDigest(pod, container)) &&
  hasUpdatedSidecars(pod) &&
  updateCompletion(pod, isScalingOn).kind === 'Complete';

/** Whether a Pod is available; remembered for each state of a Pod, as every pass asks about all of them. */
export type IsAvailable = (pod: Pod) => boolean;

/** @param gates whether workloads change resources in place decides what an update in place consists of */
export function availability({ InPlaceWorkloadVerticalScaling: isScalingOn }: Pick<Gates, 'InPlaceWorkloadVerticalScaling'>): IsAvailable {
  return memoized((pod: Pod) => isInService(pod) && isConsistent(pod, isScalingOn));
}
