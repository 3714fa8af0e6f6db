/** What a run does next. */
import type { JsonObject } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import type { Refusal } from './refusal.ts';

/** One write; the version of the object that was observed is its precondition. */
export type Write =
  | { readonly kind: 'Create'; readonly object: Untyped }
  /** `tried` is sent as a dry run before; a refusal ends the run. */
  | { readonly kind: 'Patch'; readonly object: Untyped; readonly patch: JsonObject; readonly tried?: JsonObject }
  /** Its Pods and ReplicaSets stay, without an owner. */
  | { readonly kind: 'Orphan'; readonly object: Untyped }
  /** A revision, which owns nothing. */
  | { readonly kind: 'Delete'; readonly object: Untyped };

/** Writes that concern different objects: their order does not matter. */
export interface WriteStep {
  readonly kind: 'Write';
  readonly writes: readonly Write[];
  readonly because: string;
  /** Printed before the writes. */
  readonly warnings?: readonly string[];
}

/** The next step of a move. */
export type Step =
  | { readonly kind: 'Refuse'; readonly refusals: readonly Refusal[] }
  | WriteStep
  | { readonly kind: 'Wait'; readonly because: string }
  | { readonly kind: 'Done' };

export const wait = (because: string): Step => ({ kind: 'Wait', because });
export const write = (because: string, ...writes: readonly Write[]): WriteStep => ({ kind: 'Write', writes, because });
export const patch = (object: Untyped, members: JsonObject): Extract<Write, { readonly kind: 'Patch' }> => ({
  kind: 'Patch',
  object,
  patch: members,
});
