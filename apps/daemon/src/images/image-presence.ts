/** Decides whether an image of the runtime is the one that a task requests. Pure. @see spec/daemon.md 5.2 */
import type { CriImage } from '@kruise/cri';
import { isSameImage } from '@kruise/objects';
import { isDigest, type ImageTask } from './task/image-task.ts';

type Wanted = Pick<ImageTask, 'image' | 'tag'>;

/** Returns whether an image matches by tag, or by digest when the task names one; names are compared in their full form. */
export function isWantedImage({ image, tag }: Wanted, found: Pick<CriImage, 'repoTags' | 'repoDigests'>): boolean {
  return isDigest(tag)
    ? found.repoDigests.some((known) => isSameImage(known, `${image}@${tag}`))
    : found.repoTags.some((known) => isSameImage(known, `${image}:${tag}`));
}

/** Returns the id as in the status. */
export const imageIdOf = ({ image }: Wanted, { id }: Pick<CriImage, 'id'>): string => `${image}@${id}`;
