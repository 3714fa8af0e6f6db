/** A lock between processes that the kernel releases when its holder dies, in whatever way. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Runs `work` while holding an exclusive lock on the file `path` (created when absent, never removed: removing it would split the lock).
 *
 * @param onWait called once when another process holds the lock
 * @remarks Node has no flock(2), so a child process holds the lock, `flock` of util-linux or `lockf` of BSD and macOS, which ends as soon as its
 * input, a pipe from this process, closes.
 */
export async function withProcessLock<T>(path: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const [command, ...options] = process.platform === 'linux' ? ['flock', '--exclusive', path] : ['lockf', '-k', path];
  const holder = spawn(command, [...options, 'sh', '-c', 'echo held; exec cat >/dev/null'], {
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
