/** Runs promtool of the project's binaries. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureBinaries, silent } from '@kruise/testing';

const run = promisify(execFile);

/** @returns what it printed. @throws with its errors when it fails */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const { promtool: path } = await ensureBinaries(['promtool'], silent);
  const running = run(path, args, { maxBuffer: 64 << 20 });
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
