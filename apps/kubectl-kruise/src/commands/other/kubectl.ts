/** Commands that are plain kubectl: they get the same words, and their exit code is this program's. */
import type { Call, Run } from '../../cli/command.ts';

/** @param words of the command as kubectl calls it */
export const kubectlRun =
  (words: readonly string[]): Run =>
  async (call: Call, session) =>
    (await session.kubectl([...words, ...call.raw])).code;
