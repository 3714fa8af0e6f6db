/** SidecarSets and the Pods they were injected into, for the tests of this folder. */
import { annotations, sidecarSetAnnotations, type SidecarContainer, type SidecarSet } from '@kruise/api';
import { formatTime, type ContainerStatus, type Instant, type Pod } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { sidecarSetHashes } from './revisions/hash.ts';
import { injectedHotAnnotations, isHotUpgrade, twinsOf } from './view/hot-upgrade.ts';
import { memberOf, recordsOf } from './pods/pod-facts.ts';
import { formatInjectedList, formatInjectionRecords, sidecarListOf } from './view/pod-record.ts';
import type { Context } from './snapshot.ts';

export const emptyImage = 'empty:1';

export const aSidecar = (name: string, image: string, more: Partial<SidecarContainer> = {}): SidecarContainer => ({
  name,
  image,
  upgradeStrategy: { upgradeType: 'ColdUpgrade' },
  ...more,
});

export const aHotSidecar = (name: string, image: string, more: Partial<SidecarContainer> = {}): SidecarContainer =>
  aSidecar(name, image, { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: emptyImage }, ...more });

export interface SidecarSetShape {
  readonly name?: string;
  readonly containers?: readonly SidecarContainer[];
  readonly strategy?: SidecarSet['spec']['updateStrategy'];
  readonly spec?: Partial<SidecarSet['spec']>;
  readonly status?: SidecarSet['status'];
  readonly resourceVersion?: string;
}

/** As the webhook leaves it: with both hashes. */
export function aSidecarSet({ name = 'set', containers = [aSidecar('side', 'side:1')], ...shape }: SidecarSetShape = {}): SidecarSet {
  const spec: SidecarSet['spec'] = {
    selector: { matchLabels: { app: 'demo' } },
    containers,
    updateStrategy: { type: 'RollingUpdate', maxUnavailable: 1, partition: 0, ...shape.strategy },
    revisionHistoryLimit: 10,
    ...shape.spec,
  };
  return withHashes({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: { name, uid: `uid-${name}`, generation: 1, resourceVersion: shape.resourceVersion ?? '7' },
    spec,
    ...(shape.status === undefined ? {} : { status: shape.status }),
  });
}

function withHashes(sidecarSet: SidecarSet): SidecarSet {
  const { hash, hashWithoutImage } = sidecarSetHashes(sidecarSet.spec);
  const written = { [annotations.sidecarSetHash]: hash, [sidecarSetAnnotations.hashWithoutImage]: hashWithoutImage };
  return { ...sidecarSet, metadata: { ...sidecarSet.metadata, annotations: { ...sidecarSet.metadata.annotations, ...written } } };
}

/** The SidecarSet with other containers, as an update by a user leaves it. */
export const changed = (sidecarSet: SidecarSet, spec: Partial<SidecarSet['spec']>): SidecarSet =>
  withHashes({
    ...sidecarSet,
    metadata: { ...sidecarSet.metadata, generation: (sidecarSet.metadata.generation ?? 0) + 1 },
    spec: { ...sidecarSet.spec, ...spec },
  });

export const runningStatus = (name: string, image: string, since: Instant, ready = true): ContainerStatus => ({
  name,
  image,
  imageID: `sha256:${image}`,
  containerID: `containerd://${name}-${image}-${since}`,
  ready,
  restartCount: 0,
  state: { running: { startedAt: formatTime(since) } },
});

export interface InjectedShape {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ready?: boolean;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly terminating?: boolean;
  readonly createdAt?: Instant;
  readonly revision?: string;
}

let count = 0;

const injectedContainers = (sidecar: SidecarContainer): readonly { readonly name: string; readonly image: string }[] => {
  const image = sidecar.image ?? '';
  if (!isHotUpgrade(sidecar)) return [{ name: sidecar.name, image }];
  const { first, second } = twinsOf(sidecar.name);
  return [
    { name: first, image },
    { name: second, image: sidecar.upgradeStrategy?.hotUpgradeEmptyImage ?? '' },
  ];
};

function injectedAnnotations(sets: readonly SidecarSet[], since: Instant, revision: string | undefined): Readonly<Record<string, string>> {
  const hot = sets.flatMap(({ spec }) => (spec.containers ?? []).filter(isHotUpgrade).map(({ name }) => name));
  const records = sets.map(({ metadata, spec }) => {
    const entry = { updateTimestamp: formatTime(since), sidecarSetName: metadata.name, sidecarList: sidecarListOf(spec) };
    return { name: metadata.name, entry, hashes: sidecarSetHashes(spec) };
  });
  const carried = revision === undefined ? {} : { controllerRevision: revision };
  return {
    [annotations.sidecarSetHash]: formatInjectionRecords(
      new Map(records.map(({ name, entry, hashes }) => [name, { ...entry, hash: hashes.hash, ...carried }])),
    ),
    [sidecarSetAnnotations.hashWithoutImage]: formatInjectionRecords(
      new Map(records.map(({ name, entry, hashes }) => [name, { ...entry, hash: hashes.hashWithoutImage }])),
    ),
    [sidecarSetAnnotations.injectedList]: formatInjectedList(sets.map(({ metadata }) => metadata.name)),
    ...injectedHotAnnotations({}, hot),
  };
}

/** A running Pod with the containers of the SidecarSets in front of its own. */
export function anInjectedPod(sets: SidecarSet | readonly SidecarSet[], shape: InjectedShape = {}): Pod {
  const injected = Array.isArray(sets) ? (sets as readonly SidecarSet[]) : [sets as SidecarSet];
  const {
    name = `pod-${String(++count).padStart(3, '0')}`,
    namespace = 'default',
    ready = true,
    phase = 'Running',
    createdAt = epoch,
  } = shape;
  const containers = [
    ...injected.flatMap(({ spec }) => (spec.containers ?? []).flatMap(injectedContainers)),
    { name: 'main', image: 'app:1' },
  ];
  const since = formatTime(createdAt);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `uid-${name}`,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: since,
      labels: { app: 'demo', ...shape.labels },
      annotations: { ...injectedAnnotations(injected, createdAt, shape.revision), ...shape.annotations },
      ...(shape.terminating === true ? { deletionTimestamp: since } : {}),
    },
    spec: { nodeName: 'node1', containers },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }],
      containerStatuses: containers.map(({ name: container, image }) => runningStatus(container, image, createdAt, ready)),
    },
  };
}

export const aContext = (): Context => ({ memberOf: (pod, view) => memberOf(pod, recordsOf(pod), view) });
