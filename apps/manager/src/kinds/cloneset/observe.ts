/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import type { CloneSet, ImagePullJob } from '@kruise/api';
import { byName, isControlledBy, isOwnedBy, type ControllerRevision, type LabelMatcher } from '@kruise/objects';
import type { StoreReader } from '@kruise/kube';
import { listRevisions } from '@kruise/pods';
import { mountsOf, noneRefused, byController, byOwner } from '@kruise/workloads';
import type { ClaimStores } from '../../workloads/pod-stores.ts';
import type { RefusedObjects } from '../../workloads/refusals/refused-objects.ts';
import { anyCreation, instanceIdOf, type Snapshot } from '@kruise/kinds/cloneset';
import type { VanishedPods } from './vanished-pods.ts';

export interface Stores extends ClaimStores {
  readonly cloneSets: StoreReader<CloneSet>;
  /** Absent when nothing is remembered. */
  readonly refusals?: Pick<RefusedObjects, 'of'>;
  /** Absent when deletions of Pods are not watched. */
  readonly vanished?: Pick<VanishedPods, 'lastOf'>;
}

/** Looked up one by one: few names are ever requested. */
const foreignNames = (stores: Stores, { metadata: { uid = '', namespace = '' } }: CloneSet): Snapshot['takenNames'] => ({
  has: (name) => {
    const holder = stores.pods.get({ namespace, name });
    return holder !== undefined && !isOwnedBy(holder, uid);
  },
});

/** Read only when it is requested: few passes have a claim without a Pod. */
function mountsIn(stores: Stores, namespace: string): Snapshot['mounts'] {
  const read = (): ReturnType<typeof mountsOf> => mountsOf(stores.pods.list({ namespace }));
  let known: ReturnType<typeof mountsOf> | undefined;
  return { get: (claim) => (known ??= read()).get(claim) };
}

const ownJobs = (store: StoreReader<ImagePullJob>, uid: string, namespace: string): readonly ImagePullJob[] =>
  store
    .byIndex(byOwner, uid, { namespace })
    .filter((job) => isControlledBy(job, uid) && job.metadata.deletionTimestamp === undefined)
    .sort(byName);

/** Whatever may be refused: the Pods, the instance ids that have claims and no Pod yet, and creations and updates as a whole. */
function subjectsOf({ pods, claims }: Pick<Snapshot, 'pods' | 'claims'>): ReadonlySet<string> {
  const ids = new Set(claims.map(instanceIdOf));
  for (const pod of pods) ids.delete(instanceIdOf(pod));
  return new Set([...pods.map(({ metadata }) => metadata.uid ?? ''), ...ids, anyCreation]);
}

/** @param selector the CloneSet's own, parsed */
export function observe(stores: Stores, cloneSet: CloneSet, selector: LabelMatcher): Snapshot {
  const { uid = '', namespace = '' } = cloneSet.metadata;
  const pods = [...stores.pods.byIndex(byOwner, uid, { namespace })].sort(byName);
  const claims = stores.claims
    .byIndex(byOwner, uid, { namespace })
    .filter((claim) => isControlledBy(claim, uid) && claim.metadata.deletionTimestamp === undefined)
    .sort(byName);
  const ownRevisions = (controller: string, inNamespace: string): readonly ControllerRevision[] =>
    stores.revisions.byIndex(byController, controller, { namespace: inNamespace });
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
    heldRevisions: { get: (name) => stores.revisions.get({ namespace, name }) },
    nodes: new Map(nodes.map((node) => [node.metadata.name, node])),
    takenNames: foreignNames(stores, cloneSet),
    mounts: mountsIn(stores, namespace),
    refused: stores.refusals?.of(uid, () => subjectsOf({ pods, claims })) ?? noneRefused,
    lastVanished: stores.vanished?.lastOf(uid) ?? '',
    ...(stores.imagePullJobs === undefined ? {} : { imagePullJobs: ownJobs(stores.imagePullJobs, uid, namespace) }),
  };
}
