/** What the named objects of a workload contain together, or why that is not known. @see spec/config-rollout.md 3, 5 */
import { earliest, milliseconds, type Instant, type Milliseconds } from '@kruise/objects';
import type { BlockingCause } from '../progress/blocking-cause.ts';
import { configText, type ConfigReference } from './config-names.ts';

/** The state of one named object. */
export type ConfigState = (
  | { readonly kind: 'Known'; readonly digest: string }
  | { readonly kind: 'Missing' }
  /** It has been requested since then, without an answer. */
  | { readonly kind: 'Awaited'; readonly since: Instant }
) & {
  /** Since when the API server answers 403 Forbidden; undefined while it lets the manager read the object. */
  readonly forbiddenSince?: Instant | undefined;
};

/** The contents as one text, which is hashed. */
export type ConfigContent =
  | { readonly kind: 'Known'; readonly text: string }
  /** Without a cause while the first answers are still to come. */
  | { readonly kind: 'Unknown'; readonly cause?: BlockingCause; readonly requeueAfter?: Milliseconds };

/** An object that could not be read for so long is reported: an API server that starts refuses and delays reads for some seconds. */
export const configPatience: Milliseconds = milliseconds(10_000);

/** Returns the cause that `Blocked` names while a hash cannot be computed. */
export const configUnavailable = (message: string): BlockingCause => ({ reason: 'ConfigUnavailable', message });

const unreadable = (reference: ConfigReference, why = ''): ConfigContent => ({
  kind: 'Unknown',
  cause: configUnavailable(`${configText(reference)} of annotation config-rollout cannot be read${why}`),
});

/**
 * Returns the contents in the order of the references. A missing optional object is a content of its own. The first missing object precedes objects
 * that the manager may not read, and these precede objects without an answer.
 */
export function configContent(
  references: readonly ConfigReference[],
  stateOf: (reference: ConfigReference) => ConfigState,
  now: Instant,
): ConfigContent {
  const seen = references.map((reference) => ({ reference, state: stateOf(reference) }));
  const missing = seen.find(({ reference, state }) => state.kind === 'Missing' && !reference.isOptional);
  if (missing !== undefined)
    return { kind: 'Unknown', cause: configUnavailable(`${configText(missing.reference)} of annotation config-rollout does not exist`) };
  const forbidden = seen.find(({ state: { forbiddenSince } }) => forbiddenSince !== undefined && forbiddenSince + configPatience <= now);
  if (forbidden !== undefined) return unreadable(forbidden.reference, ': the API server answers 403 Forbidden to the manager');
  const waits = seen.flatMap(({ reference, state }) =>
    state.kind === 'Awaited' ? [{ reference, left: milliseconds(state.since + configPatience - now) }] : [],
  );
  if (waits.length === 0) {
    const lines = seen.map(({ reference, state }) => `${configText(reference)} ${state.kind === 'Known' ? state.digest : ''}\n`);
    return { kind: 'Known', text: lines.join('') };
  }
  const overdue = waits.find(({ left }) => left <= 0);
  return overdue === undefined ? { kind: 'Unknown', ...earliest(waits.map(({ left }) => left)) } : unreadable(overdue.reference);
}
