/**
 * The bill of materials of the image or a release, as CycloneDX 1.6: every file by its digest, every npm package that is in a bundle by the version and digest
 * of `package-lock.json`, and which file holds which packages. The same files give the same text.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from './bundle.ts';

/** A package as the lock file has it. */
interface LockedPackage {
  readonly version?: string;
  /** `sha512-` and base64. */
  readonly integrity?: string;
  readonly license?: string;
}

export interface Material {
  /** In the image or release, without a leading slash. */
  readonly path: string;
  readonly content: Uint8Array;
  /** Folders of packages that are in it, as the lock file names them. */
  readonly packages: readonly string[];
}

export interface Product {
  readonly name: string;
  readonly version: string;
  readonly type: 'application' | 'container';
  /** By folder: `packages` of the lock file. */
  readonly locked: Readonly<Record<string, LockedPackage>>;
}

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** @see https://github.com/package-url/purl-spec */
const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A component of the document. */
interface Component {
  readonly 'bom-ref': string;
  readonly [member: string]: unknown;
}

function libraryOf(folder: string, locked: Product['locked']): Component {
  const { version, integrity, license } = locked[folder] ?? {};
  if (version === undefined) throw new Error(`${folder} is in a bundle, and not in package-lock.json`);
  const name = nameOf(folder);
  const [algorithm, digest = ''] = (integrity ?? '').split('-', 2);
  return {
    type: 'library',
    'bom-ref': purlOf(name, version),
    name,
    version,
    purl: purlOf(name, version),
    ...(algorithm === 'sha512' ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] } : {}),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
  };
}

const fileRef = (path: string): string => `file:/${path}`;

const fileOf = ({ path, content }: Material): Component => ({
  type: 'file',
  'bom-ref': fileRef(path),
  name: `/${path}`,
  hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(content).digest('hex') }],
});

/** What is in the folder of a bundle. */
export const materialsOf = ({ folder, contents }: Pick<Bundle, 'folder' | 'contents'>, into: string): readonly Material[] =>
  readdirSync(folder).map((name) => ({
    path: `${into}/${name}`,
    content: readFileSync(join(folder, name)),
    packages: contents[name] ?? [],
  }));

/** The project's own name and version, and what its lock file has. */
export function productOf(root: string): Product {
  const json = (file: string): unknown => JSON.parse(readFileSync(join(root, file), 'utf8'));
  const { version } = json('package.json') as { version: string };
  const { packages } = json('package-lock.json') as { packages: Product['locked'] };
  return { name: 'kruise-manager', version: `v${version}`, type: 'container', locked: packages };
}

/** @throws for a package that the lock file does not have */
export function sbomOf(materials: readonly Material[], { name, version, type, locked }: Product): string {
  const files = [...materials].sort((a, b) => (a.path < b.path ? -1 : 1));
  const libraries = new Map(
    [...new Set(files.flatMap(({ packages }) => packages))].sort().map((folder) => [folder, libraryOf(folder, locked)]),
  );
  const byRef = new Map([...libraries.values()].map((library) => [library['bom-ref'], library]));
  const refsOf = (packages: readonly string[]): readonly string[] => packages.flatMap((folder) => libraries.get(folder)?.['bom-ref'] ?? []);
  const root = `${name}@${version}`;
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type, 'bom-ref': root, name, version } },
    components: [...files.map(fileOf), ...byRef.values()],
    dependencies: [
      { ref: root, dependsOn: files.map(({ path }) => fileRef(path)) },
      ...files.map(({ path, packages }) => ({ ref: fileRef(path), dependsOn: [...new Set(refsOf(packages))] })),
    ],
  };
  return `${JSON.stringify(bom, undefined, 2)}\n`;
}
