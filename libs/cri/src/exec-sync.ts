import type { CriCaller, CriCallOptions } from './cri-channel.ts';

/** What a command came to. An exit code other than 0 is an answer, not an error. */
export interface ExecResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exitCode: number;
}

/**
 * Runs a command in a container and waits for its end; an exit code other than 0 is a result, not a failure.
 *
 * @param timeoutSeconds after which the runtime ends the command, 0 for never; the call then fails with `DeadlineExceeded`, at the latest 5 s later
 */
export const execSync = (
  cri: CriCaller,
  {
    containerId,
    command,
    timeoutSeconds,
  }: { readonly containerId: string; readonly command: readonly string[]; readonly timeoutSeconds: number },
  options: CriCallOptions = {},
): Promise<ExecResult> =>
  cri.call(
    'ExecSync',
    { containerId, cmd: command, timeout: timeoutSeconds },
    { timeoutMs: timeoutSeconds === 0 ? 0 : 5000 + timeoutSeconds * 1000, ...options },
  );
