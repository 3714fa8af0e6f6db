/**
 * Repeats a call that was lost with the replica that received it, because the API server itself never repeats one. In each part of the namespaces the
 * API server calls
 *
 *   again    for objects with a trace of an answer: they are copies, and it is unknown whether they were answered
 *   first    for everything else that is needed; if the call fails, which it does soon, the object passes unchanged
 *   REASON   for objects that still have no trace: that call failed, or there was nothing to change
 *
 * All except the second fail as the installer chose. So nothing passes unanswered unless the installer allows it, and a call is repeated only when it
 * was lost or changed nothing. In the part of all namespaces the first is the installer's own entry. There is one of the first two for all reasons
 * together, because the API server prepares the object again for each entry with conditions. Pure.
 */
import type { Webhook } from '../webhook-configuration.ts';
import { anyOf } from './formula.ts';
import type { NarrowedEntry } from './narrowed-entry.ts';

export type Chance = 'Again' | 'First' | 'Last';

/** There are up to two more for each part of the namespaces. */
export const mostChances = 12;
/** Maximum of all conditions of the entries together, in characters: those that never hold are evaluated twice for each object. */
export const longestChances = 10_000;

/** Many times what an answer takes, and little compared with what a request may take. */
const firstTimeoutSeconds = 3;
/** The API server's default. */
const defaultTimeoutSeconds = 10;

/** Returns whether a call that fails refuses the request. Otherwise there is nothing to repeat. */
export const isRefusedByFailure = (webhook: Webhook): boolean => (webhook['failurePolicy'] ?? 'Fail') === 'Fail';

export interface EntryOfChance {
  readonly entry: NarrowedEntry;
  readonly chance?: Chance;
}

/**
 * Returns the entries with second chances.
 *
 * @param entries as the API server calls them without second chances, the installer's own first
 */
export function chancesOf(entries: readonly NarrowedEntry[]): readonly EntryOfChance[] {
  const [base, ...needed] = entries;
  const parts = Map.groupBy(needed, ({ part }) => part);
  const isBaseUsed = parts.has('');
  const chances = [...parts].flatMap(([part, those]): readonly EntryOfChance[] => {
    const all = {
      part,
      namespace: those[0]?.namespace ?? [],
      own: anyOf(those.map(({ own }) => own)),
      before: those[0]?.before ?? anyOf([]),
    };
    return [
      { entry: { ...all, prefix: part === '' ? '' : `again${part}` }, chance: 'Again' },
      { entry: { ...all, prefix: `first${part}` }, chance: 'First' },
      ...those.map((entry) => ({ entry, chance: 'Last' as const })),
    ];
  });
  return base === undefined || isBaseUsed ? chances : [{ entry: base }, ...chances];
}

/**
 * Returns the condition of an entry: the mark first, because the rest is then evaluated only where it decides.
 *
 * @param answered CEL that holds for nearly every object that an answer has changed; it may hold for others
 */
export const expressionOf = (own: string, chance: Chance, answered: string): string =>
  `${chance === 'Again' ? '' : '!'}(${answered}) && ${own}`;

/** Returns the fields of a webhook for a call of this sort. */
export function membersFor(webhook: Webhook, chance: Chance | undefined): Partial<Webhook> {
  if (chance !== 'First') return {};
  const timeoutSeconds = Math.min(firstTimeoutSeconds, Number(webhook['timeoutSeconds'] ?? defaultTimeoutSeconds));
  return { failurePolicy: 'Ignore', timeoutSeconds };
}
