/** Whether the nodes can get the pull secrets of a job. @see spec/image-pulling.md 5.5.1 */
import type { ImagePullJob } from '@kruise/api';
import { asError, isFailure } from '@kruise/kube';
import { messageOf, milliseconds, seconds } from '@kruise/objects';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import type { JobEvents } from './events.ts';
import type { SecretsAwaited, PullSecretReference } from '@kruise/kinds/imagepulljob';
import { syncSecrets, type SecretIo } from './sync-secrets.ts';

/** Between two looks at whether secrets can be read: while their first lists are awaited, and when they do not come. */
const shortSecretsWait = milliseconds(200);
const secretsWait = seconds(5);

type Readiness =
  | { readonly kind: 'Ready'; readonly references: readonly PullSecretReference[] }
  | { readonly kind: 'Waiting'; readonly secrets: SecretsAwaited };

const ready = (references: readonly PullSecretReference[]): Readiness => ({ kind: 'Ready', references });

interface Pass extends Pick<PassView, 'refusals' | 'signal'> {
  readonly events: JobEvents;
}

/**
 * Makes sure of the copies of the job's secrets, for which the rules are in plan-secrets.ts.
 *
 * @throws a Conflict when another client wrote a copy at the same time
 */
export async function observeSecrets(job: ImagePullJob, io: SecretIo, { events, refusals, signal }: Pass): Promise<Readiness> {
  const names = job.spec.pullSecrets ?? [];
  const { namespace = '' } = job.metadata;
  if (names.length === 0) return ready([]);
  if (namespace === io.copiesNamespace) return ready([...new Set(names)].map((name) => ({ namespace, name })));
  if (!io.stores.synced) {
    if (!io.stores.isOverdue) return { kind: 'Waiting', secrets: { again: shortSecretsWait } };
    events.pullSecretsUnreadable();
    return { kind: 'Waiting', secrets: { why: 'the manager cannot read Secrets', again: secretsWait } };
  }
  try {
    const { references, held } = await syncSecrets(io, { job, events, refusals, signal });
    return held === undefined ? ready(references) : { kind: 'Waiting', secrets: { why: messageOf(held) } };
  } catch (error) {
    if (signal.aborted || isFailure(error, 'Conflict', 'Aborted')) throw error;
    events.pullSecretRefused(error);
    return { kind: 'Waiting', secrets: { why: messageOf(error), failure: asError(error) } };
  }
}
