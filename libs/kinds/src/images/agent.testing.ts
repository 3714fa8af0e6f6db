/** What the agent of a node makes of its NodeImage, without a container runtime: each task is begun in one step and ends in the next. */
import type { ImageTagSpec, ImageTagStatus, NodeImage } from '@kruise/api';
import { compareUtf8, formatTime, type Instant } from '@kruise/objects';
import { imagesOf, tagsOf, tagStatusesOf, versionOf } from './node-image-tags.ts';

export interface AgentOptions {
  /** Whether this pull fails; none does when absent. */
  readonly fails?: (image: string, node: string) => boolean;
  /** Whether this pull never ends; no pull hangs if absent. */
  readonly hangs?: (image: string, node: string) => boolean;
  /** Each task ends in the step that begins it. */
  readonly atOnce?: boolean;
}

function tagStep(tag: ImageTagSpec, held: ImageTagStatus | undefined, now: Instant, failed: boolean, atOnce: boolean): ImageTagStatus {
  const same = held !== undefined && versionOf(held) === versionOf(tag) ? held : undefined;
  if (same?.completionTime !== undefined) return same;
  const version = versionOf(tag) === 0 ? {} : { version: versionOf(tag) };
  const began = { tag: tag.tag, ...version, startTime: same?.startTime ?? formatTime(now) };
  if (same === undefined && !atOnce) return { ...began, phase: 'Pulling', progress: 0 };
  const ended = { ...began, completionTime: formatTime(now) };
  return failed
    ? { ...ended, phase: 'Failed', progress: 0, message: 'manifest unknown' }
    : { ...ended, phase: 'Succeeded', progress: 100, imageID: `${tag.tag}@sha256:0` };
}

/** The NodeImage with the agent's next status; the very same object when it has nothing to say. */
export function agentStep(
  nodeImage: NodeImage,
  now: Instant,
  { fails = () => false, hangs = () => false, atOnce = false }: AgentOptions = {},
): NodeImage {
  const { name: node } = nodeImage.metadata;
  const imageStatuses = Object.fromEntries(
    Object.entries(imagesOf(nodeImage)).map(([name, image]) => {
      const held = tagStatusesOf(nodeImage, name);
      const statuses = tagsOf(image).map((tag) => {
        const known = held.find((entry) => entry.tag === tag.tag);
        const what = `${name}:${tag.tag}`;
        return known?.phase === 'Pulling' && hangs(what, node) ? known : tagStep(tag, known, now, fails(what, node), atOnce);
      });
      return [name, { tags: statuses.sort((a, b) => compareUtf8(a.tag, b.tag)) }];
    }),
  );
  const phases = Object.values(imageStatuses).flatMap(({ tags }) => tags.map(({ phase }) => phase));
  const count = (phase: ImageTagStatus['phase']): number => phases.filter((one) => one === phase).length;
  const status = {
    desired: phases.length,
    succeeded: count('Succeeded'),
    failed: count('Failed'),
    pulling: count('Pulling'),
    waiting: 0,
    ...(phases.length === 0 ? {} : { imageStatuses }),
  };
  return JSON.stringify(status) === JSON.stringify(nodeImage.status) ? nodeImage : { ...nodeImage, status };
}
