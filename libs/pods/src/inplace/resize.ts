/** Changes cpu and memory of a running Pod's containers. @see spec/inplace-update.md 5.1 */
import { type Container, type Pod, type ResourceRequirements, equalQuantities, minorVersionOf } from '@kruise/objects';
import { byUtf8 } from '../revision/normalize.ts';

/** Strategic merge patch for the `resize` subresource; containers and resources without a difference are omitted. */
export interface ResizePatch {
  readonly spec: { readonly containers: readonly { readonly name: string; readonly resources: ResourceRequirements }[] };
}

type List = Readonly<Record<string, string>>;

const firstMinorWithResize = 32;

/**
 * Returns whether the API server resizes with the subresource: from 1.32.0 on.
 *
 * @param gitVersion of `/version`, e.g. `v1.34.4+k3s1`; false for an unreadable version
 */
export const supportsResize = (gitVersion: string): boolean => (minorVersionOf(gitVersion) ?? 0) >= firstMinorWithResize;

const changed = (held: List | undefined, wanted: List | undefined): [string, string][] =>
  Object.entries(wanted ?? {}).filter(([name, quantity]) => !equalQuantities(held?.[name], quantity));

function difference(held: ResourceRequirements | undefined, wanted: ResourceRequirements): ResourceRequirements | undefined {
  const limits = changed(held?.limits, wanted.limits);
  const requests = changed(held?.requests, wanted.requests);
  if (limits.length === 0 && requests.length === 0) return undefined;
  return {
    ...(limits.length === 0 ? {} : { limits: Object.fromEntries(limits) }),
    ...(requests.length === 0 ? {} : { requests: Object.fromEntries(requests) }),
  };
}

/**
 * Returns the patch, undefined when the Pod has the desired amounts already.
 *
 * @param wanted by container name
 */
export function resizePatch(pod: Pod, wanted: ReadonlyMap<string, ResourceRequirements>): ResizePatch | undefined {
  const containers = pod.spec.containers.flatMap(({ name, resources }) => {
    const target = wanted.get(name);
    const change = target === undefined ? undefined : difference(resources, target);
    return change === undefined ? [] : [{ name, resources: change }];
  });
  return containers.length === 0 ? undefined : { spec: { containers: containers.sort(byUtf8((container) => container.name)) } };
}

/** Returns the container with other amounts; resources that are not named stay. */
export const withResources = (container: Container, wanted: ResourceRequirements | undefined): Container =>
  wanted === undefined
    ? container
    : {
        ...container,
        resources: {
          ...container.resources,
          ...(wanted.limits === undefined ? {} : { limits: { ...container.resources?.limits, ...wanted.limits } }),
          ...(wanted.requests === undefined ? {} : { requests: { ...container.resources?.requests, ...wanted.requests } }),
        },
      };

/**
 * Returns the Pod to write after a resize patch succeeded. Its version and resources are those of the answer, so that one more write is sufficient.
 *
 * @param answer of the patch
 */
export function afterResize(pod: Pod, answer: Pod): Pod {
  const resized = new Map(answer.spec.containers.map((container) => [container.name, container.resources]));
  const containers = pod.spec.containers.map((container) => {
    const resources = resized.get(container.name);
    return resources === undefined ? container : { ...container, resources };
  });
  const { resourceVersion, generation } = answer.metadata;
  const metadata = {
    ...pod.metadata,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(generation === undefined ? {} : { generation }),
  };
  return { ...pod, metadata, spec: { ...pod.spec, containers } };
}
