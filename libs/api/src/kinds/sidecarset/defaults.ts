/** Defaults of a SidecarSet of either version (spec/sidecarset.md 4.1). The hashes are computed from the result elsewhere. */
import { changeMember, type JsonObject } from '@kruise/objects';
import { mapItems, mapMember } from '../../members/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../members/fill.ts';
import { defaultSidecarContainer } from '../../pod-template/container-defaults.ts';
import { withCanonicalQuantities } from '../../pod-template/quantities.ts';
import { defaultVolume } from '../../pod-template/volume-defaults.ts';

/**
 * Returns the object with its defaults; quantities are written canonically if anything changes. The input itself when nothing is missing. Never
 * writes to it.
 */
export function defaultSidecarSet(object: JsonObject): JsonObject {
  const defaulted = changeMember(object, 'spec', defaultSpec);
  return defaulted === object ? object : withCanonicalQuantities(defaulted);
}

function defaultSpec(spec: JsonObject): JsonObject {
  const init = mapItems(spec, 'initContainers', (container) => withContainerDefaults(container, 'AfterAppContainer'));
  const containers = mapItems(init, 'containers', (container) => withContainerDefaults(container, 'BeforeAppContainer'));
  const volumes = mapItems(containers, 'volumes', defaultVolume);
  const patched = mapItems(volumes, 'patchPodMetadata', (patch) => fillEmpty(patch, { patchPolicy: 'Retain' }));
  const injected = mapMember(patched, 'injectionStrategy', (strategy) =>
    mapMember(strategy, 'revision', (revision) => fillEmpty(revision, { policy: 'Always' })),
  );
  return fillAbsent(changeMember(injected, 'updateStrategy', withUpdateDefaults), { revisionHistoryLimit: 10 });
}

const withContainerDefaults = (container: JsonObject, podInjectPolicy: string): JsonObject =>
  defaultSidecarContainer(withSidecarDefaults(container, podInjectPolicy));

const withUpdateDefaults = (strategy: JsonObject): JsonObject =>
  fillAbsent(fillEmpty(strategy, { type: 'RollingUpdate' }), { maxUnavailable: 1, partition: 0 });

/** Adds the defaults of a container of a SidecarSet. An absent policy for sharing devices stays absent, because hashes depend on it. */
function withSidecarDefaults(container: JsonObject, podInjectPolicy: string): JsonObject {
  const placed = fillEmpty(container, { podInjectPolicy });
  const upgraded = changeMember(placed, 'upgradeStrategy', (strategy) => fillEmpty(strategy, { upgradeType: 'ColdUpgrade' }));
  const shared = changeMember(upgraded, 'shareVolumePolicy', (policy) => fillEmpty(policy, { type: 'disabled' }));
  return mapItems(shared, 'transferEnv', (transfer) =>
    mapMember(transfer, 'sourceContainerNameFrom', (from) =>
      mapMember(from, 'fieldRef', (field) => fillEmpty(field, { apiVersion: 'v1' })),
    ),
  );
}
