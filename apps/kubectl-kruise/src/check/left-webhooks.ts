/** Webhooks that no manager answers. */
import { objectNames } from '@kruise/api';
import { counted } from '@kruise/objects';
import { advice, fault, skipped, sound, type Verdict } from './check.ts';
import { failsClosed } from './installation.ts';

/** The command that deletes both webhook configurations of the installation. */
export const deleteWebhooks = `kubectl delete mutatingwebhookconfiguration/${objectNames.mutatingWebhooks} validatingwebhookconfiguration/${objectNames.validatingWebhooks}`;

/**
 * Returns what webhooks mean that no manager answers.
 *
 * @param inUse why that is not so, if it is not
 * @param origin whose webhooks they are, in the message; begins with a space
 */
export function leftWebhooks(entries: readonly object[], inUse: string | undefined, origin = ''): Verdict {
  if (entries.length === 0) return sound('none');
  if (inUse !== undefined) return skipped(inUse);
  const closed = entries.filter(failsClosed).length;
  return closed === 0
    ? advice(`The webhooks${origin} refuse no write, and no manager answers them.`, deleteWebhooks)
    : fault(
        `${counted(closed, `webhook${origin} refuses`, `webhooks${origin} refuse`)} writes, because no manager answers them.`,
        deleteWebhooks,
      );
}
