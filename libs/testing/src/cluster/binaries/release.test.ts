import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Release, releasePlatform, releases } from './catalogue.ts';
import { archiveUrl, fetchRelease, ReleaseUnavailable } from './release.ts';

const platform = 'linux-amd64';
let source: string;
let archive: Buffer;
let release: Release;
let server: Server;
let answer: RequestListener;
let base: string;
let folder: string;

beforeAll(async () => {
  source = mkdtempSync(join(tmpdir(), 'kruise-release-'));
  mkdirSync(join(source, 'kubernetes/server/bin'), { recursive: true });
  for (const name of ['kubelet', 'kube-proxy']) writeFileSync(join(source, 'kubernetes/server/bin', name), name.repeat(10_000));
  execFileSync('tar', ['-czf', 'archive.tar.gz', 'kubernetes'], { cwd: source });
  archive = readFileSync(join(source, 'archive.tar.gz'));
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const checksums = { [platform]: createHash('sha512').update(archive).digest('hex') };
  release = { variable: 'RELEASES', base, path: 'v1/server-{platform}.tar.gz', algorithm: 'sha512', checksums };
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(source, { recursive: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-release-target-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const sends =
  (content: Buffer, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-length': String(content.length), ...headers }).end(content);

const fetchInto = (release: Release, url: string, timeouts: { readonly answerTimeoutMs?: number; readonly stallTimeoutMs?: number } = {}) =>
  fetchRelease(release, url, new Map([['kubernetes/server/bin/kubelet', join(folder, 'bin/kubelet')]]), { platform, ...timeouts });

describe('the location of an archive', () => {
  it('is the project of the release, unless the environment names another base', () => {
    const { kubernetes } = releases;
    expect(archiveUrl(kubernetes, {}, platform)).toMatch(/^https:\/\/dl\.k8s\.io\/v1\.\d+\.\d+\/kubernetes-server-linux-amd64\.tar\.gz$/);
    expect(archiveUrl(kubernetes, { KRUISE_KUBERNETES_RELEASES: 'http://mirror/k8s/' }, platform)).toMatch(/^http:\/\/mirror\/k8s\/v1/);
  });

  it('is undefined when downloads are switched off, or for a platform without a pinned digest', () => {
    expect(archiveUrl(releases.kubernetes, { KRUISE_KUBERNETES_RELEASES: 'off' }, platform)).toBeUndefined();
    expect(archiveUrl(releases.kubernetes, {}, 'darwin-arm64')).toBeUndefined();
  });

  it('is named with the platform as releases name it', () => {
    expect(releasePlatform('linux', 'x64')).toBe('linux-amd64');
    expect(releasePlatform('darwin', 'arm64')).toBe('darwin-arm64');
  });

  it('has digests of the algorithm’s length', () => {
    const lengths = Object.values(releases).flatMap(({ algorithm, checksums }) =>
      Object.values(checksums).map((digest) => [algorithm, digest.length]),
    );
    expect(lengths).toEqual([
      ['sha512', 128],
      ['sha512', 128],
      ['sha256', 64],
      ['sha256', 64],
    ]);
  });
});

describe('a release', () => {
  it('is unpacked, and leaves nothing else behind', async () => {
    answer = sends(archive);
    const received: number[] = [];
    await fetchRelease(release, `${base}/a.tar.gz`, new Map([['kubernetes/server/bin/kubelet', join(folder, 'bin/kubelet')]]), {
      platform,
      onBytes: (bytes, total) => received.push(bytes, total ?? -1),
    });
    expect(readFileSync(join(folder, 'bin/kubelet'), 'utf8')).toBe('kubelet'.repeat(10_000));
    expect(statSync(join(folder, 'bin/kubelet')).mode & 0o111).toBe(0o111);
    expect(readdirSync(join(folder, 'bin'))).toEqual(['kubelet']);
    expect(received.slice(-2)).toEqual([archive.length, archive.length]);
  });

  it('is followed to the target of a redirect', async () => {
    answer = (request, response) =>
      request.url === '/elsewhere' ? sends(archive)(request, response) : void response.writeHead(302, { location: '/elsewhere' }).end();
    await fetchInto(release, `${base}/a.tar.gz`);
    expect(readdirSync(join(folder, 'bin'))).toEqual(['kubelet']);
  });

  it.each<{ name: string; given: () => RequestListener; timeouts?: object; then: RegExp }>([
    {
      name: 'has another digest',
      given: () => sends(Buffer.concat([archive, Buffer.from('x')])),
      then: /a\.tar\.gz: its sha512 digest is [0-9a-f]{128}, not [0-9a-f]{128}$/,
    },
    {
      name: 'is cut off by the server',
      given: () => (_request, response) => {
        response.writeHead(200, { 'content-length': String(archive.length) });
        response.write(archive.subarray(0, 500), () => response.destroy());
      },
      then: /a\.tar\.gz: .+/,
    },
    {
      name: 'is truncated without an announced size',
      given: () => (_request, response) => void response.writeHead(200).end(archive.subarray(0, 500)),
      then: /its sha512 digest is/,
    },
    { name: 'does not exist', given: () => (_request, response) => void response.writeHead(404).end(), then: /the server answers 404$/ },
    { name: 'is not answered in time', given: () => () => undefined, timeouts: { answerTimeoutMs: 50 }, then: /no answer within 0\.05 s$/ },
    {
      name: 'stops in the middle',
      given: () => (_request, response) => {
        response.writeHead(200, { 'content-length': String(archive.length) });
        response.write(archive.subarray(0, 500));
      },
      timeouts: { stallTimeoutMs: 200 },
      then: /no data for 0\.2 s$/,
    },
  ])('that $name cannot be used, and leaves nothing behind', async ({ given, timeouts, then }) => {
    answer = given();
    const failure = await fetchInto(release, `${base}/a.tar.gz`, timeouts).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ReleaseUnavailable);
    expect((failure as Error).message).toMatch(then);
    expect(readdirSync(join(folder, 'bin'))).toEqual([]);
  });

  it('that lacks a file cannot be used', async () => {
    answer = sends(archive);
    const files = new Map([['kubernetes/server/bin/absent', join(folder, 'bin/absent')]]);
    await expect(fetchRelease(release, `${base}/a.tar.gz`, files, { platform })).rejects.toThrow(ReleaseUnavailable);
    expect(readdirSync(join(folder, 'bin'))).toEqual([]);
  });

  it('of a server that does not exist cannot be used', async () => {
    await expect(fetchInto(release, 'http://127.0.0.1:1/a.tar.gz')).rejects.toThrow(/127\.0\.0\.1:1\/a\.tar\.gz: .+/);
  });
});
