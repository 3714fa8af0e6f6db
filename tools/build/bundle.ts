/** Bundles one app with esbuild into `dist/<app>`: ES modules for the pinned Node, nothing outside of them but Node itself. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';
import type { App } from './apps.ts';
import { builtinsWithoutFacade } from './builtins-without-facade.ts';
import { shrinkScripts } from './shrink.ts';
import { withoutDocumentation } from './without-documentation.ts';
import { withoutTracing } from './without-tracing.ts';

export interface Bundle {
  readonly folder: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** npm packages that are inside, sorted. */
  readonly packages: readonly string[];
  /** Of each script: the folders of the packages that are inside, as `package-lock.json` names them; sorted. */
  readonly contents: Readonly<Record<string, readonly string[]>>;
}

/** CommonJS packages call `require` for Node's own modules; an ES module has none unless it defines one. */
const banner = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/** Names of the npm packages among the inputs; the project's own are linked outside of node_modules and do not count. */
export function packagesIn(inputs: Metafile['inputs']): readonly string[] {
  const names = Object.keys(inputs).flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

const modules = 'node_modules/';

/** The folder of the package that a file is of, from the first `node_modules` on; undefined for a file of the project. */
function packageFolderOf(path: string): string | undefined {
  const [first, last] = [path.indexOf(modules), path.lastIndexOf(modules)];
  if (first < 0) return undefined;
  const [scope = '', name = ''] = path.slice(last + modules.length).split('/');
  return path.slice(first, last) + modules + (scope.startsWith('@') ? `${scope}/${name}` : scope);
}

/** Folders of the npm packages whose files are among the inputs of each output, by the file name of the output. */
export const contentsOf = (outputs: Metafile['outputs']): Bundle['contents'] =>
  Object.fromEntries(
    Object.entries(outputs).map(([path, { inputs }]) => [
      basename(path),
      [...new Set(Object.keys(inputs).flatMap((input) => packageFolderOf(input) ?? []))].sort(),
    ]),
  );

/**
 * @returns the place of the first character beyond ASCII, undefined when there is none. V8 holds a text with such a character with two bytes
 *   a character, in each thread. esbuild escapes them everywhere but in regular expressions.
 */
export function beyondAscii(text: string): string | undefined {
  const at = text.search(/[^\0-\x7f]/);
  return at < 0 ? undefined : text.slice(text.lastIndexOf('\n', at) + 1, at + 1);
}

/** @throws for a script with characters beyond ASCII */
function checkAscii(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.mjs'))) {
    const place = beyondAscii(readFileSync(join(folder, name), 'utf8'));
    if (place !== undefined) throw new Error(`${join(folder, name)}: not ASCII, escape the last character of: ${place}`);
  }
}

/** @throws for a script that calls `require`, which a bundle without the banner does not have */
function checkRequire(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.mjs')))
    if (/(?<![.\w$])require\(/.test(readFileSync(join(folder, name), 'utf8'))) throw new Error(`${join(folder, name)}: calls require`);
}

/** Packages with ES modules, of which a bundle keeps only what it uses; `exports` gives Node the CommonJS ones. */
const esModules = (root: string): Readonly<Record<string, string>> => ({ yaml: join(root, 'node_modules/yaml/browser/index.js') });

/** Characters of a line. Log lines name the line they come from, so a place must stay easy to find. Indentation would add a quarter to the text. */
const lineLimit = 160;

/** How a bundle differs from those of the image. */
export interface BundleShape {
  /** A file for each entry that has everything in it, in place of chunks that entries share and load when they need them. */
  readonly singleFiles?: boolean;
  /** Without line breaks, and with short names. */
  readonly minify?: boolean;
  /** For an app whose packages call no `require`. */
  readonly withoutRequire?: boolean;
  /** What `kruiseVersion` is in the source, without `v`. */
  readonly version?: string;
}

/** Leaves the modules whose path matches as imports of files that do not exist. */
const without = (paths: RegExp): Plugin => ({
  name: 'without',
  setup(build) {
    build.onResolve({ filter: paths }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
});

function optionsOf(root: string, folder: string, shape: BundleShape): BuildOptions {
  const { singleFiles = false, minify = false, withoutRequire = false, version } = shape;
  return {
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    splitting: !singleFiles,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // A CommonJS package that is imported dynamically would come as its default export alone, without names.
    mainFields: ['module', 'main'],
    alias: esModules(root),
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    // V8 keeps the source text, in each thread.
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers: minify,
    ...(minify ? {} : { lineLimit }),
    legalComments: 'external',
    ...(withoutRequire ? {} : { banner: { js: banner } }),
    define: { 'process.env.NODE_ENV': '"production"', ...(version === undefined ? {} : { kruiseVersion: JSON.stringify(version) }) },
    logLevel: 'warning',
  };
}

/**
 * @param out folder for the folders of the apps
 * @throws with esbuild's messages when the app does not compile; the files of an earlier build are deleted in that case, too
 */
export async function bundle(app: App, root: string, out = join(root, 'dist'), shape: BundleShape = {}): Promise<Bundle> {
  const folder = join(out, app.name);
  rmSync(folder, { recursive: true, force: true });
  const options = optionsOf(root, folder, shape);
  const plugins = [builtinsWithoutFacade, withoutDocumentation, withoutTracing];
  const programs = [
    { entryPoints: { ...app.entries }, plugins },
    ...Object.entries(app.threads ?? {}).map(([name, thread]) => ({
      entryPoints: { [name]: thread.file },
      plugins: [without(thread.without), ...plugins],
    })),
  ];
  const metafiles = await Promise.all(programs.map(async (program) => (await build({ ...options, ...program, metafile: true })).metafile));
  if (shape.minify === true) await shrinkScripts(folder);
  checkAscii(folder);
  if (shape.withoutRequire === true) checkRequire(folder);
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  return {
    folder,
    files: sizes.length,
    sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
    packages: packagesIn(Object.assign({}, ...metafiles.map(({ inputs }) => inputs)) as Metafile['inputs']),
    contents: contentsOf(Object.assign({}, ...metafiles.map(({ outputs }) => outputs)) as Metafile['outputs']),
  };
}
