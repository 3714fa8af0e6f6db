/** Runs the plugin as this process. */
import { rootCommand } from './commands/table.ts';
import { processHost } from './process-host.ts';
import { runProgram } from './run-program.ts';

/** Runs the command line and sets the exit code of the process. */
export async function runProcess(words: readonly string[]): Promise<void> {
  const host = processHost();
  process.exitCode = await runProgram(rootCommand, words, host);
  host.end();
}
