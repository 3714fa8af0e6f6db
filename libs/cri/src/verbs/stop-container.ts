import type { CriCaller, CriCallOptions } from '../cri-channel.ts';

/**
 * Stops a container: SIGTERM, then SIGKILL after `graceSeconds`. Returns when it has ended, at most 5 s after the grace period. Stopping a container
 * that has ended already succeeds. For one that the runtime does not know, some runtimes answer `NotFound` and others success.
 *
 * @param graceSeconds whole seconds, 0 or more
 */
export async function stopContainer(
  cri: CriCaller,
  containerId: string,
  graceSeconds: number,
  options: CriCallOptions = {},
): Promise<void> {
  await cri.call('StopContainer', { containerId, timeout: graceSeconds }, { timeoutMs: 5000 + graceSeconds * 1000, ...options });
}
