import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildImage, type BuiltImage } from './build-image.ts';

const root = dirname(dirname(import.meta.dirname));

/** Names in an archive whose names all fit into one header. */
function namesIn(archive: Buffer): readonly string[] {
  const names: string[] = [];
  for (let at = 0; archive[at] !== 0;) {
    names.push(archive.toString('utf8', at, archive.indexOf(0, at)));
    const size = Number.parseInt(archive.toString('utf8', at + 124, at + 135), 8);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return names;
}

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

  it('is small, and a new build of the apps little of it', () => {
    const [runtime = 0, apps = 0] = built.image.layers.map(({ blob }) => blob.content.length / 2 ** 20);
    expect(runtime).toBeLessThan(60);
    expect(apps).toBeLessThan(3);
  });
});
