/** Prometheus' own tool, which judges expositions, rules and their tests. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureBinaries } from '../cluster/binaries/index.ts';
import { silent } from '../cluster/progress.ts';

const run = promisify(execFile);

/** @returns what promtool printed. @throws with its errors, and its exit code in `code`, when it fails */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const { promtool: path } = await ensureBinaries(['promtool'], silent);
  const running = run(path, args, { maxBuffer: 64 << 20 });
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}

/** What promtool exits with when it parses a text and has advice on names, which are those of the original. */
const advice = 3;

/** Returns why promtool cannot parse the metrics of a program, '' when it parses them to the last byte. */
export async function expositionFault(text: string): Promise<string> {
  if (text === '') return 'there is no text';
  try {
    await promtool(['check', 'metrics'], text);
    return '';
  } catch (error) {
    const { code, stderr } = error as { readonly code?: number; readonly stderr?: string };
    return code === advice ? '' : (stderr ?? String(error));
  }
}
