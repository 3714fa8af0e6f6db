import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { areLibrariesCached, ensureLibraries } from './debian-libraries.ts';
import { imagePlatforms } from './platforms.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
let server: Server;
let requests: string[];

/** An empty cache, and a mirror with other files. */
beforeEach(async () => {
  requests = [];
  server = createServer(({ url = '' }, response) => {
    requests.push(url);
    response.end('another package');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  folder = mkdtempSync(join(tmpdir(), 'debian-libraries-'));
  const mirror = `http://127.0.0.1:${(server.address() as AddressInfo).port}/debian`;
  env = { ...process.env, KRUISE_CACHE: folder, KRUISE_DEBIAN_MIRROR: mirror };
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe.each(imagePlatforms)('the libraries of $name', (platform) => {
  it('are not in an empty cache', () => expect(areLibrariesCached(platform, env)).toBe(false));

  it('come from the mirror, are refused if the package is another one, and the cache stays empty', async () => {
    await expect(ensureLibraries(platform, env)).rejects.toThrow(/libc6_.*\.deb: its sha256 digest is [0-9a-f]{64}, not [0-9a-f]{64}$/);
    expect(requests).toEqual([expect.stringMatching(`^/debian/pool/main/g/glibc/libc6_[^/]*_${platform.architecture}\\.deb$`)]);
    expect(readdirSync(join(folder, 'debian-packages'))).toEqual([]);
    expect(areLibrariesCached(platform, env)).toBe(false);
  });

  it('are not fetched if the mirror is off', async () => {
    const off = { ...env, KRUISE_DEBIAN_MIRROR: 'off' };
    await expect(ensureLibraries(platform, off)).rejects.toThrow(/^libc6 is not in the cache \(.*\), and KRUISE_DEBIAN_MIRROR is off$/);
    expect(requests).toEqual([]);
  });
});
