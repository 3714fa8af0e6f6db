/**
 * One try of one task: is the image there, with which credentials can it be had, pull.
 *
 *   runtime away ----waited for, within the time of the try----> asked for the image
 *   there and IfNotPresent -> done        else -> each credential in turn, then as anybody; the first success ends it
 *
 * @see spec/daemon.md 5.2, 5.3
 */
import { annotations, userAgents } from '@kruise/api';
import { imageStatus, isCriFailure, listImages, pullImage, type CriCaller, type CriImage } from '@kruise/cri';
import type { Clock } from '@kruise/kube';
import { milliseconds, seconds, type Milliseconds } from '@kruise/objects';
import type { CriRuntime, Runtimes } from '../runtime/runtimes.ts';
import type { Credential } from './credentials/keyring.ts';
import type { Candidates, PullCredentials } from './credentials/pull-credentials.ts';
import { imageIdOf, isWantedImage } from './image-presence.ts';
import type { ImageTask } from './image-task.ts';

export interface PullTools {
  readonly runtimes: Pick<Runtimes, 'first' | 'missed' | 'trouble'>;
  readonly credentials: Pick<PullCredentials, 'candidates' | 'refused' | 'missed'>;
  readonly clock: Clock;
}

export interface Pull {
  readonly task: ImageTask;
  readonly imageRef: string;
  readonly repository: string;
}

/** `imageId` is '' when the runtime does not tell. */
export interface Pulled {
  readonly imageId: string;
}

const firstWait = seconds(1);
const longestWait = seconds(5);

/**
 * @param signal ends the try
 * @throws Error whose message is fit for the status
 */
export async function pullOnce(pull: Pull, tools: PullTools, signal: AbortSignal): Promise<Pulled> {
  const { runtime, image } = await lookForImage(pull, tools, signal);
  if (image !== undefined && pull.task.ifNotPresent) return { imageId: imageIdOf(pull.task, image) };
  await pullWithCredentials(runtime.connection, pull, tools, signal);
  const pulled = await findImage(runtime.connection, pull, signal).catch(() => undefined);
  return { imageId: pulled === undefined ? '' : imageIdOf(pull.task, pulled) };
}

/** Whether it failed for the credentials no code tells; reading them anew costs one call. */
async function pullWithCredentials(cri: CriCaller, pull: Pull, { credentials, clock }: PullTools, signal: AbortSignal): Promise<void> {
  let candidates: Candidates | undefined;
  let askedAt: Milliseconds | undefined;
  try {
    candidates = await credentials.candidates(pull.task, pull.repository, signal);
    signal.throwIfAborted();
    askedAt = clock.monotonic();
    await pullWithAny(cri, pull, candidates, signal);
  } catch (error) {
    // None for the image is no reason to read again what could be read; what is broken is.
    const hasNone = candidates?.credentials.length === 0 && candidates.faults.length === 0;
    if (!signal.aborted && hasNone) credentials.missed(pull.task);
    else if (!signal.aborted) credentials.refused(pull.task, askedAt ?? clock.monotonic());
    throw error;
  }
}

/** Waits until a runtime answers. */
async function lookForImage(
  pull: Pull,
  { runtimes, clock }: PullTools,
  signal: AbortSignal,
): Promise<{ readonly runtime: CriRuntime; readonly image: CriImage | undefined }> {
  for (let wait: number = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    signal.throwIfAborted();
    const runtime = runtimes.first;
    try {
      if (runtime !== undefined) return { runtime, image: await findImage(runtime.connection, pull, signal) };
    } catch (error) {
      if (!isCriFailure(error, 'Unavailable')) throw error;
    }
    runtimes.missed();
    await clock.sleep(milliseconds(wait), signal);
  }
}

/** How a runtime completes names without a registry is its own affair: for those its list has the last word. */
const isCompleted = ({ imageRef, repository }: Pull): boolean =>
  !imageRef.startsWith(`${repository}:`) && !imageRef.startsWith(`${repository}@`);

/** One that the runtime has under this name, however long it takes; runtimes that cannot be asked for one are asked for all. */
async function findImage(cri: CriCaller, pull: Pull, signal: AbortSignal): Promise<CriImage | undefined> {
  const { task, imageRef } = pull;
  try {
    const found = await imageStatus(cri, imageRef, { signal, timeoutMs: 0 });
    if (found !== undefined && isWantedImage(task, found)) return found;
    if (!isCompleted(pull)) return undefined;
  } catch (error) {
    if (!isCriFailure(error, 'Unimplemented', 'Refused', 'NotFound')) throw error;
  }
  return (await listImages(cri, { signal })).find((found) => isWantedImage(task, found));
}

/**
 * Credentials may be those of another image, or outdated, and the image public all the same: the last attempt is made without any, unless a registry
 * took credentials and said that it has no such image.
 */
async function pullWithAny(cri: CriCaller, pull: Pull, { credentials, faults }: Candidates, signal: AbortSignal): Promise<void> {
  const failures = new Set<string>(faults);
  let isMissing = false;
  for (const candidate of [...credentials, undefined]) {
    if (candidate === undefined && isMissing) break;
    try {
      await pullAs(cri, pull, candidate, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      isMissing ||= isCriFailure(error, 'NotFound');
      failures.add(`Failed to pull image reference "${pull.imageRef}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const [first = '', ...more] = failures;
  throw new Error(more.length === 0 ? first : `[${[first, ...more].join(', ')}]`);
}

async function pullAs(cri: CriCaller, { task, imageRef }: Pull, auth: Credential | undefined, signal: AbortSignal): Promise<void> {
  const sandbox = { labels: task.labels, annotations: { ...task.annotations, [annotations.pullingImageBy]: userAgents.daemon } };
  await pullImage(cri, { imageRef, sandbox, ...(auth === undefined ? {} : { auth }) }, { signal });
}
