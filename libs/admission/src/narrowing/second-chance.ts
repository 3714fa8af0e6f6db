/**
 * A call that got lost with the replica it was on its way to is made once more, for the API server itself never repeats one. In each part of the
 * namespaces the API server goes through
 *
 *   again    for what comes with a trace of an answer: it was copied, and nobody could tell whether it was answered
 *   first    for all else that is needed; if the call fails, which it does soon, the object goes on as it is
 *   REASON   for what still bears no trace: that call failed, or there was nothing to change
 *
 * All but the second fail as the installer wants it. So nothing goes on unanswered unless the installer lets it, and a call is repeated only when
 * it was lost or changed nothing. In the part of all namespaces the first is the installer's own entry. There is one of the first two for all reasons
 * together, for with each entry that has conditions the API server prepares the object anew. Pure.
 */
import type { Webhook } from '../configuration/webhook-configuration.ts';
import { anyOf } from './formula.ts';
import type { NarrowedEntry } from './narrowed-entry.ts';

export type Chance = 'Again' | 'First' | 'Last';

/** There are up to two more for each part of the namespaces. */
export const mostChances = 12;
/** Of all conditions of the entries together, in characters: those that hold for nothing are evaluated twice for each object. */
export const longestChances = 10_000;

/** Many times what an answer takes, and little beside what a request may take. */
const firstTimeoutSeconds = 3;
/** What the API server takes for a webhook that does not say. */
const defaultTimeoutSeconds = 10;

/** Whether a call that fails refuses the request; else there is nothing to be saved. */
export const isRefusedByFailure = (webhook: Webhook): boolean => (webhook['failurePolicy'] ?? 'Fail') === 'Fail';

export interface EntryOfChance {
  readonly entry: NarrowedEntry;
  readonly chance?: Chance;
}

/** @param entries as the API server is asked without second chances, the installer's own first. */
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
 * What is asked: the sign first, for the rest is then evaluated only where it decides.
 *
 * @param answered CEL that holds for nearly every object that an answer has changed; it may hold for others
 */
export const expressionOf = (own: string, chance: Chance, answered: string): string =>
  `${chance === 'Again' ? '' : '!'}(${answered}) && ${own}`;

/** What is in force for a call of this sort. */
export function membersFor(webhook: Webhook, chance: Chance | undefined): Partial<Webhook> {
  if (chance !== 'First') return {};
  const timeoutSeconds = Math.min(firstTimeoutSeconds, Number(webhook['timeoutSeconds'] ?? defaultTimeoutSeconds));
  return { failurePolicy: 'Ignore', timeoutSeconds };
}
