/** The image from what is on disk: bundles the apps and lays them over the runtime. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps, isWritten } from '../build/apps.ts';
import { bundle } from '../build/bundle.ts';
import { materialsOf, productOf, sbomOf, type Material, type Product } from '../build/sbom.ts';
import { lockedNode, pinnedNode } from '../release/node/node-package.ts';
import { imageOf, layerOf, type PlatformImage } from './oci.ts';
import type { ImagePlatform } from './platforms.ts';
import { runtimeEntries, userId } from './runtime.ts';
import type { TarEntry } from '@kruise/testing';

export interface BuiltImage extends PlatformImage {
  /** The bill of materials, which is in the image, too: every file but itself. */
  readonly sbom: string;
  /** Apps that have no source yet and are not in the image. */
  readonly absent: readonly string[];
}

const sbomPath = 'app/sbom.cdx.json';

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le' };

/** Read-only for all: an app cannot change itself, as any user. */
const asFile = ({ path, content }: Pick<Material, 'path' | 'content'>): TarEntry => ({ kind: 'file', path, content });

/** The npm package that contains Node, and what the lock file would have for it. */
function nodeFolder(platform: ImagePlatform | undefined): { readonly folder: string; readonly locked: Product['locked'] } {
  if (platform === undefined) return { folder: 'node_modules/node', locked: {} };
  const folder = `node_modules/${platform.nodePackage}`;
  return { folder, locked: { [folder]: lockedNode(pinnedNode('image', platform.nodePackage)) } };
}

/** The files of the layer below the apps. */
const runtimeMaterials = (entries: readonly TarEntry[], node: string): readonly Material[] =>
  entries.flatMap((entry) =>
    entry.kind === 'file'
      ? [{ path: entry.path, content: entry.content, packages: entry.path === 'usr/local/bin/node' ? [node] : [] }]
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

export interface BuildPlan {
  readonly root: string;
  /** See {@link layerOf}. */
  readonly cache: string;
  /** Where the bundles go. */
  readonly out: string;
}

interface Bundles {
  readonly materials: readonly Material[];
  readonly absent: readonly string[];
}

async function bundleApps({ root, out }: BuildPlan): Promise<Bundles> {
  const written = apps.filter((app) => isWritten(app, root));
  const materials: Material[] = [];
  for (const app of written) materials.push(...materialsOf(await bundle(app, root, out), `app/${app.name}`));
  return { materials, absent: apps.filter((app) => !written.includes(app)).map(({ name }) => name) };
}

async function assemble({ root, cache }: BuildPlan, { materials, absent }: Bundles, platform?: ImagePlatform): Promise<BuiltImage> {
  const runtime = await runtimeEntries(root, platform);
  const node = nodeFolder(platform);
  const product = productOf(root);
  const locked = { ...product.locked, ...node.locked };
  const sbom = sbomOf([...materials, ...runtimeMaterials(runtime, node.folder)], { ...product, locked });
  const entries = [...materials, { path: sbomPath, content: Buffer.from(sbom) }].map(asFile);
  const layers = [layerOf('runtime: Node, libraries, launchers', runtime, cache), layerOf('apps', entries, cache)];
  const architecture = platform?.architecture ?? architectures[process.arch] ?? process.arch;
  const image = imageOf(layers, {
    architecture,
    user: `${userId}:${userId}`,
    entrypoint: ['/manager'],
    env: ['PATH=/usr/local/bin:/', 'NODE_ENV=production', 'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt'],
    labels: labels(root),
  });
  return { image, architecture, sbom, absent };
}

/** Builds the image from the Node and the libraries of this machine. */
export const buildImage = async (plan: BuildPlan): Promise<BuiltImage> => assemble(plan, await bundleApps(plan));

/** Builds the image of each platform from pinned packages, in this order. */
export async function buildImages(plan: BuildPlan, platforms: readonly ImagePlatform[]): Promise<readonly BuiltImage[]> {
  const bundles = await bundleApps(plan);
  const built: BuiltImage[] = [];
  for (const platform of platforms) built.push(await assemble(plan, bundles, platform));
  return built;
}
