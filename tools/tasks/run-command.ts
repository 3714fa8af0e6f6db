/** Runs a command of the cluster (helm, kubectl) and keeps what it prints. */
import { spawn } from 'node:child_process';

export interface CommandOptions {
  readonly signal?: AbortSignal;
  /** Two minutes by default. */
  readonly timeoutMs?: number;
}

/** @returns what it printed to stdout. @throws with what it said when it fails, takes too long or `signal` aborts */
export function runCommand(
  command: string,
  args: readonly string[],
  { signal, timeoutMs = 120_000 }: CommandOptions = {},
): Promise<string> {
  const limit = AbortSignal.timeout(timeoutMs);
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const called = [command.replace(/^.*\//, ''), ...args.slice(0, 2)].join(' ');
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new Error(`${called}: ${limit.aborted ? `took longer than ${timeoutMs / 1000} s` : error.message}`)),
    );
    child.once('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString());
      else
        reject(
          new Error(
            `${called} failed (code ${code ?? 'none'}): ${Buffer.concat([...err, ...out])
              .toString()
              .trim()}`,
          ),
        );
    });
  });
}
