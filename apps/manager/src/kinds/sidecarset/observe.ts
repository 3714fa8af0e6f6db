/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import { sidecarSetLabels, type SidecarSet } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import type { ControllerRevision, KubeObject, Pod, Index } from '@kruise/objects';
import { listRevisions } from '@kruise/pods';
import { noneRefused } from '@kruise/workloads';
import type { RefusedObjects } from '../../workloads/refusals/refused-objects.ts';
import { injectedSetsOf, type Snapshot } from '@kruise/kinds/sidecarset';

/** Pods by the SidecarSets that were injected into them, by their own account. */
export const byInjected: Index<Pod> = { name: 'injectedSidecarSets', valuesOf: injectedSetsOf };

/** Revisions by the SidecarSet that they are of. */
export const bySidecarSetName: Index<ControllerRevision> = {
  name: 'sidecarSetName',
  valuesOf: ({ metadata }) => {
    const name = metadata.labels?.[sidecarSetLabels.name];
    return name === undefined ? [] : [name];
  },
};

export interface Stores {
  readonly pods: StoreReader<Pod>;
  readonly namespaces: StoreReader;
  readonly revisions: StoreReader<ControllerRevision>;
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byKey = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number =>
  compareTexts(a.namespace ?? '', b.namespace ?? '') || compareTexts(a.name, b.name);

function labelsOfNamespaces(stores: Stores, pods: readonly Pod[]): Snapshot['namespaceLabels'] {
  const names = new Set(pods.map(({ metadata }) => metadata.namespace ?? ''));
  const known = [...names].flatMap((name) => stores.namespaces.get({ namespace: '', name }) ?? []);
  return new Map(known.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
}

/** What is remembered between passes. */
export interface Remembered {
  readonly refusals: Pick<RefusedObjects, 'of'>;
  readonly resting: ReadonlySet<string>;
}

/** @param remembered absent: nothing */
export function observe(stores: Stores, sidecarSet: SidecarSet, revisionNamespace: string, remembered?: Remembered): Snapshot {
  const { name, uid = '' } = sidecarSet.metadata;
  const pods = [...stores.pods.byIndex(byInjected, name)].sort(byKey);
  const held = stores.revisions.byIndex(bySidecarSetName, name, { namespace: revisionNamespace });
  return {
    sidecarSet,
    pods,
    namespaceLabels: labelsOfNamespaces(stores, pods),
    revisions: listRevisions(held, { uid, selects: () => true }),
    refused: remembered?.refusals.of(uid, () => new Set(pods.flatMap(({ metadata }) => metadata.uid ?? []))) ?? noneRefused,
    resting: remembered?.resting ?? new Set(),
    revisionNamespace,
  };
}
