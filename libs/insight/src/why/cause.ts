/** What `why` answers. */

/** Where a cause can be seen. */
export interface Evidence {
  /** `Pod web-1`. */
  readonly object: string;
  /** A path such as `status.conditions[Ready]`, or `event FailedMount`. */
  readonly field: string;
  readonly text: string;
  /** RFC 3339, when it is known since when. */
  readonly time?: string;
}

/** `Fault`: something is wrong. `Held`: a setting of a user holds the object, which may be what the user wants. */
export type Severity = 'Fault' | 'Held';

/** Why an object makes no progress. */
export interface Cause {
  /** One word, the same for the same cause: for scripts. */
  readonly reason: string;
  readonly severity: Severity;
  /** One sentence. */
  readonly message: string;
  /** What to do next. */
  readonly next: string;
  readonly evidence: readonly Evidence[];
}

/** What is known of an object. `Progressing`: it is not complete, and not for so long that something must be wrong. */
export type Verdict =
  | { readonly kind: 'Sound'; readonly message: string }
  | { readonly kind: 'Progressing'; readonly message: string }
  | { readonly kind: 'Stuck'; readonly causes: readonly [Cause, ...(readonly Cause[])] }
  | { readonly kind: 'Unknown'; readonly message: string };

interface Named {
  readonly kind?: string;
  readonly metadata: { readonly name: string };
}

export const nameOf = ({ kind, metadata }: Named, fallback = 'Pod'): string => `${kind ?? fallback} ${metadata.name}`;

/** Returns evidence in a field of an object. */
export const evidenceAt = (object: Named, field: string, text: string, time?: string): Evidence => ({
  object: nameOf(object),
  field,
  text,
  ...(time === undefined ? {} : { time }),
});

/** Returns a fault with one piece of evidence. */
export const fault = (reason: string, message: string, next: string, evidence: Evidence | readonly Evidence[]): Cause => ({
  reason,
  severity: 'Fault',
  message,
  next,
  evidence: 'object' in evidence ? [evidence] : evidence,
});

/** Returns a cause that is a setting. */
export const held = (reason: string, message: string, next: string, evidence: Evidence): Cause => ({
  reason,
  severity: 'Held',
  message,
  next,
  evidence: [evidence],
});

/** Returns the cause that finalizers keep a deleted object. */
export function keptByFinalizers(object: Named, finalizers: readonly string[], deletionTimestamp: string): Cause {
  const names = finalizers.join(', ');
  return fault(
    'WaitingForFinalizer',
    `${nameOf(object)} is kept by ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${names}`,
    'The owner of the finalizer must remove it.',
    evidenceAt(object, 'metadata.finalizers', names, deletionTimestamp),
  );
}
