/** Actions on the children. Pure. @see spec/uniteddeployment.md 5.6 */
import { unitedDeploymentAnnotations, unitedDeploymentLabels, type UnitedDeploymentSubset } from '@kruise/api';
import { counted, isPodReady, type Pod } from '@kruise/objects';
import type { Action, ActionOf } from './action.ts';
import { childTemplateOf, type ChildSpec } from '../snapshot/child-kinds.ts';
import { childNameOf } from './child-name.ts';
import { subsetOf } from './children.ts';
import { patchTextOf, withUncounted, type ChildWish } from './render.ts';
import { revisionOf } from '../nodes/reserved.ts';
import type { Child, Snapshot } from '../snapshot/snapshot.ts';

/** What a subset is to have. */
export interface Wanted {
  readonly subset: UnitedDeploymentSubset;
  readonly replicas: number;
  readonly partition: number;
  /** Pods beyond what the template allows that may be unavailable, as others run in their place. */
  readonly uncounted?: number;
}

const byName = ({ subset: a }: Wanted, { subset: b }: Wanted): number => (a.name < b.name ? -1 : 1);
const wishOf = ({ united, kind }: Snapshot, revision: string, wanted: Wanted): ChildWish => ({ united, kind, revision, ...wanted });

/** Children for subsets without one, sorted by name. */
export function planCreations(seen: Snapshot, revision: string, wanted: readonly Wanted[]): readonly ActionOf<'CreateChild'>[] {
  const { kind, united, children, takenNames } = seen;
  const { name, uid = '' } = united.metadata;
  const having = new Set(children.map(({ subset }) => subset));
  return wanted
    .filter(({ subset }) => !having.has(subset.name))
    .toSorted(byName)
    .map((one) => {
      const childName = childNameOf({ name, uid }, one.subset.name, (taken) => takenNames.has(taken));
      const because = `subset ${one.subset.name} needs ${counted(one.replicas, 'Pod')} and has no ${kind.name}`;
      return { kind: 'CreateChild', type: kind, name: childName, wish: wishOf(seen, revision, one), because };
    });
}

const isTerminating = ({ object }: Pick<Child, 'object'>): boolean => object.metadata.deletionTimestamp !== undefined;

/** Children of subsets that are no longer wanted. */
export const planDeletions = ({ kind, children, united }: Snapshot): readonly ActionOf<'DeleteChild'>[] => {
  const wanted = new Set((united.spec.topology?.subsets ?? []).map(({ name }) => name));
  return children
    .filter((child) => !wanted.has(child.subset) && !isTerminating(child))
    .map(({ object, subset }) => ({ kind: 'DeleteChild', type: kind, child: object, because: `there is no subset ${subset}` }));
};

/** Children from before the template was one of another kind. */
export const planStrays = ({ kind, strays }: Snapshot): readonly ActionOf<'DeleteStray'>[] =>
  strays
    .filter((stray) => !isTerminating(stray))
    .map((stray) => ({ kind: 'DeleteStray', type: stray.kind, child: stray.object, because: `the template is for a ${kind.name}` }));

/** How many Pods the child lets be unavailable, where that is not what it is to let; compared as a number, as a server fills in defaults. */
function unavailableInstead({ united, kind }: Snapshot, spec: ChildSpec, wanted: Wanted): readonly [boolean, string] {
  const { replicas } = wanted;
  const [held, next] = [spec, withUncounted(childTemplateOf(united, kind).spec, { kind, ...wanted })].map((one) =>
    kind.unavailable?.allows(one, replicas),
  );
  return [held !== undefined && next !== undefined && held !== next, `${held ?? 0} Pods may be unavailable instead of ${next ?? 0}`];
}

/** What of a child differs from what is wanted, in words; none for one that is as it should be. */
function differences(seen: Snapshot, revision: string, child: Child, wanted: Wanted): readonly string[] {
  const { metadata, spec = {} } = child.object;
  const held = metadata.labels?.[unitedDeploymentLabels.revision] ?? '';
  const replicas = spec.replicas ?? 1;
  const partition = seen.kind.partitionOf(spec);
  const found: readonly (readonly [boolean, string])[] = [
    [held !== revision, `revision ${held} instead of ${revision}`],
    [replicas !== wanted.replicas, `${replicas} replicas instead of ${wanted.replicas}`],
    [partition !== undefined && partition !== wanted.partition, `partition ${partition ?? 0} instead of ${wanted.partition}`],
    [metadata.annotations?.[unitedDeploymentAnnotations.subsetPatch] !== patchTextOf(wanted.subset), 'another patch'],
    unavailableInstead(seen, spec, wanted),
  ];
  return found.filter(([differs]) => differs).map(([, because]) => because);
}

