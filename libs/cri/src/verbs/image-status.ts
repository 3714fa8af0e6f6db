import type { CriCaller, CriCallOptions } from '../cri-channel.ts';
import type { CriImage } from './list-images.ts';

/**
 * Returns one image of the node, undefined when the node does not have it. Within 10 s.
 *
 * @param imageRef a reference or an id; the runtime decides how short names are completed
 */
export async function imageStatus(cri: CriCaller, imageRef: string, options: CriCallOptions = {}): Promise<CriImage | undefined> {
  const { image } = await cri.call<{ readonly image: CriImage | null }>(
    'ImageStatus',
    { image: { image: imageRef } },
    { timeoutMs: 10_000, ...options },
  );
  return image ?? undefined;
}
