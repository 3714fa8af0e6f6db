/** Reads what a WorkloadSpread is decided by: the workload, its Pods and their nodes. @see spec/workloadspread.md 5.2 */
import type { WorkloadSpread } from '@kruise/api';
import type { StoreReader } from '@kruise/kube';
import { byName, jobs, type Node, type Pod } from '@kruise/objects';
import {
  byController,
  deployments,
  replicaSets,
  groupKindOf,
  isSameKind,
  type FoundWorkload,
  type WhiteListReading,
  targetOf,
} from '@kruise/workloads';
import type { Caches } from '../../caches/caches.ts';
import { UnknownKind, type WorkloadFinder } from '../../workloads/finder/index.ts';
import { isFiltered } from './observe-spread.ts';
import { type Observed, type Snapshot, replicasAtAll, versionOfWorkload, type VersionedKinds } from '@kruise/kinds/workloadspread';

export interface Sources {
  readonly finder: WorkloadFinder;
  readonly caches: Caches;
  readonly nodes: StoreReader<Node>;
  readonly whiteList: () => WhiteListReading;
  readonly versioned: VersionedKinds;
}

/** A kind that is not served is one of which there is no workload. */
async function findWorkload(
  { spec, metadata }: WorkloadSpread,
  { finder }: Sources,
  signal: AbortSignal,
): Promise<FoundWorkload | undefined> {
  const { apiVersion, kind, name } = spec.targetRef;
  try {
    const found = await finder.findExactly({ apiVersion, kind, name, namespace: metadata.namespace ?? '' }, signal);
    return found?.isBeingDeleted === true ? undefined : found;
  } catch (error) {
    if (error instanceof UnknownKind) return undefined;
    throw error;
  }
}

/** The paths of the number of Pods, if it is not in the usual field. */
function pathsOf(spread: WorkloadSpread, reading: WhiteListReading): readonly string[] {
  const own = spread.spec.targetFilter?.replicasPathList ?? [];
  const target = targetOf(spread);
  if (own.length > 0 || reading.kind !== 'Read' || target === undefined) return own;
  const { apiVersion } = spread.spec.targetRef;
  const listed = reading.kinds.find(
    (kind) => isSameKind(kind, target) && (kind.group === '' ? kind.version : `${kind.group}/${kind.version}`) === apiVersion,
  );
  return listed?.replicasPath === undefined || listed.replicasPath === '' ? [] : [listed.replicasPath];
}

async function replicaSetsOf(found: FoundWorkload | undefined, { caches }: Sources, signal: AbortSignal) {
  if (found === undefined || !isSameKind(deployments, groupKindOf(found))) return [];
  const { store, reflector } = caches.of(replicaSets, byController);
  if (!store.synced) await reflector.waitForSync(signal);
  return store.byIndex(byController, found.uid, { namespace: found.namespace });
}

/** A Job counts no Pod that its selector does not select, which it is about to let go. */
const isOf = (found: FoundWorkload | undefined, { metadata }: Pod): boolean =>
  found === undefined || !isSameKind(groupKindOf(found), jobs) || found.selector?.matches(metadata.labels ?? {}) === true;

/** @throws ApiError, and what is wrong with a path to the number of Pods */
export async function observe(spread: WorkloadSpread, sources: Sources, signal: AbortSignal): Promise<Observed> {
  const found = await findWorkload(spread, sources, signal);
  const paths = pathsOf(spread, sources.whiteList());
  const choice = { active: false, ofNone: paths.length > 0 };
  // Reads the Pods first, so that Pods of a scale-out that is just beginning are not among them.
  const all = found === undefined ? [] : (await sources.finder.podsOfFound(found, choice, signal)).pods;
  const total = found?.object === undefined || paths.length === 0 ? undefined : replicasAtAll(found.object, paths);
  if (total?.kind === 'Faulty') throw new Error(total.why);
  const version = versionOfWorkload(
    { kind: spread.spec.targetRef.kind, object: found?.object, replicaSets: await replicaSetsOf(found, sources, signal) },
    sources.versioned,
  );
  if (version.kind === 'NotYet') return version;
  const snapshot: Snapshot = {
    spread,
    pods: all.filter((pod) => isOf(found, pod) && isFiltered(spread, pod)).toSorted(byName),
    total: total?.value ?? (found === undefined ? 0 : found.replicas),
    workloadVersion: version.version,
    nodeOf: (name) => sources.nodes.get({ namespace: '', name }),
  };
  return { kind: 'Seen', snapshot };
}
