/** What the findings of the linter in a file depend on, as one key for each file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../run-program.ts';
import { ImportClosure, isOnlyImported } from './import-closure.ts';
import { keyOf } from './passed-files.ts';

interface ProjectGraph {
  readonly graph: {
    readonly nodes: Readonly<Record<string, { readonly data: { readonly root: string; readonly tags?: readonly string[] } }>>;
    readonly dependencies: Readonly<Record<string, readonly { readonly target: string; readonly type: string }[]>>;
  };
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The rules on layers look at projects, their tags and what they depend on. Undefined without the graph, which `nx graph` writes. */
function layers(): string | undefined {
  try {
    const { graph } = JSON.parse(textOf('node_modules/.cache/project-graph.json')) as ProjectGraph;
    const names = Object.keys(graph.nodes).toSorted();
    return keyOf(
      ...names.map((name) => {
        const { root: folder, tags = [] } = graph.nodes[name]?.data ?? { root: '' };
        const targets = (graph.dependencies[name] ?? []).map(({ target, type }) => `${type} ${target}`);
        return JSON.stringify([name, folder, tags, targets.toSorted()]);
      }),
    );
  } catch {
    return undefined;
  }
}

/** The linter, its rules, the compiler and its options. */
function settings(): string {
  const rules = readdirSync(join(root, 'tools/lint')).filter((file) => file.endsWith('.mjs'));
  const files = [
    'package-lock.json',
    'eslint.config.mjs',
    'tsconfig.json',
    'tsconfig.base.json',
    ...rules.map((file) => `tools/lint/${file}`),
  ];
  return keyOf(process.version, ...files.map(textOf));
}

/**
 * Returns every TypeScript file of the project by its absolute path. A file without a key must be linted: it is not in the program, imports what cannot
 * be found, or the project graph is missing.
 */
export function lintKeys(program: ts.Program): ReadonlyMap<string, string | undefined> {
  const ofProject = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(`${root}/`) && !fileName.includes('/node_modules/'));
  const known = layers();
  const ambient = ofProject.filter((file) => !isOnlyImported(file)).map(({ fileName, text }) => keyOf(fileName.slice(root.length), text));
  const base = known === undefined ? undefined : keyOf(settings(), known, ...ambient.toSorted());
  const closure = new ImportClosure(program, root);
  const listed = ts.sys.readDirectory(root, ['.ts', '.mts', '.cts'], ['**/node_modules', '**/dist', '**/.nx']);
  const keyed = (path: string): string | undefined => {
    const key = base === undefined ? undefined : closure.keyOf(path);
    return key === undefined || base === undefined ? undefined : keyOf(base, path.slice(root.length), key);
  };
  return new Map(listed.map((path) => [path, keyed(path)]));
}
