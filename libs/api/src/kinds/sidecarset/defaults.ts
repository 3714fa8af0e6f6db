/** Defaults of a SidecarSet of either version (spec/sidecarset.md 4.1). The hashes are computed from the result, by others. */
import { changeMember, type Members } from '../../conversion/converter.ts';
import { mapItems, mapMember } from '../../conversion/nested-members.ts';
import { fillAbsent, fillEmpty } from '../../defaults/fill.ts';

/** The defaults that the core API has for parts of Pods, in the form that SidecarSets use (spec/podreadiness.md 7.3 and 7.4). */
export interface CorePartDefaults {
  /** Of a container or init container. */
  readonly container: (container: Members) => Members;
  readonly volume: (volume: Members) => Members;
}

/** The object with its defaults; the input itself when nothing is missing. Never writes to it. */
export const defaultSidecarSet = (object: Members, core: CorePartDefaults): Members =>
  changeMember(object, 'spec', (spec) => {
    const init = mapItems(spec, 'initContainers', (container) => core.container(withSidecarDefaults(container, 'AfterAppContainer')));
    const containers = mapItems(init, 'containers', (container) => core.container(withSidecarDefaults(container, 'BeforeAppContainer')));
    const volumes = mapItems(containers, 'volumes', core.volume);
    const patched = mapItems(volumes, 'patchPodMetadata', (patch) => fillEmpty(patch, { patchPolicy: 'Retain' }));
    const injected = mapMember(patched, 'injectionStrategy', (strategy) =>
      mapMember(strategy, 'revision', (revision) => fillEmpty(revision, { policy: 'Always' })),
    );
    return fillAbsent(changeMember(injected, 'updateStrategy', withUpdateDefaults), { revisionHistoryLimit: 10 });
  });

const withUpdateDefaults = (strategy: Members): Members =>
  fillAbsent(fillEmpty(strategy, { type: 'RollingUpdate' }), { maxUnavailable: 1, partition: 0 });

/** What a SidecarSet adds to a container; a policy for sharing devices that is not given stays so, as hashes depend on it. */
function withSidecarDefaults(container: Members, podInjectPolicy: string): Members {
  const placed = fillEmpty(container, { podInjectPolicy });
  const upgraded = changeMember(placed, 'upgradeStrategy', (strategy) => fillEmpty(strategy, { upgradeType: 'ColdUpgrade' }));
  const shared = changeMember(upgraded, 'shareVolumePolicy', (policy) => fillEmpty(policy, { type: 'disabled' }));
  return mapItems(shared, 'transferEnv', (transfer) =>
    mapMember(transfer, 'sourceContainerNameFrom', (from) =>
      mapMember(from, 'fieldRef', (field) => fillEmpty(field, { apiVersion: 'v1' })),
    ),
  );
}
