/**
 * Before a return to a release of OpenKruise that serves some kinds in v1alpha1 alone: has owner references name these kinds in that version.
 *
 *   storage version of the kind is v1alpha1? -> each dependent with a reference in v1beta1 -> the same reference in v1alpha1
 *
 * The garbage collector of Kubernetes looks an owner up in the version that a reference names. Where that version is not served, it deletes no
 * dependent of an owner that was deleted; and while it learns that a version is no longer served, it may take an existing owner for deleted.
 * References in v1alpha1 are valid with every release. A write of metadata restarts no container.
 * @see spec/helm-chart.md 12
 */
import { cloneSets, imagePullJobs, resourceDistributions, statefulSets, unitedDeployments } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import {
  configMaps,
  controllerRevisions,
  keyOf,
  persistentVolumeClaims,
  pods,
  refersToKind,
  secrets,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { builtInStatefulSets, deployments } from '@kruise/workloads';
import { readCrd, storageVersionOf } from './stored-crd.ts';
import { insist, writeEach, type MigrationParts, type Written } from './write-each.ts';

/** The kinds that releases up to 1.9 serve in v1alpha1 alone and that own objects, with the types of these. */
const dependents: ReadonlyMap<ResourceType, readonly ResourceType[]> = new Map<ResourceType, readonly ResourceType[]>([
  [cloneSets, [pods, controllerRevisions, persistentVolumeClaims, imagePullJobs]],
  [unitedDeployments, [controllerRevisions, cloneSets, statefulSets, builtInStatefulSets, deployments]],
  [resourceDistributions, [configMaps, secrets]],
]);

/** A manager that may not list them has copied nothing into them, and the job has the rights of the manager. */
const copies: readonly ResourceType[] = [configMaps, secrets];

/** What was done to the objects of a type. */
export interface Referenced extends Written {
  /** Plural and group, e.g. `pods` or `deployments.apps`. */
  readonly name: string;
}

const oldest = 'v1alpha1';

/** Returns whether objects of the kind are stored in v1alpha1, and there are any. */
async function isReturning(parts: MigrationParts, owner: ResourceType): Promise<boolean> {
  const crd = await insist(parts, () => readCrd(parts, `${owner.plural}.${owner.group}`));
  if (crd === undefined || storageVersionOf(crd) !== oldest) return false;
  const { items } = await insist(parts, () => parts.client.list(owner, { limit: 1, part: 'Metadata', signal: parts.signal }));
  return items.length > 0;
}

/** Returns the operations that change the references to these owners; each holds only as long as the reference is at its place. */
function operationsOn({ metadata: { ownerReferences = [] } }: KubeObject, owners: readonly ResourceType[]): readonly object[] {
  return ownerReferences.flatMap((reference, index) => {
    const owner = owners.find((one) => refersToKind(reference, one));
    const apiVersion = owner === undefined ? reference.apiVersion : `${owner.group}/${oldest}`;
    if (reference.apiVersion === apiVersion) return [];
    const path = `/metadata/ownerReferences/${index}`;
    return [
      { op: 'test', path: `${path}/uid`, value: reference.uid },
      { op: 'replace', path: `${path}/apiVersion`, value: apiVersion },
    ];
  });
}

const rewriteType = (parts: MigrationParts, type: ResourceType, owners: readonly ResourceType[]): Promise<Written> =>
  writeEach(parts, type, async (object) => {
    const operations = operationsOn(object, owners);
    if (operations.length === 0) return false;
    await parts.client.patch(type, keyOf(object), operations, { type: 'json', signal: parts.signal });
    return true;
  });

/**
 * Rewrites the references. Every step may run twice.
 *
 * @returns what was done for each type of which objects may have such references; nothing when all kinds are stored in v1beta1
 * @throws ApiError when the signal aborted first, or the cluster refuses to be asked
 */
export async function rewriteOwnerVersions(parts: MigrationParts): Promise<readonly Referenced[]> {
  const owners = new Map<ResourceType, ResourceType[]>();
  for (const [owner, types] of dependents)
    if (await isReturning(parts, owner)) for (const type of types) owners.set(type, [...(owners.get(type) ?? []), owner]);
  const done: Referenced[] = [];
  for (const [type, own] of owners) {
    const written = await rewriteType(parts, type, own).catch((error: unknown) => {
      if (isFailure(error, 'Forbidden') && copies.includes(type)) return undefined;
      throw error;
    });
    if (written !== undefined) done.push({ name: type.group === '' ? type.plural : `${type.plural}.${type.group}`, ...written });
  }
  return done;
}
