/**
 * Lets one process of this program at a time exchange the refresh token of a kubeconfig. An issuer that sees a refresh token twice may take it for
 * stolen and end the login. kubectl's `<file>.lock` is no substitute: kubectl fails when it finds that file, and an exchange may take a minute.
 */
import { open, readFile, realpath, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { memberAt, numberAt, parseJsonText } from '@kruise/objects';

const pauseMs = 50;

/** Longer than both answers of an issuer may take: a lock of this age was left by a process of another machine. */
const longestMs = 65_000;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** @returns whether the file was created; undefined when it cannot be, as in a read-only folder */
async function create(lock: string): Promise<boolean | undefined> {
  try {
    const file = await open(lock, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify({ host: hostname(), pid: process.pid }));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? false : undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Returns whether the process that created the lock has ended without removing it. */
async function isLeft(lock: string): Promise<boolean> {
  try {
    if (Date.now() - (await stat(lock)).mtimeMs > longestMs) return true;
    const holder = parseJsonText(await readFile(lock, 'utf8'));
    const pid = numberAt(holder, 'pid');
    return pid !== undefined && memberAt(holder, 'host') === hostname() && !isAlive(pid);
  } catch {
    // It was removed, or its holder is still writing it.
    return false;
  }
}

/** Calls `run` when no other process exchanges the refresh token of the kubeconfig, or where no lock can be created. */
export async function withRefreshLock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const file = await realpath(path).catch(() => path);
  const lock = `${file}.refresh.lock`;
  let created = await create(lock);
  while (created === false) {
    if (await isLeft(lock)) await rm(lock, { force: true });
    else await sleep(pauseMs);
    created = await create(lock);
  }
  try {
    return await run();
  } finally {
    if (created === true) await rm(lock, { force: true });
  }
}
