/** What a pass sees of a job: the phase that it is in, its pull secrets, and its nodes. @see spec/image-pulling.md 5.4, 5.5 */
import { imagePullJobFinalizer, type ImagePullJob } from '@kruise/api';
import { formatKey, hasFinalizer, keyOf } from '@kruise/objects';
import { isActive, type NodeShares } from '@kruise/kinds/images';
import { lingersFor, planRelease, readTerms, type Seen, type Snapshot } from '@kruise/kinds/imagepulljob';
import type { PassView } from '../../workloads/passes/plan-definition.ts';
import { jobEvents } from './events.ts';
import { observeSecrets } from './observe-secrets.ts';
import { observe, type Known, type Stores } from './observe.ts';
import type { RefusedNodes } from './refused-nodes.ts';
import type { SecretIo } from './sync-secrets.ts';
import { isAwaited } from './triggers.ts';

/** What a pass reads. */
export interface JobSources {
  readonly stores: Stores;
  readonly secrets: SecretIo;
  readonly shares: NodeShares;
  readonly refused: RefusedNodes;
}

/** @throws a Conflict when another client wrote a copy of a secret at the same time */
export async function observeJob(sources: JobSources, job: ImagePullJob, view: PassView): Promise<Seen> {
  const { stores, secrets, shares, refused } = sources;
  const { now, refusals, recorder, signal } = view;
  const { uid = '' } = job.metadata;
  if (!isActive(job)) {
    refused.forget(uid);
    const lingering = lingersFor(job, secrets.stores.copies, now);
    const hasCopies = planRelease(formatKey(keyOf(job)), secrets.stores.copies, '').length > 0;
    return { kind: 'Over', job, lingering, hasCopies, isAwaited: isAwaited(job, stores.lists) };
  }
  const read = readTerms(job);
  if (read.kind === 'Faulty' || !hasFinalizer(job, imagePullJobFinalizer)) return { kind: 'Unheld' };
  const readiness = await observeSecrets(job, secrets, { events: jobEvents(recorder, job), refusals, signal });
  const seen = (more: Omit<Known, 'terms' | 'shares'>): Snapshot => observe(stores, job, { terms: read.terms, shares, ...more });
  if (readiness.kind === 'Waiting')
    return { kind: 'Waiting', secrets: readiness.secrets, snapshot: seen({ references: [], refused: new Set() }) };
  const { references } = readiness;
  return { kind: 'Ready', snapshot: seen({ references, refused: refused.of(uid), refusedFor: refused.untilAsked(uid) }) };
}

/** The job and its nodes as the stores show them now, which hold the pass's own writes; undefined for a job that is over. */
export function seenNow(stores: Stores, { job, ...known }: Snapshot): Snapshot | undefined {
  const present = stores.jobs.get(keyOf(job));
  return present === undefined || present.metadata.uid !== job.metadata.uid || !isActive(present)
    ? undefined
    : observe(stores, present, known);
}
