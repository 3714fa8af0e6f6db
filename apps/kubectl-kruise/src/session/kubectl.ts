/** Runs the kubectl of the PATH. */
import { spawn } from 'node:child_process';
import { UserError } from '../failure.ts';
import type { KubectlHow, KubectlResult } from '../session.ts';

/** @throws UserError when there is no kubectl */
export function runKubectl(args: readonly string[], how: KubectlHow = {}): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('kubectl', args, {
      stdio: [how.input === undefined ? 'inherit' : 'pipe', how.capture === true ? 'pipe' : 'inherit', 'inherit'],
    });
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stdin?.on('error', () => undefined).end(how.input);
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(new UserError(error.code === 'ENOENT' ? 'kubectl is not in the PATH, and this command needs it' : error.message)),
    );
    child.on('close', (code, signal) => resolve({ code: code ?? (signal === null ? 1 : 130), stdout }));
  });
}
