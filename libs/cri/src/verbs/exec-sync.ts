import type { CriCaller, CriCallOptions } from '../cri-channel.ts';
import type { ExecResult } from '../exec/exec-answer.ts';

export type { ExecResult } from '../exec/exec-answer.ts';

/** Bytes of each output that are kept by default: enough for the output of a probe or a hook. */
const keptBytes = 10 * 1024;

/** A command, its limit and how much of its output is kept. */
export interface ExecRequest {
  readonly containerId: string;
  readonly command: readonly string[];
  /** The time after which the runtime ends the command, 0 for never. The call then fails with `DeadlineExceeded`, at most 5 s later. */
  readonly timeoutSeconds: number;
  /** Bytes kept of each output; the rest is dropped as it arrives. 10 KiB when absent. */
  readonly keepBytes?: number;
}

/** Runs a command in a container and waits for its end. An exit code other than 0 is a result, not a failure. */
export const execSync = (
  cri: CriCaller,
  { containerId, command, timeoutSeconds, keepBytes = keptBytes }: ExecRequest,
  options: CriCallOptions = {},
): Promise<ExecResult> =>
  cri.call(
    'ExecSync',
    { containerId, cmd: command, timeout: timeoutSeconds },
    { timeoutMs: timeoutSeconds === 0 ? 0 : 5000 + timeoutSeconds * 1000, ...options, keepBytes },
  );
