/** One run of a plugin: a request on its input, an answer on its output. @see spec/daemon.md 5.3 */
import { CommandFailed, runCommand, type CommandFailure } from '@kruise/kube';
import { formatDuration, unreachable, type Milliseconds } from '@kruise/objects';

export interface PluginRun {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables in addition to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly question: string;
  readonly timeout: Milliseconds;
}

function faultOf(failure: CommandFailure, timeout: Milliseconds): string {
  switch (failure.kind) {
    case 'NotStarted':
      return `cannot be started: ${failure.code}`;
    case 'TooLate':
      return `not done within ${formatDuration(timeout)}`;
    case 'TooLong':
      return `printed more than ${failure.longest} bytes`;
    case 'Failed':
      return `ended with ${failure.with}`;
    default:
      return unreachable(failure);
  }
}

/**
 * Runs a plugin.
 *
 * @param signal ends the plugin
 * @returns its output
 * @throws Error that contains nothing of its output
 */
export async function runPlugin({ question, timeout, ...command }: PluginRun, signal: AbortSignal): Promise<string> {
  try {
    return await runCommand({ ...command, input: { kind: 'Text', text: question }, errors: 'ignore', limit: timeout }, signal);
  } catch (error) {
    if (error instanceof CommandFailed) throw new Error(faultOf(error.failure, timeout), { cause: error });
    throw error;
  }
}
