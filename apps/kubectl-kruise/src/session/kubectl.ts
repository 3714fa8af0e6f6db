/** Runs the kubectl of the PATH. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { UserError } from '../failure.ts';
import type { KubectlHow, KubectlResult } from '../session.ts';

/** Reads the output of a child: whole, or line by line. */
function readOutput(output: Readable, { onLine }: KubectlHow): () => string {
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    rest += text;
    if (onLine === undefined) return;
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  return () => {
    if (onLine === undefined) return rest;
    if (rest !== '') onLine(rest);
    return '';
  };
}

/** @throws UserError when there is no kubectl */
export function runKubectl(args: readonly string[], how: KubectlHow = {}): Promise<KubectlResult> {
  return new Promise((resolve, reject) => {
    const isRead = how.capture === true || how.onLine !== undefined;
    const child = spawn('kubectl', args, {
      env: process.env,
      stdio: [how.input === undefined ? 'inherit' : 'pipe', isRead ? 'pipe' : 'inherit', 'inherit'],
    });
    const stdout = child.stdout === null ? () => '' : readOutput(child.stdout, how);
    child.stdin?.on('error', () => undefined).end(how.input);
    const stop = (): void => void child.kill();
    how.signal?.addEventListener('abort', stop);
    if (how.signal?.aborted === true) stop();
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(new UserError(error.code === 'ENOENT' ? 'kubectl is not in the PATH, and this command needs it' : error.message)),
    );
    child.on('close', (code, signal) => {
      how.signal?.removeEventListener('abort', stop);
      resolve({ code: code ?? (signal === null ? 1 : 130), stdout: stdout() });
    });
  });
}
