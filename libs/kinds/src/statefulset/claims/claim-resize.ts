/** Growing the claims of a Pod before the Pod itself is updated. @see spec/statefulset.md 5.10 */
import type { StatefulSet } from '@kruise/api';
import { memoizedList, workloadLimits, type PersistentVolumeClaim, type PersistentVolumeClaimTemplate } from '@kruise/objects';
import type { Action } from '../snapshot/action.ts';
import { walkSlots, type Arrangement, type FilledSlot } from '../snapshot/arrangement.ts';
import {
  capacityOf,
  claimsOf,
  claimsOfSlots,
  hasItsSize,
  isClaimReady,
  isClaimTerminating,
  isMatched,
  isResized,
  isSameKind,
  lasting,
  requestOf,
} from './claims.ts';
import type { Context, Snapshot } from '../snapshot/snapshot.ts';
import { claimTemplatesOf, resizesClaims } from '../snapshot/strategy.ts';

type Lasting = ReturnType<typeof lasting>;

export type ClaimResize =
  /** Nothing must be resized: the Pod may be updated. */
  | { readonly kind: 'Done' }
  | { readonly kind: 'Resize'; readonly actions: readonly Action[] }
  /** The storage has not given what was requested yet. */
  | { readonly kind: 'Waiting' }
  /** The template requests what no resize brings about; `claim` is the first of them. */
  | { readonly kind: 'Impossible'; readonly claim: string; readonly why: string };

const done: ClaimResize = { kind: 'Done' };

const own = (set: StatefulSet, ordinal: number, { claims }: Pick<Snapshot, 'claims'>): Lasting => lasting(claimsOf(set, ordinal, claims));

/** Whether a Pod counts as unavailable because a claim has not the size that it requests. */
export const isWaitingForSize = (seen: Snapshot, ordinal: number, { gates }: Context): boolean =>
  resizesClaims(seen.set, gates) && !own(seen.set, ordinal, seen).every(({ claim, template }) => isClaimReady(claim, template));

/** Whether the claims of the Pod follow their templates, as far as anybody looks after that. */
export const areClaimsMatched = (seen: Snapshot, ordinal: number, { gates }: Context): boolean =>
  !resizesClaims(seen.set, gates) || own(seen.set, ordinal, seen).every(({ claim, template }) => isMatched(claim, template));

/** Why the claim cannot be brought to its template; undefined when it can. */
function obstacle({ claim, template, name }: Lasting[number], { classes }: Snapshot): string | undefined {
  if (!isSameKind(claim, template)) return `claim ${name} differs from its template in more than its size`;
  const className = claim.spec?.storageClassName ?? '';
  const held = classes.get(className);
  if (held === undefined) return `claim ${name} is of StorageClass ${JSON.stringify(className)}, which does not exist`;
  return held.allowVolumeExpansion === true ? undefined : `StorageClass ${className} of claim ${name} does not allow expansion`;
}

const because = ({ claim, template }: Lasting[number]): string =>
  `it requests ${requestOf(claim) ?? 'nothing'}, its template requests ${template.spec?.resources?.requests?.['storage'] ?? 'nothing'}`;

/** What the claims of one Pod need before its update. Missing and terminating ones are passed over. */
export function planClaimResize(seen: Snapshot, ordinal: number, { gates }: Context): ClaimResize {
  if (!resizesClaims(seen.set, gates)) return done;
  const claims = own(seen.set, ordinal, seen);
  const unmatched = claims.filter(({ claim, template }) => !isMatched(claim, template));
  for (const one of unmatched) {
    const why = obstacle(one, seen);
    if (why !== undefined) return { kind: 'Impossible', claim: one.name, why };
  }
  if (unmatched.length > 0)
    return {
      kind: 'Resize',
      actions: unmatched.map((one): Action => ({
        kind: 'ResizeClaim',
        claim: one.claim,
        resources: one.template.spec?.resources,
        because: because(one),
      })),
    };
  return claims.every(({ claim, template }) => isResized(claim, template)) ? done : { kind: 'Waiting' };
}

/**
 * Describes the first claim that requests a size it does not have yet; undefined when there is none, or when the manager does not resize claims.
 *
 * Examines only as many places without a Pod as a pass fills.
 */
export function resizeUnderWay(seen: Snapshot, arrangement: Arrangement, { gates }: Context): string | undefined {
  if (!resizesClaims(seen.set, gates)) return undefined;
  let missing = 0;
  for (const { ordinal, pod } of walkSlots(arrangement, () => missing >= workloadLimits.actionsOfPass.value)) {
    if (pod === undefined) missing++;
    const growing = own(seen.set, ordinal, seen).find(({ claim, template }) => isMatched(claim, template) && !hasItsSize(claim));
    if (growing !== undefined)
      return `claim ${growing.name} is being resized: it requests ${requestOf(growing.claim) ?? 'nothing'} and has ${capacityOf(growing.claim) ?? 'nothing'}`;
  }
  return undefined;
}

type Following = 'No' | 'Compatible' | 'Ready';

/** Whether a claim follows its template, and has its size: computed once for each claim that has changed. */
const followingOf = memoizedList((claim: PersistentVolumeClaim | undefined, template: PersistentVolumeClaimTemplate): Following => {
  if (claim === undefined || isClaimTerminating(claim) || !isMatched(claim, template)) return 'No';
  return isClaimReady(claim, template) ? 'Ready' : 'Compatible';
});

/** Number of Pods whose claim of each template follows it, and has its size. @see spec/statefulset.md 5.8 */
export const countClaims = (
  set: StatefulSet,
  filled: readonly FilledSlot[],
  held: Snapshot['claims'],
): readonly { readonly volumeClaimName: string; readonly compatibleReplicas: number; readonly compatibleReadyReplicas: number }[] =>
  claimTemplatesOf(set).map((template) => {
    const following = followingOf(template, claimsOfSlots(set, template, filled, held), template);
    return {
      volumeClaimName: template.metadata.name,
      compatibleReplicas: following.filter((one) => one !== 'No').length,
      compatibleReadyReplicas: following.filter((one) => one === 'Ready').length,
    };
  });
