/**
 * Tasks that the node does not answer: jobs would wait indefinitely for a node that is down or has no agent.
 * @see spec/image-pulling.md 5.3 step 5
 */
import type { ImageTagSpec, ImageTagStatus, NodeImage } from '@kruise/api';
import { compareUtf8, earliest, formatTime, imageLimits, parseTime, seconds, type Instant, type Milliseconds } from '@kruise/objects';
import { imagesOf, ownersOf, tagsOf, tagStatusesOf, versionOf } from '../images/node-image-tags.ts';

/** What a node gets to say that it has begun, and after a deadline to say how it ended. */
const responseTime = seconds(600);

/** The longest pause of an agent between two tries. */
const longestPause = seconds(30);
/** The message of a pull that the agent of the node has not answered. */
export const silentNode = 'node has not responded for a long time';

/** One task that counts as failed, as events report it. */
export interface Silence {
  /** e.g. `nginx:1.25`. */
  readonly image: string;
  readonly message: string;
  readonly owners: ReturnType<typeof ownersOf>;
}

export interface SilencePlan {
  /** The very same object when every node answers. */
  readonly nodeImage: NodeImage;
  readonly silences: readonly Silence[];
  readonly requeueAfter?: Milliseconds;
}

type Verdict =
  | { readonly kind: 'Fine' }
  | { readonly kind: 'Wait'; readonly leftMs: number }
  | { readonly kind: 'Failed'; readonly status: ImageTagStatus };

function verdictAt(deadline: number, now: Instant, failed: ImageTagStatus): Verdict {
  return now >= deadline
    ? { kind: 'Failed', status: { ...failed, completionTime: formatTime(now) } }
    : { kind: 'Wait', leftMs: deadline - now };
}

/** When the last try has ended for certain; the agent of a node that begins and dies says nothing more. */
function endOfTries({ pullPolicy }: ImageTagSpec, { startTime }: ImageTagStatus, createdAt: Instant): number {
  const longest = imageLimits.pullWithoutDeadline.value;
  const started = parseTime(startTime);
  // What waits for its turn on the node waits for images of others.
  if (started === undefined) return createdAt + longest;
  const { timeoutSeconds = 600, backoffLimit = 3 } = pullPolicy ?? {};
  return started + Math.min((backoffLimit + 1) * (seconds(timeoutSeconds) + longestPause), longest) + responseTime;
}

function judge(tag: ImageTagSpec, status: ImageTagStatus | undefined, now: Instant): Verdict {
  const createdAt = parseTime(tag.createdAt);
  if (createdAt === undefined) return { kind: 'Fine' };
  const [version, phase] = [versionOf(tag), 'Failed'] as const;
  if (status === undefined || versionOf(status) !== version) {
    return verdictAt(createdAt + responseTime, now, { tag: tag.tag, ...(version === 0 ? {} : { version }), phase, message: silentNode });
  }
  if (parseTime(status.completionTime) !== undefined) return { kind: 'Fine' };
  const { activeDeadlineSeconds } = tag.pullPolicy ?? {};
  if (activeDeadlineSeconds === undefined)
    return verdictAt(endOfTries(tag, status, createdAt), now, { ...status, phase, message: silentNode });
  const deadline = createdAt + seconds(activeDeadlineSeconds) + responseTime;
  return verdictAt(deadline, now, { ...status, phase, message: 'pulling exceeds the activeDeadlineSeconds' });
}

type ImageStatuses = Record<string, { tags: readonly ImageTagStatus[] }>;

/** Statuses of the tags that the spec has, with the new failures in. */
function statusesWith(nodeImage: NodeImage, failures: ReadonlyMap<string, readonly ImageTagStatus[]>): ImageStatuses {
  const entries = Object.entries(imagesOf(nodeImage)).flatMap(([name, image]): [string, { tags: readonly ImageTagStatus[] }][] => {
    const failed = failures.get(name) ?? [];
    const isFailed = new Set(failed.map(({ tag }) => tag));
    const isWanted = new Set(tagsOf(image).map(({ tag }) => tag));
    const kept = tagStatusesOf(nodeImage, name).filter(({ tag }) => isWanted.has(tag) && !isFailed.has(tag));
    const tags = [...kept, ...failed].sort((a, b) => compareUtf8(a.tag, b.tag));
    return tags.length === 0 ? [] : [[name, { tags }]];
  });
  return Object.fromEntries(entries);
}

function withFailures(nodeImage: NodeImage, failures: ReadonlyMap<string, readonly ImageTagStatus[]>): NodeImage {
  const imageStatuses = statusesWith(nodeImage, failures);
  const phases = Object.values(imageStatuses).flatMap(({ tags }) => tags.map(({ phase }) => phase));
  const count = (phase: ImageTagStatus['phase']): number => phases.filter((one) => one === phase).length;
  return {
    ...nodeImage,
    status: {
      ...nodeImage.status,
      desired: Object.values(imagesOf(nodeImage)).reduce((sum, image) => sum + tagsOf(image).length, 0),
      succeeded: count('Succeeded'),
      failed: count('Failed'),
      pulling: count('Pulling'),
      waiting: count('Waiting'),
      imageStatuses,
    },
  };
}

/** What the node should have answered by now. Entries of tasks that left the spec are the node's to drop, unless the status is written anyway. */
export function planSilence(nodeImage: NodeImage, now: Instant): SilencePlan {
  const failures = new Map<string, ImageTagStatus[]>();
  const silences: Silence[] = [];
  const waits: number[] = [];
  for (const [name, image] of Object.entries(imagesOf(nodeImage)))
    for (const tag of tagsOf(image)) {
      const verdict = judge(
        tag,
        tagStatusesOf(nodeImage, name).find((entry) => entry.tag === tag.tag),
        now,
      );
      if (verdict.kind === 'Wait') waits.push(verdict.leftMs);
      if (verdict.kind !== 'Failed') continue;
      failures.set(name, [...(failures.get(name) ?? []), verdict.status]);
      silences.push({ image: `${name}:${tag.tag}`, message: verdict.status.message ?? '', owners: ownersOf(tag) });
    }
  return {
    nodeImage: failures.size === 0 ? nodeImage : withFailures(nodeImage, failures),
    silences,
    ...earliest(waits),
  };
}
