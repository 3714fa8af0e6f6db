/**
 * A call that got lost with the replica it was on its way to is made once more, for the API server itself never repeats one. Each part of a
 * narrowed webhook is written three times, one behind the other, and a request is sent under
 *
 *   NAME-again   when it came with what only an answer leaves: it was copied from one that was answered, so that nobody could tell
 *   NAME-first   otherwise; if that call fails, which it does soon, the object goes on as it is
 *   NAME         when it still has nothing of what an answer leaves: that call failed, or there was nothing to do
 *
 * The first and the last fail as the installer wants it. So a request goes on unanswered only if the installer lets it, and is called twice only
 * when the first call was lost or changed nothing. Pure.
 */
import type { Webhook } from '../configuration/plan-webhook-configuration.ts';

/** Of a webhook's `matchConditions`. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Three times as many as parts. */
export const mostChances = 12;
/** Of all conditions of the parts together, in characters: the API server compiles and evaluates them three times. */
export const longestChances = 50_000;

/** Many times what an answer takes, and little beside what a request may take. */
const firstTimeoutSeconds = 3;
/** What the API server takes for a webhook that does not say. */
const defaultTimeoutSeconds = 10;

/** Whether a call that fails refuses the request; else there is nothing to be saved. */
export const isRefusedByFailure = (webhook: Webhook): boolean => (webhook['failurePolicy'] ?? 'Fail') === 'Fail';

/** The name keeps its first label's meaning: `sidecarset.mpod.kb.io` becomes `sidecarset-first.mpod.kb.io`. */
const renamed = (name: string, suffix: string): string => name.replace('.', `-${suffix}.`);

const withCondition = (webhook: Webhook, condition: MatchCondition): Webhook => ({
  ...webhook,
  matchConditions: [...((webhook['matchConditions'] as readonly MatchCondition[] | undefined) ?? []), condition],
});

/**
 * @param webhook one part of a webhook, whose name begins with a label of the part
 * @param answered CEL that holds for nearly every object that an answer has changed; it may hold for others
 * @param conditionName of the condition that is added
 */
export function withSecondChance(webhook: Webhook, answered: string, conditionName: string): readonly Webhook[] {
  const present = withCondition(webhook, { name: conditionName, expression: answered });
  const absent = withCondition(webhook, { name: conditionName, expression: `!(${answered})` });
  const timeoutSeconds = Math.min(firstTimeoutSeconds, Number(webhook['timeoutSeconds'] ?? defaultTimeoutSeconds));
  return [
    { ...present, name: renamed(webhook.name, 'again') },
    { ...absent, name: renamed(webhook.name, 'first'), failurePolicy: 'Ignore', timeoutSeconds },
    absent,
  ];
}
