import type { CriCaller, CriCallOptions } from './cri-channel.ts';

/** Succeeds when CRI v1's image service answers, which is all that is asked. Within 10 s; `Unimplemented` for a runtime without CRI v1. */
export async function imageFsInfo(cri: CriCaller, options: CriCallOptions = {}): Promise<void> {
  await cri.call('ImageFsInfo', {}, { timeoutMs: 10_000, ...options });
}
