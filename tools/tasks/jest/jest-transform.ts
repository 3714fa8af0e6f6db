/** Jest's transformer: swc strips the types, and names of other projects are imported from where they are declared (`direct-imports.ts`). */
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import swcJest from '@swc/jest';
import { DirectImports } from './direct-imports.ts';
import { root } from '../run-program.ts';

type SyncTransformer = Extract<ReturnType<typeof swcJest.createTransformer>, { readonly process: unknown }>;

// Maps beside the code: V8 reads the code of every module again for every test file, and a map inside of it is most of the text.
const swc = swcJest.createTransformer({
  jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
  module: { type: 'es6' },
  sourceMaps: true,
}) as SyncTransformer;

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
}

/** The files of an export of a library, each with what `*` is in it; '' where the path has none. */
function filesOf(folder: string, path: string): readonly (readonly [string, string])[] {
  if (!path.includes('*')) return [['', join(folder, path)]];
  const [before = '', after = ''] = path.slice('./'.length).split('*');
  const files = globSync(`${before}**/*.ts`, { cwd: folder }).filter((file) => file.endsWith(after));
  return files.map((file) => [file.slice(before.length, -after.length), join(folder, file)]);
}

/** The file behind each specifier of a library, e.g. `@kruise/kube/testing`. */
function entriesOfLibraries(): ReadonlyMap<string, string> {
  const folders = readdirSync(join(root, 'libs')).map((name) => join(root, 'libs', name));
  return new Map(
    folders.flatMap((folder) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
      return Object.entries(exports).flatMap(([path, file]) =>
        filesOf(folder, file).map(([part, found]) => [join(name, path.replace('*', part)), found] as const),
      );
    }),
  );
}

const imports = new DirectImports(entriesOfLibraries());
const key = imports.key(root);

const transformer: SyncTransformer = {
  process: (source, filename, options) => {
    const result = swc.process(source, filename, options);
    return { ...result, code: imports.rewrite(result.code, filename) };
  },
  getCacheKey: (source, filename, options) =>
    createHash('sha256')
      .update(swc.getCacheKey?.(source, filename, options) ?? '')
      .update(key)
      .digest('hex'),
};

// eslint-disable-next-line no-restricted-syntax -- Jest requires a default export
export default transformer;
