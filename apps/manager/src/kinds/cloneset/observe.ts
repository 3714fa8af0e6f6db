/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import type { CloneSet, ImagePullJob } from '@kruise/api';
import {
  controllerOf,
  isControlledBy,
  isOwnedBy,
  type ControllerRevision,
  type KubeObject,
  type LabelMatcher,
  type Node,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import type { StoreReader } from '@kruise/kube';
import { listRevisions } from '@kruise/pods';
import type { Snapshot } from './snapshot.ts';
import type { VanishedPods } from './vanished-pods.ts';

/** Index of Pods and claims: the uid of every owner. @see spec/manager.md 5.7 */
export const ownerIndex = 'ownerRefUID';
export const ownerIndexOf = (object: KubeObject): readonly string[] => (object.metadata.ownerReferences ?? []).map(({ uid }) => uid);

/** Index of revisions: the uid of the controller, '' for orphans. */
export const controllerIndex = 'controllerUID';
export const controllerIndexOf = (object: KubeObject): readonly string[] => [controllerOf(object)?.uid ?? ''];

export interface Stores {
  readonly cloneSets: StoreReader<CloneSet>;
  readonly pods: StoreReader<Pod>;
  readonly claims: StoreReader<PersistentVolumeClaim>;
  readonly revisions: StoreReader<ControllerRevision>;
  readonly nodes: StoreReader<Node>;
  /** Absent when images are not pulled ahead. */
  readonly imagePullJobs?: StoreReader<ImagePullJob>;
  /** Absent when nobody watches Pods go. */
  readonly vanished?: Pick<VanishedPods, 'lastOf'>;
}

/** No name comes twice. They are ASCII, for which JavaScript's own order is that of UTF-8 and much quicker. */
const byName = ({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number => (a.name < b.name ? -1 : 1);

/** Looked up one by one: few names are ever asked for. */
const foreignNames = (stores: Stores, { metadata: { uid = '', namespace = '' } }: CloneSet): Snapshot['takenNames'] => ({
  has: (name) => {
    const holder = stores.pods.get({ namespace, name });
    return holder !== undefined && !isOwnedBy(holder, uid);
  },
});

const ownJobs = (store: StoreReader<ImagePullJob>, uid: string, namespace: string): readonly ImagePullJob[] =>
  store
    .byIndex(ownerIndex, uid, { namespace })
    .filter((job) => isControlledBy(job, uid) && job.metadata.deletionTimestamp === undefined)
    .sort(byName);

/** @param selector the CloneSet's own, parsed */
export function observe(stores: Stores, cloneSet: CloneSet, selector: LabelMatcher): Snapshot {
  const { uid = '', namespace = '' } = cloneSet.metadata;
  const pods = [...stores.pods.byIndex(ownerIndex, uid, { namespace })].sort(byName);
  const claims = stores.claims
    .byIndex(ownerIndex, uid, { namespace })
    .filter((claim) => isControlledBy(claim, uid) && claim.metadata.deletionTimestamp === undefined)
    .sort(byName);
  const ownRevisions = (controller: string, inNamespace: string): readonly ControllerRevision[] =>
    stores.revisions.byIndex(controllerIndex, controller, { namespace: inNamespace });
  const nodeNames = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
  const nodes = [...nodeNames].flatMap((name) => stores.nodes.get({ namespace: '', name }) ?? []);
  return {
    cloneSet,
    selector,
    pods,
    claims,
    revisions: listRevisions([...ownRevisions('', namespace), ...ownRevisions(uid, namespace)], {
      uid,
      selects: (carried) => selector.matches(carried),
    }),
    nodes: new Map(nodes.map((node) => [node.metadata.name, node])),
    takenNames: foreignNames(stores, cloneSet),
    lastVanished: stores.vanished?.lastOf(uid) ?? '',
    ...(stores.imagePullJobs === undefined ? {} : { imagePullJobs: ownJobs(stores.imagePullJobs, uid, namespace) }),
  };
}
