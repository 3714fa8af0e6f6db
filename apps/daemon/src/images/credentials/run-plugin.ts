/**
 * One run of a plugin: a question on its input, an answer of at most 1 MiB on its output.
 *
 * It gets a process group of its own, so that what it starts ends with it. Nothing is waited for beyond the limit: a process that left the
 * group may keep the output open for as long as it likes.
 *
 * @see spec/daemon.md 5.3
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { formatDuration, type Milliseconds } from '@kruise/objects';

export interface PluginRun {
  readonly file: string;
  readonly args: readonly string[];
  /** Besides the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  readonly question: string;
  readonly timeout: Milliseconds;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

const longestOutput = 1024 * 1024;

/** The plugin and all that it started. */
function killGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/**
 * @param signal ends the plugin
 * @returns what it printed
 * @throws Error without a word of what it printed
 */
export function runPlugin({ file, args, env, question, timeout }: PluginRun, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    let ended = false;
    const end = (why?: Error): void => {
      if (ended) return;
      ended = true;
      clearTimeout(limit);
      signal.removeEventListener('abort', giveUp);
      if (why === undefined) return resolve(Buffer.concat(chunks).toString('utf8'));
      killGroup(child);
      child.stdin.destroy();
      child.stdout.destroy();
      reject(why);
    };
    const giveUp = (): void => end(signal.reason as Error);
    const limit = setTimeout(() => end(new Error(`not done within ${formatDuration(timeout)}`)), timeout);
    signal.addEventListener('abort', giveUp, { once: true });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > longestOutput) end(new Error(`printed more than ${longestOutput} bytes`));
      else chunks.push(chunk);
    });
    // It may end without having read the question.
    child.stdin.on('error', () => undefined);
    child.on('error', (error: NodeJS.ErrnoException) => end(new Error(`cannot be started: ${error.code ?? 'failed'}`)));
    child.on('close', (code, killedBy) =>
      end(code === 0 ? undefined : new Error(`ended with ${killedBy === null ? `exit code ${code}` : `signal ${killedBy}`}`)),
    );
    child.stdin.end(question);
  });
}
