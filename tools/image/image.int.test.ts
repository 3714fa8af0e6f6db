import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildImage, type BuiltImage } from './build-image.ts';

const root = dirname(dirname(import.meta.dirname));

interface Entry {
  readonly name: string;
  readonly content: Buffer;
}

/** The entries of an archive whose names all fit into one header. */
function entriesIn(archive: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; archive[at] !== 0;) {
    const size = Number.parseInt(archive.toString('utf8', at + 124, at + 135), 8);
    entries.push({ name: archive.toString('utf8', at, archive.indexOf(0, at)), content: archive.subarray(at + 512, at + 512 + size) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}

const namesIn = (archive: Buffer): readonly string[] => entriesIn(archive).map(({ name }) => name);

/** `e_machine` of ELF by the names that OCI gives to architectures. */
const machines: Readonly<Record<number, string>> = { 21: 'ppc64le', 62: 'amd64', 183: 'arm64' };

/** The architecture of an ELF program or library, little-endian; undefined for another file. */
const architectureOf = ({ content }: Entry): string | undefined =>
  content.toString('latin1', 0, 6) === '\x7fELF\x02\x01' ? (machines[content.readUInt16LE(18)] ?? 'unknown') : undefined;

describe('the image', () => {
  let cache: string;
  let built: BuiltImage;
  beforeAll(async () => {
    cache = mkdtempSync(join(tmpdir(), 'image-'));
    built = await buildImage(root, cache, join(cache, 'dist'));
  });
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it('has the same digest when it is built again', async () => {
    expect((await buildImage(root, cache, join(cache, 'dist'))).image.manifest.digest).toBe(built.image.manifest.digest);
  });

  it('holds the executables, Node and the bundles, and no shell', () => {
    const names = built.image.layers.flatMap(({ blob }) => namesIn(gunzipSync(blob.content)));
    expect(names).toEqual(
      expect.arrayContaining([
        'manager',
        'kruise-daemon',
        'helm_hook',
        'kruise-state-metrics',
        'usr/local/bin/node',
        'app/manager/main.mjs',
        'app/manager/webhook-thread.mjs',
        'log/',
        'tmp/',
      ]),
    );
    expect(names.filter((name) => /(^|\/)(ba|da|a)?sh$|busybox/.test(name))).toEqual([]);
  });

  it('has a bill of materials that names every file but itself, and holds it', () => {
    const names = built.image.layers
      .flatMap(({ blob }) => namesIn(gunzipSync(blob.content)))
      .filter((name) => /^(app|usr|lib|etc)\/.*[^/]$/.test(name));
    const { components } = JSON.parse(built.sbom) as { components: readonly { type: string; name: string }[] };
    const files = components.filter(({ type }) => type === 'file').map(({ name }) => name.slice(1));
    expect(names).toContain('app/sbom.cdx.json');
    expect(names.filter((name) => !files.includes(name))).toEqual(['app/sbom.cdx.json']);
  });

  it('names in its configuration the architecture of each program and library in it', () => {
    const config = JSON.parse(built.image.config.content.toString()) as object;
    expect(config).toMatchObject({
      architecture: built.architecture,
      os: 'linux',
      config: { Entrypoint: ['/manager'], User: '65534:65534' },
    });
    const programs = built.image.layers
      .flatMap(({ blob }) => entriesIn(gunzipSync(blob.content)))
      .flatMap((entry) => (architectureOf(entry) === undefined ? [] : [[entry.name, architectureOf(entry)]]));
    expect(programs.map(([name]) => name)).toEqual(expect.arrayContaining(['manager', 'usr/local/bin/node']));
    expect(programs.filter(([, architecture]) => architecture !== built.architecture)).toEqual([]);
  });

  it('is small, and a new build of the apps little of it', () => {
    const [runtime = 0, apps = 0] = built.image.layers.map(({ blob }) => blob.content.length / 2 ** 20);
    expect(runtime).toBeLessThan(60);
    expect(apps).toBeLessThan(3);
  });
});
