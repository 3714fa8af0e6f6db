/**
 * The shared libraries of a platform, from packages of Debian that this file pins by version and digest. A package is fetched once, and is unpacked in the
 * cache outside the tree; nothing is installed. Debian's mirrors keep only the newest version of a package: for an older one,
 * `KRUISE_DEBIAN_MIRROR` names another mirror, such as a snapshot.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, archiveUrl, downloadArchive, type Release } from '@kruise/testing';
import type { Library } from './elf.ts';
import type { ImagePlatform } from './platforms.ts';

interface DebianPackage {
  readonly name: string;
  readonly release: Release;
}

function debianPackage(name: string, path: string, checksums: Release['checksums']): DebianPackage {
  const base = 'http://deb.debian.org/debian';
  return {
    name,
    release: { variable: 'KRUISE_DEBIAN_MIRROR', base, path: `pool/main/${path}_{platform}.deb`, algorithm: 'sha256', checksums },
  };
}

/** Those of Debian 12, because Node is built for its C library and older ones. The digests are those of Debian's signed package lists. */
const packages: readonly DebianPackage[] = [
  debianPackage('libc6', 'g/glibc/libc6_2.36-9+deb12u14', {
    amd64: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
    arm64: '01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4',
  }),
  debianPackage('libstdc++6', 'g/gcc-12/libstdc++6_12.2.0-14+deb12u1', {
    amd64: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
    arm64: '26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2',
  }),
  debianPackage('libgcc-s1', 'g/gcc-12/libgcc-s1_12.2.0-14+deb12u1', {
    amd64: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
    arm64: '576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3',
  }),
];

/** Mirrors answer the first request for a file after they have fetched it. */
const answerTimeoutMs = 30_000;

const folderOf = ({ name, release }: DebianPackage, architecture: string, env: NodeJS.ProcessEnv): string =>
  join(cacheFolder(env), 'debian-packages', `${name}-${architecture}-${release.checksums[architecture]?.slice(0, 16)}`);

/** Whether a run needs no network for the libraries of the platform. */
export const areLibrariesCached = ({ architecture }: ImagePlatform, env: NodeJS.ProcessEnv = process.env): boolean =>
  packages.every((one) => existsSync(folderOf(one, architecture, env)));

async function fetchPackage({ name, release }: DebianPackage, architecture: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const url = archiveUrl(release, env, architecture);
  if (url === undefined) throw new Error(`${name} is not in the cache (${cacheFolder(env)}), and ${release.variable} is off`);
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(join(dirname(folder), '.fetch-'));
  try {
    const archive = join(temporary, 'package.deb');
    await downloadArchive(release, url, archive, { platform: architecture, answerTimeoutMs });
    await promisify(execFile)('dpkg-deb', ['-x', archive, join(temporary, 'content')], { env });
    await rename(join(temporary, 'content'), folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Makes the libraries of a platform available.
 *
 * @param env chooses the cache and the mirror
 * @returns finds a library by its name
 * @throws when a package is not available, or it is not the pinned one
 */
export async function ensureLibraries(
  { architecture, triple }: ImagePlatform,
  env: NodeJS.ProcessEnv = process.env,
): Promise<(name: string) => Library | undefined> {
  for (const one of packages) {
    const folder = folderOf(one, architecture, env);
    if (!existsSync(folder)) await fetchPackage(one, architecture, folder, env);
  }
  const places = packages.flatMap((one) =>
    [`/lib/${triple}`, `/usr/lib/${triple}`].map((path) => [folderOf(one, architecture, env), path] as const),
  );
  return (name) => {
    const place = places.find(([folder, path]) => existsSync(join(folder, path, name)));
    return place === undefined ? undefined : { path: `${place[1]}/${name}`, content: readFileSync(join(...place, name)) };
  };
}
