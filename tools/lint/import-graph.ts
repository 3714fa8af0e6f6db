/** Who imports whom: the graph of source files, from which the tests of the architecture are made. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface ImportGraph {
  /** By file, from the root: the files of the same project that it imports, types included. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  /** By project (`libs/pods`): the projects that it imports. */
  readonly projects: ReadonlyMap<string, ReadonlySet<string>>;
}

const importStatement = /^(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const notOfThePrograms = /\.(test|testing)\.ts$|\/(testing|testdata|generated|int-tests)\/|\/testing\.ts$/;

/** `libs/pods` for `libs/pods/src/claim.ts`. */
const projectOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Modules that a source names. */
export const importedModules = (text: string): readonly string[] => [...text.matchAll(importStatement)].map(([, module = '']) => module);

/** What the programs consist of below `root`; tests and what only they use are omitted. */
export function readImportGraph(root: string): ImportGraph {
  const files = new Map<string, readonly string[]>();
  const projects = new Map<string, Set<string>>();
  const sources = globSync('{libs,apps}/*/src/**/*.ts', { cwd: root }).filter((file) => !notOfThePrograms.test(file));
  for (const file of sources.toSorted()) {
    if (file.startsWith('libs/testing/')) continue;
    const modules = importedModules(readFileSync(join(root, file), 'utf8'));
    files.set(
      file,
      modules.filter((module) => module.startsWith('.')).map((module) => normalize(join(dirname(file), module))),
    );
    const project = projects.get(projectOf(file)) ?? new Set<string>();
    projects.set(projectOf(file), project);
    for (const module of modules) {
      const [, name] = /^@kruise\/([^/]+)/.exec(module) ?? [];
      if (name !== undefined) project.add(`libs/${name}`);
    }
  }
  return { files, projects };
}

/**
 * Returns what a file belongs to in the graph of folders: its folder. An `index.ts` and a file that is directly in `src` are their own node, because the
 * former lists what its folder exports, and the latter is shared by folders beside it.
 */
const folderOf = (file: string): string => (/(^|\/)src\/[^/]+$|\/index\.ts$/.test(file) ? file : dirname(file));

/** Returns by folder the other folders of its project that its files import. */
export function foldersOf(files: ImportGraph['files']): ImportGraph['files'] {
  const folders = new Map<string, Set<string>>();
  for (const [file, imports] of files) {
    const own = folderOf(file);
    const others = folders.get(own) ?? new Set<string>();
    folders.set(own, others);
    for (const other of imports) if (folderOf(other) !== own) others.add(folderOf(other));
  }
  return new Map([...folders].map(([folder, others]) => [folder, [...others]]));
}

/** Circles of files or folders, each once, in the order of their imports; none when the imports run in one direction. */
export function findCircles(files: ImportGraph['files']): readonly (readonly string[])[] {
  const done = new Set<string>();
  const circles: (readonly string[])[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push(path.slice(at));
    if (at >= 0 || done.has(file)) return;
    for (const next of files.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  return circles;
}
