/** docs/architecture.md says who may import whom; here it is compared with the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findCircles, foldersOf, importedModules, readImportGraph } from './import-graph.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const graph = readImportGraph(root);
const manager = 'apps/manager/src/';

/** The numbered list of the page: the folders and files of each line. */
const layers = [...page.matchAll(/^\d+\. ((?:`[\w./-]+`(?:, )?)+)/gm)].map(([, names = '']) =>
  [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
);

/** The line of a file and the folder or file that it names: the longest name that fits. */
function placeOf(file: string): { readonly line: number; readonly name: string } | undefined {
  const path = file.slice(manager.length);
  const places = layers.flatMap((names, line) => names.map((name) => ({ line, name })));
  const fitting = places.filter(({ name }) => path === name || path.startsWith(`${name}/`));
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0];
}

/** What the diagram of projects says: `a --> b & c --> d`. */
function drawnArrows(): ReadonlyMap<string, ReadonlySet<string>> {
  const arrows = new Map<string, Set<string>>();
  const diagram = /```mermaid\nflowchart LR\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  for (const line of diagram.split('\n').filter((text) => text.includes('-->'))) {
    const groups = line.split('-->').map((group) => group.split('&').map((name) => name.trim()));
    groups.slice(1).forEach((targets, i) => {
      for (const source of groups[i] ?? []) arrows.set(source, new Set([...(arrows.get(source) ?? []), ...targets]));
    });
  }
  return arrows;
}

const reachable = (arrows: ReadonlyMap<string, ReadonlySet<string>>, from: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const visit = (name: string): void => {
    for (const next of arrows.get(name) ?? []) if (!found.has(next)) visit((found.add(next), next));
  };
  visit(from);
  return found;
};

const nameOf = (project: string): string => project.split('/')[1] ?? '';

describe('the projects', () => {
  const arrows = drawnArrows();
  const real = [...graph.projects].map(([project, targets]) => [nameOf(project), [...targets].map(nameOf)] as const);

  it('are drawn, all of them', () => {
    const drawn = new Set([...arrows].flatMap(([name, targets]) => [name, ...targets]));
    expect([...drawn].sort()).toEqual(real.map(([name]) => name).sort());
  });

  it.each(real)('import only along the arrows: %s', (name, targets) => {
    const allowed = reachable(arrows, name);
    expect(targets.filter((target) => !allowed.has(target))).toEqual([]);
  });

  it.each([...arrows])('have no arrow without an import: %s', (name, targets) => {
    const taken = real.find(([project]) => project === name)?.[1] ?? [];
    expect([...targets].filter((target) => !taken.includes(target))).toEqual([]);
  });
});

describe('the layers of the manager', () => {
  const files = [...graph.files].filter(([file]) => file.startsWith(manager));

  /** Folders with nothing but tests and what they share. */
  const testFolders = new Set(['int-tests', 'refused-writes']);

  it('hold every folder and file', () => {
    const entries = readdirSync(join(root, manager)).filter((name) => !testFolders.has(name));
    expect(layers.length).toBeGreaterThan(5);
    expect(entries.filter((name) => !layers.flat().includes(name))).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });

  it('import nothing from below or beside', () => {
    const wrong = files.flatMap(([file, imports]) => {
      const own = placeOf(file);
      return imports
        .filter((other) => {
          const place = placeOf(other);
          return place === undefined || own === undefined || place.line > own.line || (place.line === own.line && place.name !== own.name);
        })
        .map((other) => `${file} -> ${other}`);
    });
    expect(wrong).toEqual([]);
  });

  it('let no kind and no feature import another', () => {
    const homeOf = (file: string): string | undefined =>
      /^apps\/manager\/src\/(?:kinds|features)\/([^/]+)\//.exec(file)?.[1] ??
      /^libs\/kinds\/src\/(?!images\/|probes\/)([^/]+)\//.exec(file)?.[1];
    const wrong = [...graph.files].flatMap(([file, imports]) =>
      imports
        .filter((other) => homeOf(file) !== undefined && homeOf(other) !== undefined && homeOf(other) !== homeOf(file))
        .map((other) => `${file} -> ${other}`),
    );
    expect(wrong).toEqual([]);
  });
});

it('nothing is imported in a circle', () => {
  expect(findCircles(graph.files)).toEqual([]);
});

it('no folder imports another one in a circle', () => {
  expect(findCircles(foldersOf(graph.files))).toEqual([]);
});

it('a circle of folders is found where no file is in one', () => {
  const files = new Map([
    ['libs/x/src/a/one.ts', ['libs/x/src/b/two.ts', 'libs/x/src/a/three.ts']],
    ['libs/x/src/b/two.ts', ['libs/x/src/root.ts']],
    ['libs/x/src/b/four.ts', ['libs/x/src/a/three.ts']],
    ['libs/x/src/a/three.ts', []],
    ['libs/x/src/a/index.ts', ['libs/x/src/a/one.ts']],
    ['libs/x/src/root.ts', []],
  ]);
  expect(findCircles(files)).toEqual([]);
  expect(findCircles(foldersOf(files))).toEqual([['libs/x/src/a', 'libs/x/src/b']]);
});

it('a circle is found', () => {
  const files = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ]);
  expect(findCircles(files)).toEqual([['a', 'b', 'c']]);
});

it('imports are found in every form', () => {
  const text = `import a from './a.ts';\nimport type { B } from './b.ts';\nexport { c } from './c.ts';\nimport {\n  d,\n} from './d.ts';\nimport './e.ts';\n`;
  expect(importedModules(text)).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
});
