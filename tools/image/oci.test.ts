import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { artifactOf, imageOf, layerOf, writeLayout, type Image } from './oci.ts';
import { librariesIn } from './runtime.ts';
import type { TarEntry } from '@kruise/testing';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const entries: readonly TarEntry[] = [
  { kind: 'file', path: 'app/main.mjs', content: Buffer.from('1') },
  { kind: 'file', path: 'bin/node', mode: 0o755, content: Buffer.from('2') },
];
const config = { architecture: 'amd64', user: '65534:65534', entrypoint: ['/manager'], env: ['A=b'], labels: { v: '1' } };
const make = (cache: string, of = entries): Image => imageOf([layerOf('all', of, join(folder, cache))], config);
const sha256 = (content: Uint8Array): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

describe('an image', () => {
  it('has the same digest when it is made again, from entries in any order, with and without the cache', () => {
    const first = make('one');
    expect(make('two', [...entries].reverse()).manifest.digest).toBe(first.manifest.digest);
    expect(make('one').manifest.digest).toBe(first.manifest.digest);
    const other = [...entries.slice(1), { kind: 'file', path: 'app/main.mjs', content: Buffer.from('3') } as const];
    expect(make('one', other).manifest.digest).not.toBe(first.manifest.digest);
  });

  it('is written as a layout in which every blob has its digest for a name and everything that is referred to is there', () => {
    const image = make('cache');
    writeLayout(artifactOf([{ image, architecture: 'amd64' }]), { folder: join(folder, 'oci'), name: 'docker.io/a/b:v1' });
    const blobs = readdirSync(join(folder, 'oci/blobs/sha256'));
    const read = (digest: string): Buffer => readFileSync(join(folder, 'oci/blobs/sha256', digest.slice(7)));
    for (const name of blobs) expect(sha256(read(`sha256:${name}`))).toBe(`sha256:${name}`);
    const index = JSON.parse(readFileSync(join(folder, 'oci/index.json'), 'utf8')) as {
      manifests: [{ digest: string; annotations: object; platform: object }];
    };
    expect(index.manifests[0].platform).toEqual({ architecture: 'amd64', os: 'linux' });
    expect(index.manifests[0].annotations).toEqual({
      'io.containerd.image.name': 'docker.io/a/b:v1',
      'org.opencontainers.image.ref.name': 'v1',
    });
    const manifest = JSON.parse(read(index.manifests[0].digest).toString()) as {
      config: { digest: string };
      layers: [{ digest: string; size: number }];
    };
    const document = JSON.parse(read(manifest.config.digest).toString()) as { config: object; rootfs: { diff_ids: [string] } };
    expect(document.config).toMatchObject({ User: '65534:65534', Entrypoint: ['/manager'] });
    expect(sha256(gunzipSync(read(manifest.layers[0].digest)))).toBe(document.rootfs.diff_ids[0]);
    expect(manifest.layers[0].size).toBe(read(manifest.layers[0].digest).length);
    expect(readdirSync(folder)).toContain('oci.tar');
  });
});

describe('images of several platforms', () => {
  const forArm = (): Image => imageOf([layerOf('all', entries, join(folder, 'cache'))], { ...config, architecture: 'arm64' });

  it('have one name, which refers to an index of their manifests', () => {
    const images = [
      { image: make('cache'), architecture: 'amd64' },
      { image: forArm(), architecture: 'arm64' },
    ];
    const artifact = artifactOf(images);
    writeLayout(artifact, { folder: join(folder, 'oci'), name: 'docker.io/a/b:v1' });
    const read = (
      digest: string,
    ): { readonly mediaType: string; readonly manifests?: readonly object[]; readonly config?: { digest: string } } =>
      JSON.parse(readFileSync(join(folder, 'oci/blobs/sha256', digest.slice(7)), 'utf8')) as ReturnType<typeof read>;
    const { manifests } = JSON.parse(readFileSync(join(folder, 'oci/index.json'), 'utf8')) as { readonly manifests: readonly object[] };
    expect(manifests).toEqual([
      {
        mediaType: 'application/vnd.oci.image.index.v1+json',
        digest: artifact.top.digest,
        size: artifact.top.content.length,
        annotations: { 'io.containerd.image.name': 'docker.io/a/b:v1', 'org.opencontainers.image.ref.name': 'v1' },
      },
    ]);
    const index = read(artifact.top.digest);
    expect(index.mediaType).toBe('application/vnd.oci.image.index.v1+json');
    expect(index.manifests).toEqual(
      images.map(({ image: { manifest }, architecture }) => ({
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: manifest.digest,
        size: manifest.content.length,
        platform: { architecture, os: 'linux' },
      })),
    );
    for (const { image, architecture } of images)
      expect(read(read(image.manifest.digest).config?.digest ?? '')).toMatchObject({ architecture });
  });
});

describe('the libraries of a program', () => {
  const ldd =
    '\tlinux-vdso.so.1 (0x00007ffd)\n\tlibz.so.1 => /usr/lib/libz.so.1 (0x00007f01)\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f02)\n';

  it('are the files that ldd names, with the loader and without what the kernel brings', () => {
    expect(librariesIn(ldd)).toEqual(['/lib64/ld-linux-x86-64.so.2', '/usr/lib/libz.so.1']);
  });

  it('must all be there', () => {
    expect(() => librariesIn(`${ldd}\tlibx.so.1 => not found\n`)).toThrow('this machine lacks the library libx.so.1');
  });
});
