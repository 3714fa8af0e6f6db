import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildImage, type BuildPlan, type BuiltImage } from './build-image.ts';
import { architectureOf } from './elf.ts';
import { entriesIn } from './entries.testing.ts';

const root = dirname(dirname(import.meta.dirname));

const namesIn = (archive: Buffer): readonly string[] => entriesIn(archive).map(({ name }) => name);

describe('the image', () => {
  let cache: string;
  let built: BuiltImage;
  let plan: BuildPlan;
  beforeAll(async () => {
    cache = mkdtempSync(join(tmpdir(), 'image-'));
    plan = { root, cache, out: join(cache, 'dist') };
    built = await buildImage(plan);
  });
  afterAll(() => rmSync(cache, { recursive: true, force: true }));

  it('has the same digest when it is built again', async () => {
    expect((await buildImage(plan)).image.manifest.digest).toBe(built.image.manifest.digest);
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
      .flatMap((entry) => (architectureOf(entry.content) === undefined ? [] : [[entry.name, architectureOf(entry.content)]]));
    expect(programs.map(([name]) => name)).toEqual(expect.arrayContaining(['manager', 'usr/local/bin/node']));
    expect(programs.filter(([, architecture]) => architecture !== built.architecture)).toEqual([]);
  });

  it('is small, and a new build of the apps little of it', () => {
    const [runtime = 0, apps = 0] = built.image.layers.map(({ blob }) => blob.content.length / 2 ** 20);
    expect(runtime).toBeLessThan(60);
    expect(apps).toBeLessThan(3);
  });
});
