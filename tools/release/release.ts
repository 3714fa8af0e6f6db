/** Builds a release of the plugin: bundles, programs, archives, and what is published beside them. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apps } from '../build/apps.ts';
import { bundle, type Bundle } from '../build/bundle.ts';
import { materialsOf, productOf, sbomOf, type Product } from '../build/sbom.ts';
import { packTarball, packZip } from './archives/pack.ts';
import { executableFiles, nodeFiles, type CommonFiles, type ReleaseFile } from './content/archive-files.ts';
import { completionScripts, libraryNotices, projectTexts } from './content/documents.ts';
import { krewManifest } from './content/krew-manifest.ts';
import { noticesText, type Notice } from './content/notices.ts';
import { npmFiles } from './content/npm-package.ts';
import { ensureNode, lockedNode, nodeLicense, pinnedNode } from './node/node-package.ts';
import { singleExecutable } from './node/single-executable.ts';
import { archiveName, buildPlatform, type Platform } from './platforms.ts';
import { ReleaseFolder, type Written } from './release-folder.ts';

export interface ReleasePlan {
  /** Without `v`. */
  readonly version: string;
  readonly platforms: readonly Platform[];
  /** Where the archives will be published; undefined for no manifest of Krew. */
  readonly baseUrl: string | undefined;
  /** Folder that holds nothing but the release afterwards. */
  readonly out: string;
  readonly root: string;
}

/** What the archives are made of. */
interface Parts {
  /** For a Node that is a program of its own: chunks that are loaded when a command needs them. */
  readonly chunked: Bundle;
  /** For the single executable. */
  readonly single: Bundle;
  /** Folders of the npm packages in both. */
  readonly packages: readonly string[];
  readonly common: CommonFiles;
  /** Without Node. */
  readonly libraries: readonly Notice[];
}

const plugin = apps.find(({ name }) => name === 'kubectl-kruise')!;
const executable = { name: 'executable', entries: { main: 'apps/kubectl-kruise/src/executable.ts' } };

async function buildParts({ root, version }: ReleasePlan, folder: string): Promise<Parts> {
  const chunked = await bundle(plugin, root, folder, { version, minify: true, withoutRequire: true });
  const single = await bundle(executable, root, folder, { version, minify: true, withoutRequire: true, singleFiles: true });
  const packages = [...new Set([chunked, single].flatMap(({ contents }) => Object.values(contents).flat()))].sort();
  const libraries = libraryNotices(root, packages);
  const buildNode = pinnedNode('plugin', buildPlatform.nodePackage);
  const node: Notice = { name: 'Node.js', version: buildNode.version, license: 'MIT', text: await nodeLicense(buildNode) };
  const common = {
    ...projectTexts(root),
    notices: noticesText([...libraries, node]),
    completions: await completionScripts(chunked),
  };
  return { chunked, single, packages, common, libraries };
}

const scriptsOf = (built: Bundle): readonly ReleaseFile[] =>
  materialsOf(built, '')
    .map(({ path, content }) => ({ path: path.slice(1), content }))
    .filter(({ path }) => path.endsWith('.mjs'));

async function buildArchive(platform: Platform, { chunked, single, common }: Parts): Promise<Buffer> {
  const node = await ensureNode(pinnedNode('plugin', platform.nodePackage));
  if (platform.program === 'NodeAndScript') return packTarball(nodeFiles(readFileSync(node), scriptsOf(chunked), common));
  const parts = {
    script: join(single.folder, 'main.mjs'),
    node,
    buildNode: await ensureNode(pinnedNode('plugin', buildPlatform.nodePackage)),
  };
  const files = executableFiles(platform, await singleExecutable(platform, parts), common);
  return platform.os === 'windows' ? packZip(files) : packTarball(files);
}

/** The lock file of the project, with the packages of Node as if they were in it. */
function productOfRelease({ root, version, platforms }: ReleasePlan): Product {
  const nodes = Object.fromEntries(
    platforms.map(({ nodePackage }) => [`node_modules/${nodePackage}`, lockedNode(pinnedNode('plugin', nodePackage))]),
  );
  return { name: 'kubectl-kruise', version: `v${version}`, type: 'application', locked: { ...productOf(root).locked, ...nodes } };
}

async function writeAll(plan: ReleasePlan, parts: Parts, folder: ReleaseFolder): Promise<void> {
  const { version, platforms, baseUrl } = plan;
  const { chunked, common, libraries, packages } = parts;
  const archives: { readonly platform: Platform; readonly sha256: string }[] = [];
  for (const platform of platforms) {
    const content = await buildArchive(platform, parts);
    const sha256 = folder.publish(archiveName(platform, version), content, [...packages, `node_modules/${platform.nodePackage}`]);
    archives.push({ platform, sha256 });
  }
  const npm = npmFiles(version, scriptsOf(chunked), { ...common, notices: noticesText(libraries) });
  folder.publish(`kubectl-kruise-${version}.tgz`, packTarball(npm, 9), packages);
  folder.write(`kubectl-kruise_${version}.cdx.json`, Buffer.from(sbomOf(folder.materials, productOfRelease(plan))));
  if (baseUrl !== undefined) folder.write('kruise.yaml', Buffer.from(krewManifest(version, baseUrl, archives)));
  folder.writeChecksums();
}

/**
 * Writes the release. The same sources, version and platforms give the same bytes.
 *
 * @param onWritten called for each file
 * @throws for a folder with other files, on a machine that cannot build releases, without the network when a Node is not in the cache, and for a bundle that does not compile
 */
export async function release(plan: ReleasePlan, onWritten: (written: Written) => void): Promise<void> {
  const here = `${process.platform}-${process.arch}`;
  if (here !== buildPlatform.process) throw new Error(`a release is built on ${buildPlatform.process}, this is ${here}`);
  const out = new ReleaseFolder(plan.out, onWritten);
  const folder = mkdtempSync(join(tmpdir(), 'kruise-release-'));
  try {
    await writeAll(plan, await buildParts(plan, folder), out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
