/** `npm run image [-- --push REFERENCE] [--name REFERENCE]`: builds the image of manager and daemon, without a container engine. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMain } from '../tasks/run-program.ts';
import { buildImage } from './build-image.ts';
import { writeLayout, type Image } from './oci.ts';
import { parseReference, push, type Reference } from './registry.ts';

const root = dirname(dirname(import.meta.dirname));

const usage = `usage: npm run image [-- OPTION ...]

Builds the image with /manager, /kruise-daemon, /helm_hook and /kruise-state-metrics into dist/image/oci (an OCI layout) and dist/image/oci.tar (the same as an
archive, for \`ctr images import\` and \`skopeo copy oci-archive:\`). The bill of materials, CycloneDX, is dist/image/sbom.cdx.json.

options
  --push HOST:PORT/REPOSITORY:TAG  push it, too: plain HTTP to this machine, HTTPS to every other; may be given more than once
  --name NAME:TAG                  name in the archive (default docker.io/openkruise/kruise-manager:v<version>)
`;

interface Command {
  readonly name: string;
  readonly push: readonly Reference[];
}

function parseCommand(args: readonly string[]): Command | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { push: { type: 'string', multiple: true, default: [] }, name: { type: 'string' } },
    });
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const references = values.push.map((text) => parseReference(text) ?? text);
    const bad = references.find((reference) => typeof reference === 'string');
    if (bad !== undefined) return `--push ${JSON.stringify(bad)}: must be HOST:PORT/REPOSITORY:TAG`;
    return { name: values.name ?? `docker.io/openkruise/kruise-manager:v${version}`, push: references as readonly Reference[] };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

function report(image: Image, folder: string): void {
  for (const { what, blob } of image.layers) console.log(`${blob.digest}  ${mebibytes(blob.content.length).padStart(9)}  ${what}`);
  const total = image.layers.reduce((sum, { blob }) => sum + blob.content.length, 0);
  console.log(`${image.manifest.digest}  ${mebibytes(total).padStart(9)}  ${folder}`);
}

async function main(): Promise<number> {
  const command = parseCommand(process.argv.slice(2));
  if (typeof command === 'string') {
    console.error(`${command}\n\n${usage}`);
    return 2;
  }
  const folder = 'dist/image/oci';
  const { image, architecture, sbom, absent } = await buildImage(root, join(root, 'dist/image/layers'));
  writeLayout(image, { folder: join(root, folder), name: command.name, architecture });
  for (const name of absent) console.error(`not in the image: ${name}, it has no entry point`);
  writeFileSync(join(root, 'dist/image/sbom.cdx.json'), sbom);
  report(image, folder);
  for (const to of command.push) {
    const sent = await push(image, to);
    console.log(`pushed to ${to.registry}/${to.repository}:${to.tag}, ${mebibytes(sent)} sent`);
  }
  return 0;
}

await runMain(main);
