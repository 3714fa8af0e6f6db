/** What a run does next. */
import type { JsonObject } from '@kruise/objects';
import type { Untyped } from '../objects/untyped.ts';
import type { Refusal } from './refusals.ts';

/** One write; the version of the object that was observed is its precondition. */
export type Write =
  | { readonly kind: 'Create'; readonly object: Untyped }
  | { readonly kind: 'Patch'; readonly object: Untyped; readonly patch: JsonObject }
  /** Its Pods and ReplicaSets stay, without an owner. */
  | { readonly kind: 'Orphan'; readonly object: Untyped }
  /** A revision, which owns nothing. */
  | { readonly kind: 'Delete'; readonly object: Untyped };

/** The next step of a move. */
export type Step =
  | { readonly kind: 'Refuse'; readonly refusals: readonly Refusal[] }
  /** The writes concern different objects, and their order does not matter. */
  | { readonly kind: 'Write'; readonly writes: readonly Write[]; readonly because: string }
  | { readonly kind: 'Wait'; readonly because: string }
  | { readonly kind: 'Done' };

export const wait = (because: string): Step => ({ kind: 'Wait', because });
export const write = (because: string, ...writes: readonly Write[]): Step => ({ kind: 'Write', writes, because });
export const patch = (object: Untyped, members: JsonObject): Write => ({ kind: 'Patch', object, patch: members });
