/** Fetches programs from the archives that Kubernetes and etcd have released, checked against digests that the project pins. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Env } from './cache.ts';
import { type Release, releasePlatform } from './catalogue.ts';

/** Thrown when the archive cannot be used. The message contains the reason; the next way to get the program is tried. */
export class ReleaseUnavailable extends Error {
  override readonly name = 'ReleaseUnavailable';
}

export interface DownloadOptions {
  readonly platform?: string;
  /** Limit until the first byte of the answer, redirects included. */
  readonly answerTimeoutMs?: number;
  /** Limit between two pieces of the body. */
  readonly stallTimeoutMs?: number;
  /** Called for every piece; `total` is undefined when the server does not announce the size. */
  readonly onBytes?: (received: number, total: number | undefined) => void;
}

/** Returns the URL of the archive, or undefined when the release has none for the platform or downloads are switched off. */
export function archiveUrl(release: Release, env: Env, platform: string = releasePlatform()): string | undefined {
  const base = env[release.variable] ?? release.base;
  if (base === 'off' || release.checksums[platform] === undefined) return undefined;
  return `${base.replace(/\/+$/, '')}/${release.path.replaceAll('{platform}', platform)}`;
}

async function open(url: string, answerTimeoutMs: number, stop: AbortController): Promise<Response> {
  const limit = setTimeout(() => stop.abort(new ReleaseUnavailable(`no answer within ${answerTimeoutMs / 1000} s`)), answerTimeoutMs);
  try {
    return await fetch(url, { signal: stop.signal, redirect: 'follow' });
  } finally {
    clearTimeout(limit);
  }
}

/** Passes everything on and to `onChunk`. Aborts `stop` when nothing arrives for `stallTimeoutMs`. */
function watchdog(stop: AbortController, stallTimeoutMs: number, onChunk: (chunk: Buffer) => void): Transform {
  const stall = setTimeout(() => stop.abort(new ReleaseUnavailable(`no data for ${stallTimeoutMs / 1000} s`)), stallTimeoutMs);
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      stall.refresh();
      onChunk(chunk);
      done(null, chunk);
    },
  });
  return stream.once('close', () => clearTimeout(stall));
}

const reasonOf = (error: unknown, stop: AbortController): string => {
  const cause: unknown = stop.signal.aborted ? stop.signal.reason : error;
  if (!(cause instanceof Error)) return String(cause);
  const inner = cause.cause instanceof Error ? cause.cause.message : '';
  return inner === '' || cause.message.includes(inner) ? cause.message : `${cause.message}: ${inner}`;
};

/**
 * Downloads the archive of a release to `target` and checks its digest.
 *
 * @throws ReleaseUnavailable when the server does not answer in time, answers with an error, stops sending, or sends something else
 */
export async function downloadArchive(release: Release, url: string, target: string, options: DownloadOptions = {}): Promise<void> {
  const { platform = releasePlatform(), answerTimeoutMs = 3_000, stallTimeoutMs = 15_000 } = options;
  const stop = new AbortController();
  const digest = createHash(release.algorithm);
  try {
    const response = await open(url, answerTimeoutMs, stop);
    if (!response.ok || response.body === null) throw new ReleaseUnavailable(`the server answers ${response.status}`);
    const announced = response.headers.get('content-length');
    const total = announced === null ? undefined : Number(announced);
    let received = 0;
    const stream = watchdog(stop, stallTimeoutMs, (chunk) => {
      digest.update(chunk);
      received += chunk.length;
      options.onBytes?.(received, total);
    });
    await pipeline(Readable.fromWeb(response.body as never), stream, createWriteStream(target), { signal: stop.signal });
    if (total !== undefined && received !== total) throw new ReleaseUnavailable(`the file ends after ${received} of ${total} bytes`);
  } catch (error) {
    throw new ReleaseUnavailable(`${url}: ${reasonOf(error, stop)}`);
  }
  const found = digest.digest('hex');
  if (found !== release.checksums[platform])
    throw new ReleaseUnavailable(`${url}: its ${release.algorithm} digest is ${found}, not ${release.checksums[platform]}`);
}

/**
 * Downloads an archive and moves some of its files to their targets.
 *
 * @param files path in the archive and path of the program
 * @throws ReleaseUnavailable when the archive is not available or lacks one of the files
 */
export async function fetchRelease(
  release: Release,
  url: string,
  files: ReadonlyMap<string, string>,
  options: DownloadOptions = {},
): Promise<void> {
  const { platform = releasePlatform() } = options;
  const inArchive = [...files].map(([path, target]) => ({ path: path.replaceAll('{platform}', platform), target }));
  const [first] = files.values();
  if (first === undefined) return;
  await mkdir(dirname(first), { recursive: true });
  const folder = await mkdtemp(join(dirname(first), '.release-'));
  try {
    const archive = join(folder, basename(new URL(url).pathname));
    await downloadArchive(release, url, archive, options);
    await promisify(execFile)('tar', ['-xzf', archive, '-C', folder, ...inArchive.map(({ path }) => path)]).catch((error: unknown) => {
      throw new ReleaseUnavailable(`${url}: ${error instanceof Error ? error.message : String(error)}`);
    });
    for (const { path, target } of inArchive) {
      await chmod(join(folder, path), 0o755);
      await mkdir(dirname(target), { recursive: true });
      await rename(join(folder, path), target);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
