/** The image from what is on disk: bundles the apps and lays them over the runtime. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps, isWritten } from '../build/apps.ts';
import { bundle } from '../build/bundle.ts';
import { materialsOf, productOf, sbomOf, type Material } from '../build/sbom.ts';
import { imageOf, layerOf, type Image } from './oci.ts';
import { runtimeEntries, userId } from './runtime.ts';
import type { TarEntry } from '@kruise/testing';

export interface BuiltImage {
  readonly image: Image;
  readonly architecture: string;
  /** The bill of materials, which is in the image, too: every file but itself. */
  readonly sbom: string;
  /** Apps that have no source yet and are not in the image. */
  readonly absent: readonly string[];
}

const sbomPath = 'app/sbom.cdx.json';

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le' };

/** Read-only for all: an app cannot change itself, as any user. */
const asFile = ({ path, content }: Pick<Material, 'path' | 'content'>): TarEntry => ({ kind: 'file', path, content });

/** The files of the layer below the apps, and the package that the pinned Node comes with. */
const runtimeMaterials = (entries: readonly TarEntry[]): readonly Material[] =>
  entries.flatMap((entry) =>
    entry.kind === 'file'
      ? [{ path: entry.path, content: entry.content, packages: entry.path === 'usr/local/bin/node' ? ['node_modules/node'] : [] }]
      : [],
  );

function labels(root: string): Readonly<Record<string, string>> {
  const { version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
  return {
    'org.opencontainers.image.title': 'kruise-manager',
    'org.opencontainers.image.description': description ?? '',
    'org.opencontainers.image.version': `v${version}`,
    'org.opencontainers.image.licenses': license ?? '',
  };
}

/**
 * @param cache see {@link layerOf}
 * @param out where the bundles go
 */
export async function buildImage(root: string, cache: string, out = join(root, 'dist')): Promise<BuiltImage> {
  const written = apps.filter((app) => isWritten(app, root));
  const materials: Material[] = [];
  for (const app of written) materials.push(...materialsOf(await bundle(app, root, out), `app/${app.name}`));
  const runtime = await runtimeEntries(root);
  const sbom = sbomOf([...materials, ...runtimeMaterials(runtime)], productOf(root));
  const entries = [...materials, { path: sbomPath, content: Buffer.from(sbom) }].map(asFile);
  const layers = [layerOf('runtime: Node, libraries, launchers', runtime, cache), layerOf('apps', entries, cache)];
  const architecture = architectures[process.arch] ?? process.arch;
  const image = imageOf(layers, {
    architecture,
    user: `${userId}:${userId}`,
    entrypoint: ['/manager'],
    env: ['PATH=/usr/local/bin:/', 'NODE_ENV=production', 'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt'],
    labels: labels(root),
  });
  return { image, architecture, sbom, absent: apps.filter((app) => !written.includes(app)).map(({ name }) => name) };
}
