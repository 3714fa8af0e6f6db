/** Bundles one app with esbuild into `dist/<app>`: ES modules for the pinned Node, nothing outside of them but Node itself. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { App } from './apps.ts';

export interface Bundle {
  readonly folder: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** npm packages that are inside, sorted. */
  readonly packages: readonly string[];
}

/** CommonJS packages call `require` for Node's own modules; an ES module has none unless it makes one. */
const banner = "import { createRequire as kruiseCreateRequire } from 'node:module'; const require = kruiseCreateRequire(import.meta.url);";

/** Names of the npm packages among the inputs; the project's own are linked outside of node_modules and do not count. */
export function packagesIn(inputs: Metafile['inputs']): readonly string[] {
  const names = Object.keys(inputs).flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/**
 * @param out folder for the folders of the apps
 * @throws with esbuild's messages when the app does not compile; what an earlier build left is gone then, too
 */
export async function bundle(app: App, root: string, out = join(root, 'dist')): Promise<Bundle> {
  const folder = join(out, app.name);
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...app.entries },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // A CommonJS package that is imported dynamically would come as its default export alone, without names.
    mainFields: ['module', 'main'],
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    // Line breaks stay: log lines name the place they come from.
    minifySyntax: true,
    legalComments: 'external',
    banner: { js: banner },
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    logLevel: 'warning',
  });
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  return { folder, files: sizes.length, sizeBytes: sizes.reduce((sum, size) => sum + size, 0), packages: packagesIn(metafile.inputs) };
}
