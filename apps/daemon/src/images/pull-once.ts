/**
 * One attempt of one task: does the image exist, which credentials are there, pull.
 *
 *   runtime unreachable ----waited for, within the time of the attempt----> image requested
 *   exists and IfNotPresent -> done        else -> each credential in turn, then anonymously; the first success ends it
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
import type { ImageTask } from './task/image-task.ts';

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

/** `imageId` is '' when the runtime does not report it. */
export interface Pulled {
  readonly imageId: string;
}

const firstWait = seconds(1);
const longestWait = seconds(5);

/**
 * Attempts a pull.
 *
 * @param signal ends the attempt
 * @throws Error whose message is suitable for the status
 */
export async function pullOnce(pull: Pull, tools: PullTools, signal: AbortSignal): Promise<Pulled> {
  const { runtime, image } = await lookForImage(pull, tools, signal);
  if (image !== undefined && pull.task.ifNotPresent) return { imageId: imageIdOf(pull.task, image) };
  await pullWithCredentials(runtime.connection, pull, tools, signal);
  const pulled = await findImage(runtime.connection, pull, signal).catch(() => undefined);
  return { imageId: pulled === undefined ? '' : imageIdOf(pull.task, pulled) };
}

/** Pulls with credentials. No code shows whether a failure is due to the credentials; reading them again costs one call. */
async function pullWithCredentials(cri: CriCaller, pull: Pull, { credentials, clock }: PullTools, signal: AbortSignal): Promise<void> {
  let candidates: Candidates | undefined;
  let askedAt: Milliseconds | undefined;
  try {
    candidates = await credentials.candidates(pull.task, pull.repository, signal);
    signal.throwIfAborted();
    askedAt = clock.monotonic();
    await pullWithAny(cri, pull, candidates, signal);
  } catch (error) {
    // Readable secrets without a credential for the image need not be read again; malformed ones are.
    const hasNone = candidates?.credentials.length === 0 && candidates.faults.length === 0;
    if (!signal.aborted && hasNone) credentials.missed(pull.task);
    else if (!signal.aborted) credentials.refused(pull.task, askedAt ?? clock.monotonic());
    throw error;
  }
}

/** Waits until a runtime answers, and looks for the image. */
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

/** Returns whether the runtime completes the name. How it completes names without a registry is its own decision: for those its list decides. */
const isCompleted = ({ imageRef, repository }: Pull): boolean =>
  !imageRef.startsWith(`${repository}:`) && !imageRef.startsWith(`${repository}@`);

/** Returns an image that the runtime has with this name, however long it takes; runtimes that cannot list one image list all. */
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
 * Pulls with any credential. Credentials may be those of another image, or outdated, and the image may still be public: the last attempt is
 * anonymous, unless a registry accepted credentials and reported that it has no such image.
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
