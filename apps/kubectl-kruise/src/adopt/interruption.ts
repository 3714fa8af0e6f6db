/** What an interrupted run says of the move: how far it is, and how it continues. */
import { controllerOf, counted, isControlledBy, isTerminating, memberAt, unreachable } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import { adoptMark, isMarked, isOrphanOf, sourcePods, uidOf, type Observed } from './observed/observed.ts';
import type { Write } from './step.ts';

/** What a run has done when it is interrupted. */
export interface Interrupted {
  readonly names: { readonly source: string; readonly target: string };
  /** Of this run; the API server has confirmed each of them. */
  readonly writes: number;
  /** Writes that were sent and whose answer did not arrive. */
  readonly unanswered: number;
  /** What the run observed last. `Hold` and `Released`: the source does not exist any more. */
  readonly last:
    | { readonly kind: 'Nothing' }
    | { readonly kind: 'Source'; readonly seen: Observed }
    | { readonly kind: 'Hold' }
    | { readonly kind: 'Released' };
  /** The confirmed writes since then. */
  readonly since: readonly Write[];
}

interface Handed {
  readonly moved: number;
  readonly all: number;
}

/** Counts the Pods that have the new owner, and all that get it. A controller of the target that adopts Pods itself may be ahead of it. */
function handedPods(seen: Observed, since: readonly Write[]): Handed {
  const { target, replicaSets } = seen;
  const sets = replicaSets.filter((one) => target !== undefined && isControlledBy(one, uidOf(target)));
  const owners = new Set([...(target === undefined ? [] : [target]), ...sets].map(uidOf));
  const changed = new Set(since.map(({ object }) => uidOf(object)));
  const own = new Set(sourcePods(seen));
  const present = seen.pods.filter((pod) => !isTerminating(pod));
  const isMoved = (pod: Untyped): boolean => owners.has(controllerOf(pod)?.uid ?? '') || changed.has(uidOf(pod));
  const moved = present.filter(isMoved).length;
  const left = present.filter((pod) => !isMoved(pod) && (own.has(pod) || isOrphanOf(seen, pod))).length;
  return { moved, all: moved + left };
}

/** Returns whether the write takes the mark from an object: of the target, it ends the hold. */
const removesMark = (write: Write): boolean =>
  write.kind === 'Patch' && memberAt(write.patch, 'metadata', 'annotations', adoptMark) === null;

function sourceText({ names, since }: Interrupted, seen: Observed): string {
  const { source, target } = seen;
  const isDeleted = isTerminating(source) || since.some(({ kind, object }) => kind === 'Orphan' && uidOf(object) === uidOf(source));
  if (!isDeleted) return `${names.source} has its Pods`;
  if (target !== undefined && (!isMarked(target) || since.some(removesMark))) return `${names.target} has the Pods`;
  const { moved, all } = handedPods(seen, since);
  return moved < all
    ? `${moved} of ${counted(all, 'Pod is', 'Pods are')} handed over to ${names.target}`
    : `${names.target} has the Pods, and is on hold`;
}

function progressText(interrupted: Interrupted): string {
  const { names, last, since } = interrupted;
  switch (last.kind) {
    case 'Nothing':
      return 'nothing was changed';
    case 'Source':
      return sourceText(interrupted, last.seen);
    case 'Hold':
      return `${names.target} has the Pods${since.some(removesMark) ? '' : ', and is on hold'}`;
    case 'Released':
      return `${names.target} has the Pods`;
    default:
      return unreachable(last);
  }
}

/** Returns the message of an interrupted run. */
export function interruptionText(interrupted: Interrupted): string {
  const { writes, unanswered } = interrupted;
  const when = writes === 0 ? 'Interrupted' : `Interrupted after ${counted(writes, 'write')}`;
  const more = unanswered === 0 ? '' : `; ${counted(unanswered, 'more write')} may have succeeded`;
  return `${when}: ${progressText(interrupted)}${more}. Run the same command again to continue.`;
}
