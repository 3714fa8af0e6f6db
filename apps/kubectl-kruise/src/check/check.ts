/** A check: a name, the facts that it reads, and a pure verdict from them. */
import type { At, FactName, Facts, FactValues } from './facts.ts';

/**
 * What a check found. `Advice` is no fault: the installation works, and something could be better. `Unknown` means that a fact could not be read.
 * `Skipped` means that the installation does not have what the check examines.
 */
export type Verdict =
  | { readonly kind: 'Sound'; readonly message: string }
  | { readonly kind: 'Skipped'; readonly message: string }
  /** `next` has a line for each step. */
  | { readonly kind: 'Advice' | 'Fault' | 'Unknown'; readonly message: string; readonly next: string };

/** A check as data: the table of the documentation, the report and the tests read it. */
export interface Check {
  readonly name: string;
  /** What is true when the check passes. */
  readonly title: string;
  readonly reads: readonly FactName[];
  readonly judge: (facts: Facts, at: At) => Verdict;
}

export const sound = (message: string): Verdict => ({ kind: 'Sound', message });
export const skipped = (message: string): Verdict => ({ kind: 'Skipped', message });
export const fault = (message: string, next: string): Verdict => ({ kind: 'Fault', message, next });
export const advice = (message: string, next: string): Verdict => ({ kind: 'Advice', message, next });

type Seen<K extends FactName> = { readonly [P in K]: FactValues[P] };

const unreadNext = {
  Forbidden: 'Run the check as a user who may read it.',
  TimedOut: 'Run the check again, or with a longer --request-timeout.',
  Unreachable: 'Check the connection to the API server.',
  Failed: 'Check the log of the API server.',
} as const;

/** Makes a check whose rule runs only when every fact was read; else the verdict is `Unknown` and names what is missing. */
export const check = <K extends FactName>(
  name: string,
  title: string,
  reads: readonly K[],
  rule: (seen: Seen<K>, at: At) => Verdict,
): Check => ({
  name,
  title,
  reads,
  judge: (facts, at) => {
    const seen: Partial<Record<FactName, unknown>> = {};
    for (const fact of reads) {
      const read = facts[fact];
      if (read.kind === 'Unread') return { kind: 'Unknown', message: read.message, next: unreadNext[read.why] };
      seen[fact] = read.value;
    }
    return rule(seen as unknown as Seen<K>, at);
  },
});

/** How many objects a verdict names. */
export const shownNames = 3;

/** A list for a sentence: the first three, and how many more there are. */
export const named = (names: readonly string[]): string => {
  const shown = names.slice(0, shownNames).join(', ');
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
};
