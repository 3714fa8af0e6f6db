/** Writes what the generators return to the generated files, or reports what differs. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Generator } from './generator.ts';

export interface Difference {
  readonly path: string;
  readonly kind: 'missing' | 'differs' | 'stale';
}

/** The content of a file; undefined when there is none. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** All files below a folder, from the root; none when it does not exist. */
function filesBelow(root: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** @throws when two files have one path or one lies outside of its generator's folders. */
export function wantedFiles(generators: readonly Generator[]): ReadonlyMap<string, string> {
  const wanted = new Map<string, string>();
  for (const generator of generators) {
    for (const { path, content } of generator.files()) {
      const isOwn = generator.folders.some((folder) => path.startsWith(`${folder}/`)) || generator.pages?.includes(path) === true;
      if (!isOwn) throw new Error(`${generator.name}: ${path} is outside of its folders`);
      if (wanted.has(path)) throw new Error(`${generator.name}: ${path} is generated twice`);
      wanted.set(path, content);
    }
  }
  return wanted;
}

/** What would have to change below `root`, sorted by path. */
export function differences(root: string, generators: readonly Generator[]): readonly Difference[] {
  const wanted = wantedFiles(generators);
  const found: Difference[] = [];
  for (const [path, content] of wanted) {
    const present = read(join(root, path));
    if (present === undefined) found.push({ path, kind: 'missing' });
    else if (present !== content) found.push({ path, kind: 'differs' });
  }
  const present = generators.flatMap(({ folders }) => folders.flatMap((folder) => filesBelow(root, folder)));
  const stale = [...new Set(present)].filter((path) => !wanted.has(path)).map((path): Difference => ({ path, kind: 'stale' }));
  return [...found, ...stale].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Writes and removes files until nothing differs; returns what it changed. */
export function apply(root: string, generators: readonly Generator[]): readonly Difference[] {
  const wanted = wantedFiles(generators);
  const changes = differences(root, generators);
  for (const { path } of changes) {
    const content = wanted.get(path);
    const file = join(root, path);
    if (content === undefined) {
      rmSync(file);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return changes;
}
