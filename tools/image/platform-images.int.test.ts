/**
 * The images that `npm run image -- --platform` builds from pinned packages, in the nightly run: two builds of each take 45 s in all, and need
 * packages that other runs do not fetch. Programs of another architecture run with QEMU's user mode in the root file system of the image.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { skipUnless } from '@kruise/testing';
import { areNodesCached, pinnedNode } from '../release/node/node-package.ts';
import { buildImages, type BuildPlan, type BuiltImage } from './build-image.ts';
import { ensureCompiler, findCompiler, findTool } from './compiler.ts';
import { areLibrariesCached } from './debian-libraries.ts';
import { architectureOf, dynamicLinksOf } from './elf.ts';
import { entriesIn, type Entry } from './entries.testing.ts';
import { imagePlatforms, type ImagePlatform } from './platforms.ts';

const root = dirname(dirname(import.meta.dirname));
const emulators: Readonly<Record<string, string>> = { amd64: 'qemu-x86_64-static', arm64: 'qemu-aarch64-static' };
const isNative = (platform: ImagePlatform): boolean => platform.process === process.arch;
const emulatorOf = ({ architecture }: ImagePlatform): string | undefined => findTool([emulators[architecture] ?? '']);

function whyNotBuilt(platform: ImagePlatform): string | undefined {
  if (findCompiler(platform) === undefined) return `needs ${platform.triple}-gcc`;
  const isCached = areNodesCached([pinnedNode('image', platform.nodePackage)]) && areLibrariesCached(platform);
  return isCached ? undefined : `needs the packages of \`npm run image -- --platform ${platform.name}\` in the cache`;
}

function whyNotRun(platform: ImagePlatform): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  return isNative(platform) || emulatorOf(platform) !== undefined ? undefined : `needs ${emulators[platform.architecture]}`;
}

/** Starts Node under QEMU, as a kernel with binfmt_misc does when the launcher becomes Node. */
const shimSource = `
#include <unistd.h>
int main(int count, char **arguments) {
  char *all[count + 4];
  all[0] = "/emulator"; all[1] = "-0"; all[2] = arguments[0]; all[3] = "/usr/local/bin/node.emulated";
  for (int index = 1; index <= count; index++) all[index + 3] = arguments[index];
  return execv(all[0], all);
}
`;

describe.each(imagePlatforms)('the image for $name', (platform) => {
  const reason = whyNotBuilt(platform);
  const reasonNotToRun = whyNotRun(platform);

  skipUnless(
    reason === undefined,
    reason ?? '',
    describe,
  )('built from packages', () => {
    let folder: string;
    let plan: BuildPlan;
    let built: BuiltImage;
    let entries: readonly Entry[];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'platform-image-'));
      plan = { root, cache: join(folder, 'layers'), out: join(folder, 'dist') };
      [built] = (await buildImages(plan, [platform])) as [BuiltImage];
      entries = built.image.layers.flatMap(({ blob }) => entriesIn(gunzipSync(blob.content)));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('has the same digest when it is built again', async () => {
      const [again] = await buildImages(plan, [platform]);
      expect(again?.image.manifest.digest).toBe(built.image.manifest.digest);
    });

    it('contains only programs and libraries of its architecture, and every library that they need', () => {
      expect(JSON.parse(built.image.config.content.toString())).toMatchObject({ architecture: platform.architecture, os: 'linux' });
      const programs = entries.filter(({ content }) => architectureOf(content) !== undefined);
      expect(programs.map(({ name }) => name)).toEqual(expect.arrayContaining(['manager', 'usr/local/bin/node']));
      expect(programs.filter(({ content }) => architectureOf(content) !== platform.architecture)).toEqual([]);
      const names = entries.map(({ name }) => name);
      const folders = ['lib', 'lib64', `lib/${platform.triple}`, `usr/lib/${platform.triple}`];
      for (const { name, content } of programs) {
        const { interpreter, needed } = dynamicLinksOf(content);
        const paths = needed.map((library) => [library, folders.some((path) => names.includes(posix.join(path, library)))]);
        expect({ name, missing: paths.filter(([, isPresent]) => isPresent === false) }).toEqual({ name, missing: [] });
        if (interpreter !== undefined) expect(names).toContain(interpreter.slice(1));
      }
    });

    it('lists the Node of its platform in its bill of materials', () => {
      const { components } = JSON.parse(built.sbom) as { readonly components: readonly { readonly purl?: string }[] };
      const { name, version } = pinnedNode('image', platform.nodePackage);
      expect(components.map(({ purl }) => purl).filter((purl) => purl?.startsWith('pkg:npm/node'))).toEqual([`pkg:npm/${name}@${version}`]);
    });

    describe('unpacked', () => {
      let image: string;

      /** Puts QEMU beside the programs, and in the place of Node a program of this machine that starts Node with it. */
      const emulate = async (emulator: string): Promise<void> => {
        const node = join(image, 'usr/local/bin/node');
        renameSync(node, `${node}.emulated`);
        copyFileSync(emulator, join(image, 'emulator'));
        writeFileSync(join(folder, 'shim.c'), shimSource);
        execFileSync(await ensureCompiler(), ['-static', '-o', node, join(folder, 'shim.c')]);
      };
      /** @returns the exit code and the output */
      const start = (name: string, argument: string): readonly [status: number | null, output: string] => {
        const command = isNative(platform) ? [`/${name}`] : ['/emulator', `/${name}`];
        const { status, stdout, stderr } = spawnSync('chroot', ['--userspec=65534:65534', image, ...command, argument], {
          encoding: 'utf8',
        });
        return [status, `${stdout}${stderr}`];
      };

      beforeAll(async () => {
        image = join(folder, 'image');
        for (const { name, content } of entries) {
          mkdirSync(join(image, dirname(name)), { recursive: true });
          if (name.endsWith('/')) mkdirSync(join(image, name), { recursive: true });
          else if (content.length > 0) writeFileSync(join(image, name), content);
          else linkSync(join(image, 'manager'), join(image, name));
        }
        for (const { name, content } of entries) if (architectureOf(content) !== undefined) chmodSync(join(image, name), 0o755);
        const emulator = emulatorOf(platform);
        if (reasonNotToRun === undefined && !isNative(platform) && emulator !== undefined) await emulate(emulator);
      });

      const runs: readonly (readonly [name: string, argument: string, status: number, text: string])[] = [
        ['manager', '--help', 0, 'Usage of manager:'],
        ['manager', '--no-such-flag', 2, 'unknown flag: --no-such-flag'],
        ['kruise-daemon', '--help', 0, 'Usage of kruise-daemon:'],
        ['kruise-state-metrics', '--version', 0, 'kruise-state-metrics, version '],
        ['helm_hook', '--help', 2, 'unknown command "--help"'],
      ];
      skipUnless(
        reasonNotToRun === undefined,
        reasonNotToRun ?? '',
        it,
      )('runs the launchers, Node and the bundles', () => {
        const results = runs.map(([name, argument]) => [name, argument, ...start(name, argument)]);
        expect(results).toEqual(runs.map(([name, argument, status, text]) => [name, argument, status, expect.stringContaining(text)]));
      });
    });
  });
});
