/** Reads the stores into a snapshot. The only place that knows which index holds what. */
import { parsePodOrdinal, type Gates, type StatefulSet } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import {
  byName,
  controllerOf,
  isControlledBy,
  type ControllerRevision,
  type LabelMatcher,
  type Pod,
  type StorageClass,
  type Index,
} from '@kruise/objects';
import { listRevisions } from '@kruise/pods';
import { byController } from '@kruise/workloads';
import type { ClaimStores } from '../../workloads/pod-stores.ts';
import { ordinalOf, type Snapshot, slotsOf } from '@kruise/kinds/statefulset';

export interface Stores extends ClaimStores {
  readonly sets: StoreReader<StatefulSet>;
  /** Absent while claims are not resized. */
  readonly classes?: StoreReader<StorageClass>;
}

/** Pods without a controller, by the name of the StatefulSet whose member names theirs matches. */
export const orphansByParent: Index<Pod> = {
  name: 'orphanParent',
  valuesOf: (pod) => (controllerOf(pod) === undefined ? [parsePodOrdinal(pod.metadata.name)?.parent ?? []].flat() : []),
};

/** The names of its Pods: those that exist, and those of its slots. */
export function membersOf({ pods }: Stores, set: StatefulSet, gates: Gates): { readonly has: (name: string) => boolean } {
  const { namespace = '' } = set.metadata;
  const slots = slotsOf(set, gates);
  const isWanted = (name: string): boolean => slots.has(ordinalOf(set, { metadata: { name } }) ?? -1);
  return { has: (name) => isWanted(name) || pods.get({ namespace, name }) !== undefined };
}

/** @param selector the StatefulSet's own, parsed */
export function observe(stores: Stores, set: StatefulSet, selector: LabelMatcher): Snapshot {
  const { uid = '', namespace = '', name } = set.metadata;
  const orphans = stores.pods.byIndex(orphansByParent, name, { namespace });
  const pods = [...stores.pods.byIndex(byController, uid, { namespace }), ...orphans].sort(byName);
  const nodeNames = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
  const nodes = [...nodeNames].flatMap((node) => stores.nodes.get({ namespace: '', name: node }) ?? []);
  const held = (controller: string): readonly ControllerRevision[] => stores.revisions.byIndex(byController, controller, { namespace });
  const jobs = stores.imagePullJobs?.byIndex(byController, uid, { namespace });
  return {
    set,
    selector,
    pods,
    podNamed: { get: (pod) => stores.pods.get({ namespace, name: pod }) },
    claims: { get: (claim) => stores.claims.get({ namespace, name: claim }) },
    revisions: listRevisions([...held(''), ...held(uid)], { uid, selects: (carried) => selector.matches(carried) }),
    heldRevisions: { get: (revision) => stores.revisions.get({ namespace, name: revision }) },
    classes: { get: (className) => stores.classes?.get({ namespace: '', name: className }) },
    nodes: new Map(nodes.map((node) => [node.metadata.name, node])),
    ...(jobs === undefined
      ? {}
      : { imagePullJobs: jobs.filter((job) => isControlledBy(job, uid) && job.metadata.deletionTimestamp === undefined).sort(byName) }),
  };
}
