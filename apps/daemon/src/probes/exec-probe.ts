/** Exec probes. @see spec/podprobemarker.md 5.3 */
import { execSync, isCriFailure } from '@kruise/cri';
import { agentLimits, formatDuration, seconds } from '@kruise/objects';
import type { CriRuntime } from '../runtime/runtimes.ts';
import { failed, succeeded, type ProbeOutcome } from './probe-outcome.ts';

/** One more byte shows whether a message ends within a character. */
const keepBytes = agentLimits.probeMessageBytes.value + 1;

export interface ExecTarget {
  readonly runtime: CriRuntime;
  /** Without scheme. */
  readonly containerId: string;
}

/**
 * Runs a command in the container.
 *
 * @throws CriError when the runtime could not run it, which says nothing about the container
 */
export async function probeExec(
  { runtime, containerId }: ExecTarget,
  { command, timeoutSeconds }: { readonly command: readonly string[]; readonly timeoutSeconds: number },
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  try {
    const { exitCode, stdout, stderr } = await execSync(
      runtime.connection,
      { containerId, command, timeoutSeconds, keepBytes },
      { signal },
    );
    return exitCode === 0 ? succeeded(stdout) : failed(stderr);
  } catch (error) {
    if (!isCriFailure(error, 'DeadlineExceeded')) throw error;
    return failed(`command timed out: ${JSON.stringify(command.join(' '))} timed out after ${formatDuration(seconds(timeoutSeconds))}`);
  }
}
