import type { CriCaller, CriCallOptions } from './cri-channel.ts';

/**
 * Ends a container: SIGTERM, then SIGKILL after `graceSeconds`. Returns when it has ended, within 5 s more than the grace. Stopping one that
 * has ended already succeeds; one that the runtime does not know is `NotFound` with some runtimes and success with others.
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
