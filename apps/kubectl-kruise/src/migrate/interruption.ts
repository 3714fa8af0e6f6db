/** What an interrupted `migrate` says of the move: how far it is, and how it continues. */
import { counted } from '@kruise/objects';
import { migrationAnnotation, type Migration } from './plan-migration.ts';

/** What a run has done when it is interrupted. */
export interface InterruptedMigration {
  readonly names: { readonly src: string; readonly dst: string };
  readonly migration: Migration;
  /** Whether a write was sent whose answer did not arrive. */
  readonly isUnanswered: boolean;
  /** Whether the run moves all replicas, so that the same command moves the rest. */
  readonly movesAll: boolean;
}

function nextText({ migration: { total, srcMoved, dstMoved }, isUnanswered, movesAll, names }: InterruptedMigration): string {
  if (movesAll || (dstMoved === 0 && !isUnanswered)) return 'Run the same command again to continue.';
  if (isUnanswered) return `Compare spec.replicas of ${names.src} and ${names.dst}, and run the command again with the rest as --replicas.`;
  const rest = total - srcMoved;
  return rest === 0
    ? `Only the annotation ${migrationAnnotation} of ${names.dst} is left.`
    : `Run the command again with --replicas ${rest} to continue.`;
}

/** Returns the message of an interrupted run. */
export function migrationInterruptionText(interrupted: InterruptedMigration): string {
  const { migration, names, isUnanswered } = interrupted;
  const { total, srcMoved, dstMoved } = migration;
  const surplus = dstMoved > srcMoved ? `, and ${names.dst} has ${dstMoved - srcMoved} more` : '';
  const more = isUnanswered ? '; 1 more write may have succeeded' : '';
  const moved = `${srcMoved} of ${counted(total, 'replica')} were moved from ${names.src} to ${names.dst}`;
  return `Interrupted: ${moved}${surplus}${more}. ${nextText(interrupted)}`;
}
