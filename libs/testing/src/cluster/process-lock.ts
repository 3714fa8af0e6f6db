/** A lock between processes that the kernel frees when its holder dies, however it dies. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** A program that takes the lock, prints a line, and keeps the lock until its input closes. */
export interface LockHolder {
  readonly command: string;
  readonly argsFor: (path: string) => readonly string[];
}

/** Of util-linux. */
export const flockHolder: LockHolder = {
  command: 'flock',
  argsFor: (path) => ['--exclusive', path, 'sh', '-c', 'echo held; exec cat >/dev/null'],
};

const perl = 'use Fcntl ":flock"; open(F, ">>", $ARGV[0]) && flock(F, LOCK_EX) or die "$!"; $| = 1; print "held\\n"; 1 while <STDIN>;';

/** For macOS, which has no flock command. */
export const perlHolder: LockHolder = { command: 'perl', argsFor: (path) => ['-e', perl, path] };

/**
 * Runs `work` while holding an exclusive lock on the file `path` (made when absent, never removed: removing it would split the lock).
 *
 * @param onWait called once when somebody else holds the lock
 * @param holder holds the lock: all that compete for a path may use different ones
 * @remarks Node has no flock(2), so the lock is held by a child that ends as soon as its input, a pipe from this process, closes.
 */
export async function withProcessLock<T>(
  path: string,
  onWait: () => void,
  work: () => Promise<T>,
  { command, argsFor } = process.platform === 'darwin' ? perlHolder : flockHolder,
): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const holder = spawn(command, argsFor(path), {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => holder.once('close', () => resolve()));
  const waiting = setTimeout(onWait, 300);
  try {
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once('data', () => resolve());
      holder.once('error', (cause) => reject(new Error(`cannot run ${command} for the lock ${path}`, { cause })));
      holder.once('close', () => reject(new Error(`cannot lock ${path}`)));
    });
    clearTimeout(waiting);
    return await work();
  } finally {
    clearTimeout(waiting);
    holder.stdin.end();
    if (holder.pid !== undefined) await ended;
  }
}
