import type { CriCaller, CriCallOptions } from './cri-channel.ts';
import type { ExecResult } from './exec-answer.ts';

export type { ExecResult } from './exec-answer.ts';

/** Of each output, unless more is asked for: enough for what a probe or a hook has to say. */
const keptBytes = 10 * 1024;

/** A command, and what is wanted of it. */
export interface ExecRequest {
  readonly containerId: string;
  readonly command: readonly string[];
  /** After which the runtime ends the command, 0 for never; the call then fails with `DeadlineExceeded`, at the latest 5 s later. */
  readonly timeoutSeconds: number;
  /** Of each output: what comes first is kept, the rest dropped as it comes in; 10 KiB when absent. */
  readonly keepBytes?: number;
}

/** Runs a command in a container and waits for its end; an exit code other than 0 is a result, not a failure. */
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
