/** Reads the stores into a snapshot. The only place that knows which index holds what. @see spec/uniteddeployment.md 5.5 */
import { unitedDeploymentLabels, type UnitedDeployment } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import {
  byName,
  controllerOf,
  labelMatcherOrNothing,
  type ControllerRevision,
  type KubeObject,
  type LabelMatcher,
  type Pod,
  type Index,
} from '@kruise/objects';
import { listRevisions } from '@kruise/pods';
import { byController, type BuiltInWorkload } from '@kruise/workloads';
import {
  type ChildKind,
  type ChildObject,
  claimChildren,
  subsetOf,
  type Child,
  type Snapshot,
  type Workload,
} from '@kruise/kinds/uniteddeployment';

/** Workloads that name a subset and have no controller: only these are adopted. */
export const orphanedSubsets: Index<KubeObject> = {
  name: 'orphanedSubset',
  valuesOf: (object) =>
    controllerOf(object) === undefined && (object.metadata.labels?.[unitedDeploymentLabels.subsetName] ?? '') !== '' ? ['orphan'] : [],
};

/** Workloads of one kind. */
interface ChildSource {
  readonly kind: ChildKind;
  readonly store: StoreReader<ChildObject>;
}

export interface Stores {
  readonly united: StoreReader<UnitedDeployment>;
  readonly pods: StoreReader<Pod>;
  readonly revisions: StoreReader<ControllerRevision>;
}

/** Stores of children and their ReplicaSets. */
export interface ChildSources {
  /** Of the kinds that the cluster has. */
  readonly children: readonly ChildSource[];
  /** Where the Pods of Deployments are looked for; absent where no Deployment is a child. */
  readonly replicaSets: StoreReader<BuiltInWorkload> | undefined;
}

export type Sources = Stores & ChildSources;

export interface Observed {
  readonly seen: Snapshot;
  /** Names of workloads of the UnitedDeployment that name no subset. */
  readonly nameless: readonly string[];
}

/** Those that the child selects and controls; of a Deployment those that its ReplicaSets control. */
function podsOf(object: ChildObject, sources: Sources): readonly Pod[] {
  const { uid = '', namespace = '' } = object.metadata;
  const selector = labelMatcherOrNothing(object.spec?.selector ?? undefined);
  const controlled = <T extends KubeObject>(store: StoreReader<T>, owner: string): readonly T[] =>
    store.byIndex(byController, owner, { namespace, selector: (labels) => selector.matches(labels) });
  const sets = sources.replicaSets;
  const owners = sets === undefined ? [uid] : controlled(sets, uid).map(({ metadata }) => metadata.uid ?? '');
  return owners.flatMap((owner) => controlled(sources.pods, owner)).sort(byName);
}

/** Revisions that the selector matches, and those that are the UnitedDeployment's by their owner: the original labels some too sparsely. */
function revisionsOf(united: UnitedDeployment, selector: LabelMatcher, { revisions }: Sources): readonly ControllerRevision[] {
  const { uid = '', namespace = '' } = united.metadata;
  const held = (controller: string): readonly ControllerRevision[] => revisions.byIndex(byController, controller, { namespace });
  const orphans = held('').filter(({ metadata }) => selector.matches(metadata.labels));
  return listRevisions([...orphans, ...held(uid)], { uid, selects: () => true });
}

/** @param selector the UnitedDeployment's own, parsed */
export function observe(sources: Sources, united: UnitedDeployment, selector: LabelMatcher, kind: ChildKind): Observed {
  const { uid = '', namespace = '' } = united.metadata;
  const source = sources.children.find((one) => one.kind === kind);
  const own = (store: StoreReader<ChildObject>): readonly ChildObject[] => store.byIndex(byController, uid, { namespace });
  // Nothing is adopted to be deleted the next moment.
  const wanted = new Set((united.spec.topology?.subsets ?? []).map(({ name }) => name));
  const orphans = source?.store.byIndex(orphanedSubsets, 'orphan', { namespace }).filter((object) => wanted.has(subsetOf(object))) ?? [];
  const objects = source === undefined ? [] : [...own(source.store), ...orphans];
  const selects = ({ metadata }: KubeObject): boolean => selector.matches(metadata.labels);
  const { kept, nameless, ...ownership } = claimChildren(objects, { uid, isBeingDeleted: false, selects });
  return {
    seen: {
      united,
      selector,
      kind,
      children: kept.map((object): Child => ({ subset: subsetOf(object), object, pods: podsOf(object, sources) })),
      ...ownership,
      strays: sources.children
        .filter((one) => one.kind !== kind)
        .flatMap((one) => own(one.store).map((object): Workload => ({ kind: one.kind, object }))),
      revisions: revisionsOf(united, selector, sources),
      heldRevisions: { get: (name) => sources.revisions.get({ namespace, name }) },
      takenNames: { has: (name) => source?.store.get({ namespace, name }) !== undefined },
    },
    nameless,
  };
}
