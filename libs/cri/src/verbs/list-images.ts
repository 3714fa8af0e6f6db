import type { CriCaller, CriCallOptions } from '../cri-channel.ts';

/** An image that the node has, with all its names there. */
export interface CriImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  /** Bytes, decimal. */
  readonly size: string;
}

/** Returns every image on the node, in no order. Without a time limit of its own, because nodes with many images need long. */
export async function listImages(cri: CriCaller, options: CriCallOptions = {}): Promise<readonly CriImage[]> {
  const { images } = await cri.call<{ readonly images: readonly CriImage[] }>('ListImages', {}, { timeoutMs: 0, ...options });
  return images;
}
