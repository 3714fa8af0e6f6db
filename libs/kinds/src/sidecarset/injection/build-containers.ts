/** One sidecar as the containers that a Pod gets. @see spec/sidecarset.md 5.4 step 2 */
import type { Container } from '@kruise/objects';
import { withEnv, withTwins, type PreparedSidecar } from './prepared-version.ts';
import type { PodSources, SharedParts } from './pod-sources.ts';
import { computeResources } from './resources-policy.ts';

export type BuiltContainers =
  { readonly kind: 'Built'; readonly containers: readonly Container[] } | { readonly kind: 'Refused'; readonly why: string };

/** Items whose path is not used yet, behind those that are there. */
function withPaths<T>(held: readonly T[], added: readonly T[], pathOf: (item: T) => string, used: ReadonlySet<string>): readonly T[] {
  const taken = new Set([...used, ...held.map(pathOf)]);
  const fresh = added.filter((item) => {
    const isFree = !taken.has(pathOf(item));
    taken.add(pathOf(item));
    return isFree;
  });
  return fresh.length === 0 ? held : [...held, ...fresh];
}

const noneShared: SharedParts = { mounts: [], devices: [], env: [] };

function withSharedParts(container: Container, sidecar: PreparedSidecar, sources: PodSources): Container {
  const ownDevices = container.volumeDevices ?? [];
  const shared = sidecar.sharesMounts ? sources.shared : noneShared;
  const devices = sidecar.sharesDevices ? sources.shared.devices : [];
  const mounts = withPaths(
    container.volumeMounts ?? [],
    shared.mounts,
    ({ mountPath }) => mountPath,
    new Set(ownDevices.map(({ devicePath }) => devicePath)),
  );
  const allDevices = withPaths(ownDevices, devices, ({ devicePath }) => devicePath, new Set(mounts.map(({ mountPath }) => mountPath)));
  return {
    ...container,
    ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
    ...(allDevices.length === 0 ? {} : { volumeDevices: allDevices }),
    env: withEnv(container.env ?? [], [...sources.transferred(sidecar.transfers), ...shared.env]),
  };
}

/** @param candidates containers of the Pod that `resourcesPolicy` may look at */
export function buildContainers(sidecar: PreparedSidecar, sources: PodSources, candidates: readonly Container[]): BuiltContainers {
  if (sidecar.fixed !== undefined) return { kind: 'Built', containers: sidecar.fixed };
  const built = withSharedParts(sidecar.container, sidecar, sources);
  if (sidecar.resources === undefined) return { kind: 'Built', containers: withTwins(built, sidecar.emptyImage) };
  const computed = computeResources(sidecar.resources, candidates);
  if (computed.kind === 'Refused') return { kind: 'Refused', why: `resources of container ${sidecar.name}: ${computed.why}` };
  return { kind: 'Built', containers: withTwins({ ...built, resources: computed.resources }, sidecar.emptyImage) };
}
