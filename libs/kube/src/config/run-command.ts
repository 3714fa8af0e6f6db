/**
 * Runs a program that answers on its standard output, as credential plugins do.
 *
 * The program gets a process group of its own, so that its children end with it. A program that uses our terminal stays in our group. The run does
 * not wait beyond the program's end or limit: a process that left the group may keep the output open indefinitely.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Milliseconds } from '@kruise/objects';

/** The program to run, and how to run it. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables in addition to the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** The content of its standard input: a text, nothing, or everything that a user types into our terminal. */
  readonly input: { readonly kind: 'Text'; readonly text: string } | { readonly kind: 'Nothing' } | { readonly kind: 'Terminal' };
  /** Where its standard error is written. */
  readonly errors: 'inherit' | 'ignore';
  /** The time after which the program and its children are killed. No limit when absent. */
  readonly limit?: Milliseconds;
}

/** The reason why there is no answer. */
export type CommandFailure =
  /** `code` is the error code of the system, such as `ENOENT`. */
  | { readonly kind: 'NotStarted'; readonly code: string }
  | { readonly kind: 'TooLate' }
  | { readonly kind: 'TooLong'; readonly longest: number }
  | { readonly kind: 'Failed'; readonly with: string };

/** Thrown when a command gave no answer. The message contains nothing of its output. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure, cause?: unknown) {
    super(`the command gave no answer: ${failure.kind}`, { cause });
    this.failure = failure;
  }
}

/** In bytes, for a credential and everything printed with it. */
const longestOutput = 1024 * 1024;

/** Kills the command and, when it has a group of its own, its children. */
function kill(child: ChildProcess, hasGroup: boolean): void {
  try {
    if (hasGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
}

const endingOf = (code: number | null, signal: string | null): string => (signal === null ? `exit code ${code}` : `signal ${signal}`);

const streams = { Text: 'pipe', Nothing: 'ignore', Terminal: 'inherit' } as const;

/**
 * Runs a command to its end.
 *
 * @param signal kills the command and its children when it aborts; the run rejects with its reason immediately
 * @returns its output, at most 1 MiB
 * @throws CommandFailed
 */
export function runCommand({ file, args, env, input, errors, limit }: Command, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const hasGroup = input.kind !== 'Terminal';
    const child = spawn(file, args, {
      env: { ...process.env, ...env },
      stdio: [streams[input.kind], 'pipe', errors],
      detached: hasGroup,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    };
    const fail = (why: Error): void => {
      settle();
      reject(why);
    };
    const cutOff = (why: Error): void => {
      fail(why);
      kill(child, hasGroup);
      child.stdin?.destroy();
      child.stdout?.destroy();
    };
    const giveUp = (): void => cutOff(signal?.reason as Error);
    const timer = limit === undefined ? undefined : setTimeout(() => cutOff(new CommandFailed({ kind: 'TooLate' })), limit);
    signal?.addEventListener('abort', giveUp, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > longestOutput) cutOff(new CommandFailed({ kind: 'TooLong', longest: longestOutput }));
      else chunks.push(chunk);
    });
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(new CommandFailed({ kind: 'NotStarted', code: error.code ?? 'failed' }, error)),
    );
    child.on('close', (code, killedBy) => {
      if (code !== 0) return fail(new CommandFailed({ kind: 'Failed', with: endingOf(code, killedBy) }));
      settle();
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    // The command may end without reading its input.
    child.stdin?.on('error', () => undefined);
    if (input.kind === 'Text') child.stdin?.end(input.text);
  });
}