/** Children that are not as they should be, sorted by name of the subset. */
export function planUpdates(seen: Snapshot, revision: string, wanted: readonly Wanted[]): readonly ActionOf<'UpdateChild'>[] {
  const { kind, children } = seen;
  const bySubset = new Map(children.map((child) => [child.subset, child]));
  return wanted.toSorted(byName).flatMap((one): readonly ActionOf<'UpdateChild'>[] => {
    const child = bySubset.get(one.subset.name);
    if (child === undefined || isTerminating(child)) return [];
    const because = differences(seen, revision, child, one);
    const wish = wishOf(seen, revision, one);
    return because.length === 0 ? [] : [{ kind: 'UpdateChild', type: kind, child: child.object, wish, because: because.join(', ') }];
  });
}

/** Actions that give up Pods, or add Pods without taking any. */
export interface Giving {
  readonly updates: readonly ActionOf<'UpdateChild'>[];
  readonly deletions: readonly ActionOf<'DeleteChild'>[];
}

interface Spared {
  readonly wanted: readonly Wanted[];
  /** Subsets that are no longer wanted, and whose children stay for now. */
  readonly kept: ReadonlySet<string>;
}

/**
 * The wanted replicas while children are missing or could not grow. The Pods of those children stay with other subsets: first with subsets that are
 * no longer wanted, then in the order of the subsets, so that a refusal does not shrink the application. Pods that no subset wants are deleted.
 *
 * @param refused subsets whose child could not be made or changed
 */
export function sparing({ children }: Snapshot, wanted: readonly Wanted[], refused: ReadonlySet<string>): Spared {
  const running = new Map(children.map(({ subset, object }) => [subset, object.spec?.replicas ?? 1]));
  const lacks = ({ subset, replicas }: Wanted): number =>
    refused.has(subset.name) ? Math.max(replicas - (running.get(subset.name) ?? 0), 0) : 0;
  let missing = wanted.reduce((sum, one) => sum + lacks(one), 0);
  const spare = (count: number): number => {
    const spared = Math.min(Math.max(count, 0), missing);
    missing -= spared;
    return spared;
  };
  const names = new Set(wanted.map(({ subset }) => subset.name));
  const unwanted = [...running].filter(([subset]) => !names.has(subset));
  const kept = new Set(unwanted.filter(([, replicas]) => spare(replicas) > 0).map(([subset]) => subset));
  return {
    kept,
    wanted: wanted.map((one) => ({ ...one, replicas: one.replicas + spare((running.get(one.subset.name) ?? 0) - one.replicas) })),
  };
}

/** Updates and deletions where the children of some subsets could not be made or changed. */
export function planGiving(seen: Snapshot, revision: string, wanted: readonly Wanted[], refused: ReadonlySet<string>): Giving {
  const spared = sparing(seen, wanted, refused);
  return {
    updates: planUpdates(seen, revision, spared.wanted),
    deletions: planDeletions(seen).filter(({ child }) => !spared.kept.has(subsetOf(child))),
  };
}

const ordinalOf = ({ metadata }: Pod): number => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

/**
 * Pods that block the update of a StatefulSet of Kubernetes, which waits for a Pod that cannot become ready at its old revision. Only after
 * the StatefulSet knows the new template; before that, it would recreate the Pod unchanged.
 */
export function planStuckPods({ kind, children }: Snapshot, revision: string): readonly ActionOf<'DeleteStuckPod'>[] {
  if (kind.name !== 'StatefulSet') return [];
  return children.flatMap(({ object, pods }) => {
    const { metadata, spec = {}, status } = object;
    const partition = kind.partitionOf(spec);
    const knows = metadata.labels?.[unitedDeploymentLabels.revision] === revision && status?.observedGeneration === metadata.generation;
    if (partition === undefined || !knows) return [];
    return pods
      .filter((pod) => pod.metadata.deletionTimestamp === undefined && !isPodReady(pod))
      .filter((pod) => ordinalOf(pod) >= partition && revisionOf(pod) !== revision)
      .map(
        (pod) => ({ kind: 'DeleteStuckPod', pod, because: 'it is not ready at its old revision, and the update waits for it' }) as const,
      );
  });
}

/** Adoption, release and duplicates: what has to be done before anything is decided about the children. */
export function planOwnership({ kind, adopted, released, duplicates }: Snapshot): readonly Action[] {
  return [
    ...adopted.map(
      (child) => ({ kind: 'AdoptChild', type: kind, child, because: 'the selector matches it and it has no controller' }) as const,
    ),
    ...released.map(
      ({ object, owners }) =>
        ({ kind: 'ReleaseChild', type: kind, child: object, owners, because: 'the selector no longer matches it' }) as const,
    ),
    ...duplicates.map((child) => ({ kind: 'DeleteDuplicate', type: kind, child, because: 'its subset has an older one' }) as const),
  ];
}
