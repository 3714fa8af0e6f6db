import type { CriCaller, CriCallOptions } from './cri-channel.ts';

/** An image that the node holds, under all names that it has there. */
export interface CriImage {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  /** Bytes, decimal. */
  readonly size: string;
}

/** Every image on the node, in no order. Without a limit of its own: big nodes take their time. */
export async function listImages(cri: CriCaller, options: CriCallOptions = {}): Promise<readonly CriImage[]> {
  const { images } = await cri.call<{ readonly images: readonly CriImage[] }>('ListImages', {}, { timeoutMs: 0, ...options });
  return images;
}
