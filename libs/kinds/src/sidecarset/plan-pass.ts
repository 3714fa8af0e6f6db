/**
 * What one pass over a SidecarSet does with its plan. Pure.
 *
 *   revision | status -> housekeeping -> [a write in doubt: wait] -> conditions of Pods -> ends of hot upgrades, updates
 *
 * The status counts the Pods as they were seen, so it is written before they change.
 * @see spec/sidecarset.md 5.5
 */
import type { SidecarSet, SidecarSetStatus } from '@kruise/api';
import { workloadLimits, type Stage } from '@kruise/objects';
import type { Action } from './action.ts';
import { plan, type Plan } from './plan.ts';
import type { Context, Snapshot } from './snapshot.ts';
import { isStatusChanged } from './status.ts';

/** What a pass could read. */
export interface Seen {
  readonly snapshot: Snapshot;
  /** Present while a write to a Pod may have taken effect that the snapshot does not show. `failure`: why the API server could not answer whether it has. */
  readonly doubt?: { readonly failure?: Error };
}

export interface PassPlan extends Omit<Plan, 'status'> {
  /** The status if it differs, and the revision of the present version exists. */
  readonly opening?: SidecarSetStatus;
  /** True while no Pod is changed, because one Pod too many could be out of service. */
  readonly isInDoubt: boolean;
}

export function planPass({ snapshot, doubt }: Seen, context: Context): PassPlan {
  const { status, ...next } = plan(snapshot, context);
  const isOpened = next.revisions.length === 0 && isStatusChanged(snapshot.sidecarSet, status);
  return { ...next, ...(isOpened ? { opening: status } : {}), isInDoubt: doubt !== undefined };
}

const burst = workloadLimits.actionsOfPass.value;

/** The stage that runs whatever happens to the status. */
export const housekeepingStage = 'housekeeping';

/**
 * Until the present version has its revision, no Pod is updated to it. What is refused for one Pod delays no other.
 *
 * @param guarded the guard of updates, if there is one
 */
export function stagesOf(
  { revisions, housekeeping, conditions, changes, isInDoubt }: PassPlan,
  guarded: Pick<Stage<Action>, 'guard'>,
): readonly Stage<Action>[] {
  if (revisions.length > 0) return [{ name: 'revisions', actions: revisions, onFailure: 'Collect', pace: 'AtOnce', burst }];
  const tidy: Stage<Action> = { name: housekeepingStage, actions: housekeeping, onFailure: 'Log', pace: 'AtOnce', burst };
  if (isInDoubt) return [tidy];
  return [
    tidy,
    { name: 'conditions', actions: conditions, onFailure: 'Collect', pace: 'AtOnce', burst },
    { name: 'changes', actions: changes, onFailure: 'Collect', pace: 'AtOnce', burst, ...guarded },
  ];
}

/** The uid of the Pod that an action updates, or whose update it ends. */
export function subjectsOf(action: Action): readonly string[] {
  const pod = action.kind === 'UpdatePod' || action.kind === 'FlipPod' ? action.pod : undefined;
  return pod?.metadata.uid === undefined ? [] : [pod.metadata.uid];
}

/** The counters that a first status must have. */
const noPods = { matchedPods: 0, readyPods: 0, updatedPods: 0 };

/**
 * Returns the status that remembers the names of revisions that were taken; undefined if it does so already. Nothing is counted in it, because the
 * revision of the present version is written first.
 *
 * @param collisionCount number of names that were taken
 */
export const statusWithCollisions = ({ status }: SidecarSet, collisionCount: number): SidecarSetStatus | undefined =>
  collisionCount <= (status?.collisionCount ?? 0) ? undefined : { ...(status ?? noPods), collisionCount };
