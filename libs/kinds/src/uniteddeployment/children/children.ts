/** Which of the workloads that indexes brought up are a UnitedDeployment's children. Pure. @see spec/uniteddeployment.md 5.5 */
import { unitedDeploymentLabels } from '@kruise/api';
import { isTerminating, byName, isControlledBy, parseTime } from '@kruise/objects';
import { decideClaim, type Claimant } from '@kruise/pods';
import type { ChildObject } from '../snapshot/child-kinds.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

export const subsetOf = ({ metadata }: ChildObject): string => metadata.labels?.[unitedDeploymentLabels.subsetName] ?? '';

const ageOf = ({ metadata }: ChildObject): number => parseTime(metadata.creationTimestamp) ?? 0;

/** Of several children, the oldest one that is not being deleted stays. */
const byWhoStays = (a: ChildObject, b: ChildObject): number =>
  Number(isTerminating(a)) - Number(isTerminating(b)) || ageOf(a) - ageOf(b) || byName(a, b);

export type Claimed = Pick<Snapshot, 'adopted' | 'released' | 'duplicates'> & {
  /** One for each subset, by name of the subset. */
  readonly kept: readonly ChildObject[];
  /** Names of workloads that belong to no subset. */
  readonly nameless: readonly string[];
};

/** @param objects of the template's kind: those that the UnitedDeployment controls, and orphans of its namespace */
export function claimChildren(objects: readonly ChildObject[], claimant: Claimant): Claimed {
  const adopted: ChildObject[] = [];
  const released: Claimed['released'][number][] = [];
  const bySubset = new Map<string, ChildObject[]>();
  const nameless: string[] = [];
  for (const object of objects) {
    const isOwn = isControlledBy(object, claimant.uid);
    const subset = subsetOf(object);
    if (subset === '') {
      if (isOwn) nameless.push(object.metadata.name);
      continue;
    }
    const decision = decideClaim(object, claimant);
    if (decision.kind === 'Ignored') continue;
    if (decision.kind === 'Release') {
      released.push({ object, owners: decision.ownerReferences });
      continue;
    }
    if (decision.kind === 'Adopt') adopted.push(object);
    bySubset.set(subset, [...(bySubset.get(subset) ?? []), object]);
  }
  const groups = [...bySubset.values()].map((group) => group.toSorted(byWhoStays));
  const duplicates = groups.flatMap((group) => group.slice(1)).filter((object) => !isTerminating(object));
  const surplus = new Set(duplicates);
  return {
    kept: groups.flatMap((group) => group.slice(0, 1)).toSorted((a, b) => (subsetOf(a) < subsetOf(b) ? -1 : 1)),
    // What would be deleted the next moment is not adopted for it.
    adopted: adopted.filter((object) => !surplus.has(object)),
    duplicates: duplicates.filter((object) => isControlledBy(object, claimant.uid)),
    released,
    nameless,
  };
}
