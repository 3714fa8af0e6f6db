/** How far a job is. Pure. @see spec/image-pulling.md 5.5 step 7 */
import type { ImagePullJobStatus, NodeImage } from '@kruise/api';
import { formatTime, milliseconds, parseTime, seconds, sortUtf8, type Instant, type Milliseconds } from '@kruise/objects';
import { hasOwner, imageAt, tagAt, tagStatusAt, versionOf } from '../images/node-image-tags.ts';
import { missingReferences } from './plan-task.ts';
import type { Snapshot } from './snapshot.ts';

/** The nodes of a job by how far they are. */
export interface Progress {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
  readonly active: readonly string[];
  /** Without a task of this job, in the order in which they get one. */
  readonly unasked: readonly NodeImage[];
  /** Those with a task that lack a pull secret. */
  readonly untold: readonly NodeImage[];
  /** Those of the active ones that have not reported anything about the task. */
  readonly unanswered: readonly NodeImage[];
}

type State = 'succeeded' | 'failed' | 'active' | 'unanswered' | 'unasked';

function stateOf(nodeImage: NodeImage, { job, terms }: Snapshot): State {
  const tag = tagAt(nodeImage, terms.task);
  if (tag === undefined || !hasOwner(tag, job.metadata.uid ?? '')) return 'unasked';
  const status = tagStatusAt(nodeImage, terms.task);
  if (status === undefined || versionOf(status) !== versionOf(tag)) return 'unanswered';
  return status.phase === 'Succeeded' ? 'succeeded' : status.phase === 'Failed' ? 'failed' : 'active';
}

export function computeProgress(seen: Snapshot): Progress {
  const names: Record<'succeeded' | 'failed' | 'active', string[]> = { succeeded: [], failed: [], active: [] };
  const [unasked, untold, unanswered]: [NodeImage[], NodeImage[], NodeImage[]] = [[], [], []];
  for (const nodeImage of seen.nodeImages) {
    const state = stateOf(nodeImage, seen);
    if (state === 'unasked') {
      unasked.push(nodeImage);
      continue;
    }
    names[state === 'unanswered' ? 'active' : state].push(nodeImage.metadata.name);
    if (state === 'unanswered') unanswered.push(nodeImage);
    if (missingReferences(imageAt(nodeImage, seen.terms.task.name), seen.references).length > 0) untold.push(nodeImage);
  }
  return { ...names, unasked, untold, unanswered };
}

/** How long until the deadline, 0 or less when it is over; undefined for a job without one, as are all that do not end. */
export function untilDeadline({ job }: Pick<Snapshot, 'job'>, now: Instant): Milliseconds | undefined {
  const { activeDeadlineSeconds } = job.spec.completionPolicy ?? {};
  if (activeDeadlineSeconds === undefined) return undefined;
  return milliseconds((parseTime(job.status?.startTime) ?? now) + seconds(activeDeadlineSeconds) - now);
}

/** With one decimal; halves go to the even digit, as in the original. Of two decimals only .25 and .75 are halves that a number can be. */
function oneDecimal(value: number): string {
  return value % 1 === 0.25 ? `${Math.floor(value)}.2` : value.toFixed(1);
}

const progressText = (done: number, desired: number): string =>
  desired === 0 ? 'job is running, no progress' : `job is running, progress ${oneDecimal((100 * done) / desired)}%`;

/** A job that ended keeps its status; this is for one that has not. */
export function computeStatus(seen: Snapshot, { succeeded, failed, active, unasked }: Progress, now: Instant): ImagePullJobStatus {
  const { job, terms, nodeImages } = seen;
  const desired = nodeImages.length;
  const done = succeeded.length + failed.length;
  const counted = { startTime: job.status?.startTime ?? formatTime(now), desired, succeeded: succeeded.length };
  const isDone = done === desired;
  const left = untilDeadline(seen, now);
  if (!isDone && left !== undefined && left <= 0) {
    const names = sortUtf8([...failed, ...active, ...unasked.map(({ metadata }) => metadata.name)]);
    const message = 'job exceeds activeDeadlineSeconds';
    return { ...counted, active: 0, failed: names.length, failedNodes: names, completionTime: formatTime(now), message };
  }
  const ended = isDone && terms.ends;
  return {
    ...counted,
    active: active.length,
    failed: failed.length,
    ...(failed.length === 0 ? {} : { failedNodes: sortUtf8([...failed]) }),
    ...(ended ? { completionTime: formatTime(now) } : {}),
    message: ended ? 'job has completed' : progressText(done, desired),
  };
}
