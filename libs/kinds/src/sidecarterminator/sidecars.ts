/** Which containers of a Pod are sidecars, of what sort, and how far they are. @see spec/sidecarterminator.md 2, 5.2 */
import { envNames } from '@kruise/api';
import { containerStatusOf, type Container, type ContainerStatus, type Pod } from '@kruise/objects';

export interface Sidecar {
  readonly name: string;
  /** Ended by a request to the node agent. */
  readonly byRequest: boolean;
  /** The Pod's phase is decided without it; only beside `byRequest`. */
  readonly isIgnored: boolean;
  /** The image that ends it on a virtual node. */
  readonly image: string | undefined;
  /** What its container runs now. */
  readonly currentImage: string | undefined;
}

const valuesOf = ({ env }: Container, name: string): readonly string[] =>
  (env ?? []).filter((entry) => entry.name === name).map(({ value }) => value ?? '');

const isTrue = (container: Container, name: string): boolean => valuesOf(container, name).some((value) => value.toLowerCase() === 'true');

function sidecarOf(container: Container): Sidecar | undefined {
  const byRequest = isTrue(container, envNames.terminateSidecarWhenJobExit);
  const images = valuesOf(container, envNames.terminateSidecarWhenJobExitWithImage);
  if (!byRequest && images.every((image) => image === '')) return undefined;
  const [image] = images;
  return {
    name: container.name,
    byRequest,
    isIgnored: byRequest && isTrue(container, envNames.terminateSidecarIgnoreExitCode),
    image: image === '' ? undefined : image,
    currentImage: container.image,
  };
}

/** In the order of the Pod's list. Init containers and ephemeral containers are neither sidecars nor main containers. */
export const sidecarsOf = (pod: Pod): readonly Sidecar[] => pod.spec.containers.map(sidecarOf).filter((sidecar) => sidecar !== undefined);

const mainsOf = (pod: Pod): readonly Container[] => pod.spec.containers.filter((container) => sidecarOf(container) === undefined);

export const terminationOf = (pod: Pod, name: string): NonNullable<ContainerStatus['state']>['terminated'] =>
  containerStatusOf(pod, name)?.state?.terminated;

/** A container whose last run failed but that is about to run again has not ended. */
export const hasEnded = (pod: Pod, name: string): boolean => terminationOf(pod, name) !== undefined;

/** Of a Pod that just started, or whose status is not whole, nothing can be said. */
const isWhole = (pod: Pod): boolean => (pod.status?.containerStatuses ?? []).length === pod.spec.containers.length;

export const areAllEnded = (pod: Pod, containers: readonly { readonly name: string }[]): boolean =>
  isWhole(pod) && containers.every(({ name }) => hasEnded(pod, name));

/** Whether every main container ended with code 0; true without any. */
export const haveMainsSucceeded = (pod: Pod): boolean =>
  isWhole(pod) && mainsOf(pod).every(({ name }) => terminationOf(pod, name)?.exitCode === 0);

/** Of a Pod that is not restarted always; after a failure the kubelet starts its main containers again unless the policy is Never. */
const areMainsDone = (pod: Pod): boolean =>
  pod.spec.restartPolicy === 'OnFailure' ? haveMainsSucceeded(pod) : areAllEnded(pod, mainsOf(pod));

/** Whether there are sidecars to end now. Cheap for the Pods of all others: it is asked at every change of every Pod. */
export function isDue(pod: Pod): boolean {
  if (pod.spec.restartPolicy !== 'Never' && pod.spec.restartPolicy !== 'OnFailure') return false;
  if (pod.metadata.deletionTimestamp !== undefined || (pod.status?.phase ?? 'Pending') === 'Pending') return false;
  const sidecars = sidecarsOf(pod);
  return sidecars.length > 0 && areMainsDone(pod) && !areAllEnded(pod, sidecars);
}
