/** `npm run image [-- OPTION ...]`: builds the image of manager and daemon, without a container engine. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMain } from '../tasks/run-program.ts';
import { buildImage, buildImages, type BuiltImage } from './build-image.ts';
import { artifactOf, writeLayout, type Image } from './oci.ts';
import { imagePlatforms, parsePlatforms, type ImagePlatform } from './platforms.ts';
import { parseReference, push, type Reference } from './registry.ts';

const root = dirname(dirname(import.meta.dirname));

const usage = `usage: npm run image [-- OPTION ...]

Builds the image with /manager, /kruise-daemon, /helm_hook and /kruise-state-metrics into dist/image/oci (an OCI layout) and dist/image/oci.tar (the same as an
archive, for \`ctr images import\` and \`skopeo copy oci-archive:\`). The bill of materials, CycloneDX, is dist/image/sbom.cdx.json or, with --platform,
dist/image/sbom-<architecture>.cdx.json.

options
  --platform PLATFORM,...          build for some of ${imagePlatforms.map(({ name }) => name).join(', ')}, from pinned packages of Node and of
                                   Debian's libraries, with an index if there are several (default: this machine, with its Node and libraries)
  --push HOST:PORT/REPOSITORY:TAG  push it, too: plain HTTP to this machine, HTTPS to every other; may be given more than once
  --name NAME:TAG                  name in the archive (default docker.io/openkruise/kruise-manager:v<version>)
`;

interface Command {
  /** Undefined for this machine. */
  readonly platforms: readonly ImagePlatform[] | undefined;
  readonly name: string;
  readonly push: readonly Reference[];
}

function parseCommand(args: readonly string[]): Command | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { platform: { type: 'string' }, push: { type: 'string', multiple: true, default: [] }, name: { type: 'string' } },
    });
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const references = values.push.map((text) => parseReference(text) ?? text);
    const bad = references.find((reference) => typeof reference === 'string');
    if (bad !== undefined) return `--push ${JSON.stringify(bad)}: must be HOST:PORT/REPOSITORY:TAG`;
    const platforms = values.platform === undefined ? undefined : parsePlatforms(values.platform);
    return { platforms, name: values.name ?? `docker.io/openkruise/kruise-manager:v${version}`, push: references as readonly Reference[] };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const line = (digest: string, bytes: number, what: string): void => console.log(`${digest}  ${mebibytes(bytes).padStart(9)}  ${what}`);

/** @returns the bytes of all layers */
function report({ layers, manifest }: Image, name: string): number {
  for (const { what, blob } of layers) line(blob.digest, blob.content.length, what);
  const total = layers.reduce((sum, { blob }) => sum + blob.content.length, 0);
  line(manifest.digest, total, name);
  return total;
}

async function build(platforms: Command['platforms']): Promise<readonly BuiltImage[]> {
  const plan = { root, cache: join(root, 'dist/image/layers'), out: join(root, 'dist') };
  return platforms === undefined ? [await buildImage(plan)] : buildImages(plan, platforms);
}

function write({ platforms, name }: Command, images: readonly BuiltImage[]): void {
  const folder = 'dist/image/oci';
  const artifact = artifactOf(images);
  writeLayout(artifact, { folder: join(root, folder), name });
  for (const { architecture, sbom } of images)
    writeFileSync(join(root, `dist/image/sbom${platforms === undefined ? '' : `-${architecture}`}.cdx.json`), sbom);
  const totals = images.map(({ image, architecture }) => report(image, `linux/${architecture} in ${folder}`));
  if (images.length > 1)
    line(
      artifact.top.digest,
      totals.reduce((sum, bytes) => sum + bytes, 0),
      `all platforms in ${folder}`,
    );
}

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (typeof command === 'string') {
    console.error(`${command}\n\n${usage}`);
    return 2;
  }
  const images = await build(command.platforms);
  for (const name of images[0]?.absent ?? []) console.error(`not in the image: ${name}, it has no entry point`);
  write(command, images);
  for (const to of command.push) {
    const sent = await push(artifactOf(images), to);
    console.log(`pushed to ${to.registry}/${to.repository}:${to.tag}, ${mebibytes(sent)} sent`);
  }
  return 0;
}

await runMain(main);
