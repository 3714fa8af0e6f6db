/**
 * One run of a program that answers on its standard output, as credential plugins do.
 *
 * It gets a process group of its own, so that what it starts ends with it; one that shares our terminal stays in ours. Nothing is waited for beyond
 * its end or limit: a process that left the group may keep the output open for as long as it likes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Milliseconds } from '@kruise/objects';

/** What is run, and how. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Besides the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** What its standard input holds: a text, nothing, or all that somebody types into our terminal. */
  readonly input: { readonly kind: 'Text'; readonly text: string } | { readonly kind: 'Nothing' } | { readonly kind: 'Terminal' };
  /** Where its standard error goes. */
  readonly errors: 'inherit' | 'ignore';
  /** After which it is ended with all that it has started; no limit when absent. */
  readonly limit?: Milliseconds;
}

/** Why there is no answer. */
export type CommandFailure =
  /** `code` of the system, as `ENOENT`. */
  | { readonly kind: 'NotStarted'; readonly code: string }
  | { readonly kind: 'TooLate' }
  | { readonly kind: 'TooLong'; readonly longest: number }
  | { readonly kind: 'Failed'; readonly with: string };

/** A command gave no answer; its message holds no word of what it printed. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly failure: CommandFailure;

  constructor(failure: CommandFailure, cause?: unknown) {
    super(`the command gave no answer: ${failure.kind}`, { cause });
    this.failure = failure;
  }
}

/** Bytes; of a credential and all that comes with it. */
const longestOutput = 1024 * 1024;

/** The command, and in a group of its own all that it started. */
function kill(child: ChildProcess, hasGroup: boolean): void {
  try {
    if (hasGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // All of it has ended.
  }
}

const endingOf = (code: number | null, signal: string | null): string => (signal === null ? `exit code ${code}` : `signal ${signal}`);

const streams = { Text: 'pipe', Nothing: 'ignore', Terminal: 'inherit' } as const;

/**
 * Runs a command to its end.
 *
 * @param signal ends it, and all that it has started; the run rejects with its reason at once
 * @returns what it printed, at most 1 MiB
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
    // It may end without having read what it was asked.
    child.stdin?.on('error', () => undefined);
    if (input.kind === 'Text') child.stdin?.end(input.text);
  });
}
