/** All of a version that does not depend on the Pod, worked out once: hashes, patterns, expressions, and whole containers where possible. */
import {
  envNames,
  sidecarSetEnvNames,
  type SidecarContainer,
  type SidecarResourcesPolicy,
  type SidecarSetPatchPodMetadata,
  type SidecarTransferEnv,
} from '@kruise/api';
import { isJsonObject, type Container, type EnvVar, type Volume } from '@kruise/objects';
import { isNativeSidecar, type SidecarSetHashes } from '../revisions/hash.ts';
import { containerNamesOf, isHotUpgrade, twinsOf, versionAltKey, versionKey } from '../view/hot-upgrade.ts';
import { sidecarListOf } from '../view/pod-record.ts';
import { prepareResources, type PreparedResources } from './resources-policy.ts';
import type { Version } from './version.ts';

export interface PreparedSidecar {
  /** As in the SidecarSet. */
  readonly name: string;
  readonly isBeforeApp: boolean;
  /** Without the members that only SidecarSets know. */
  readonly container: Container;
  readonly sharesMounts: boolean;
  readonly sharesDevices: boolean;
  readonly transfers: readonly SidecarTransferEnv[];
  readonly resources: PreparedResources | undefined;
  /** The image of the twin that idles; undefined for a sidecar that has no twins. */
  readonly emptyImage: string | undefined;
  /** What is injected, where nothing of it depends on the Pod. */
  readonly fixed: readonly Container[] | undefined;
}

export interface PreparedVersion {
  readonly name: string;
  readonly revision: string;
  readonly hashes: SidecarSetHashes;
  /** For the Pod's record. */
  readonly sidecarList: readonly string[];
  readonly initSidecars: readonly PreparedSidecar[];
  readonly sidecars: readonly PreparedSidecar[];
  /** Every name that a container of it may have in a Pod or has in the SidecarSet. */
  readonly containerNames: ReadonlySet<string>;
  /** Names of the sidecars that have twins. */
  readonly hotSidecars: readonly string[];
  /** Those that its containers mount, in that order. */
  readonly volumes: readonly Volume[];
  readonly pullSecrets: readonly { readonly name?: string }[];
  readonly patches: readonly SidecarSetPatchPodMetadata[];
}

/** The objects of a list that may be anything once it went past admission. */
const objectsOf = <T>(list: readonly T[] | null | undefined): readonly T[] =>
  Array.isArray(list) ? (list as readonly T[]).filter((item) => isJsonObject(item)) : [];

const injectedMark: EnvVar = { name: sidecarSetEnvNames.isInjected, value: 'true' };

/** Variables that are not there yet, behind those that are. */
export function withEnv(held: readonly EnvVar[], added: readonly EnvVar[]): readonly EnvVar[] {
  const names = new Set(held.map(({ name }) => name));
  const result = [...held];
  for (const variable of added) {
    if (names.has(variable.name)) continue;
    names.add(variable.name);
    result.push(variable);
  }
  return result;
}

function coreContainer(sidecar: SidecarContainer): Container {
  const {
    podInjectPolicy: _placed,
    upgradeStrategy: _upgraded,
    shareVolumePolicy: _mounts,
    shareVolumeDevicePolicy: _devices,
    transferEnv: _transferred,
    resourcesPolicy: _computed,
    ...container
  } = sidecar;
  return { ...container, env: withEnv(objectsOf(container.env), [injectedMark]) };
}

const versionEnv = (name: string, key: string): EnvVar => ({
  name,
  valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${key}']` } },
});

function twin(container: Container, name: string, image: string | undefined): Container {
  const versions = [
    versionEnv(envNames.sidecarSetVersion, versionKey(name)),
    versionEnv(envNames.sidecarSetVersionAlt, versionAltKey(name)),
  ];
  const others = (container.env ?? []).filter((variable) => versions.every((version) => version.name !== variable.name));
  return { ...container, name, env: [...others, ...versions], ...(image === undefined ? {} : { image }) };
}

/** The containers of one sidecar: the container itself, or the working twin directly followed by the idle one. */
export function withTwins(container: Container, emptyImage: string | undefined): readonly Container[] {
  if (emptyImage === undefined) return [container];
  const { first, second } = twinsOf(container.name);
  return [twin(container, first, undefined), twin(container, second, emptyImage)];
}

const isShared = (policy: { readonly type?: string } | null | undefined): boolean => policy?.type === 'enabled';

/** Only a container that requests it comes first. The webhook writes the default, but a version that admission did not see may have no policy. */
const isPlacedBefore = ({ podInjectPolicy }: SidecarContainer): boolean => podInjectPolicy === 'BeforeAppContainer';

function prepareSidecar(sidecar: SidecarContainer, isInit: boolean): PreparedSidecar {
  const container = coreContainer(sidecar);
  const isHot = isHotUpgrade(sidecar) && (!isInit || isNativeSidecar(sidecar));
  const emptyImage = isHot ? (sidecar.upgradeStrategy?.hotUpgradeEmptyImage ?? '') : undefined;
  const policy: SidecarResourcesPolicy | null | undefined = sidecar.resourcesPolicy;
  const taken = {
    sharesMounts: isShared(sidecar.shareVolumePolicy),
    sharesDevices: isShared(sidecar.shareVolumeDevicePolicy),
    transfers: objectsOf(sidecar.transferEnv),
    resources: isJsonObject(policy) ? prepareResources(policy) : undefined,
  };
  const isFixed = !taken.sharesMounts && !taken.sharesDevices && taken.transfers.length === 0 && taken.resources === undefined;
  const fixed = isFixed ? withTwins(container, emptyImage) : undefined;
  return { name: sidecar.name, isBeforeApp: isPlacedBefore(sidecar), container, ...taken, emptyImage, fixed };
}

function mountedVolumes(containers: readonly SidecarContainer[], volumes: readonly Volume[]): readonly Volume[] {
  const names = containers.flatMap(({ volumeMounts, volumeDevices }) =>
    [...objectsOf(volumeMounts), ...objectsOf(volumeDevices)].map(({ name }) => name),
  );
  const byName = new Map(volumes.map((volume) => [volume.name, volume]));
  return [...new Set(names)].flatMap((name) => byName.get(name) ?? []);
}

export function prepareVersion({ name, revision, hashes, spec }: Version): PreparedVersion {
  const initContainers = objectsOf(spec.initContainers);
  const containers = objectsOf(spec.containers);
  const all = [...initContainers, ...containers];
  const initSidecars = initContainers.map((sidecar) => prepareSidecar(sidecar, true));
  const sidecars = containers.map((sidecar) => prepareSidecar(sidecar, false));
  return {
    name,
    revision,
    hashes,
    sidecarList: sidecarListOf({ initContainers, containers }),
    initSidecars,
    sidecars,
    containerNames: new Set(all.flatMap((sidecar) => [sidecar.name, ...containerNamesOf(sidecar)])),
    hotSidecars: [...initSidecars, ...sidecars].filter(({ emptyImage }) => emptyImage !== undefined).map((sidecar) => sidecar.name),
    volumes: mountedVolumes(all, objectsOf(spec.volumes)),
    pullSecrets: objectsOf(spec.imagePullSecrets),
    patches: objectsOf(spec.patchPodMetadata),
  };
}
