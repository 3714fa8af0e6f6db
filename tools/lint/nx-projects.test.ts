/** What `nx.json` and `project.json` declare about the projects, compared with the folders, the imports and what a cached result depends on. */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { apps } from '../build/apps.ts';
import { readImportGraph } from './import-graph.ts';

interface Target {
  readonly cache?: boolean;
  readonly outputs?: readonly string[];
  readonly options?: { readonly command?: string };
}

interface NxGraph {
  readonly nodes: Readonly<
    Record<string, { readonly data: { readonly root: string; readonly targets: Readonly<Record<string, Target>> } }>
  >;
  readonly dependencies: Readonly<Record<string, readonly { readonly target: string }[]>>;
}

const root = join(import.meta.dirname, '../..');
const folders = globSync('{libs,apps}/*/src', { cwd: root }).map((path) => path.replace(/\/src$/, ''));
const programs = apps.map(({ name }) => `apps/${name}`);

/** Nx as it answers at a prompt, also when these tests run as a task of Nx themselves. */
function nx(...args: readonly string[]): string {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('NX_'));
  const env = { ...Object.fromEntries(own), NX_DAEMON: 'false' };
  return execFileSync(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), ...args], { cwd: root, env, encoding: 'utf8' });
}

function readGraph(): NxGraph {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-nx-'));
  try {
    nx('graph', `--file=${join(folder, 'graph.json')}`);
    return (JSON.parse(readFileSync(join(folder, 'graph.json'), 'utf8')) as { readonly graph: NxGraph }).graph;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const inputsOf = (target: string): readonly string[] =>
  (JSON.parse(nx('show', 'target', 'inputs', target, '--json')) as { readonly files: readonly string[] }).files;

describe('the projects of Nx', () => {
  let graph: NxGraph;
  beforeAll(() => void (graph = readGraph()), 60_000);

  it('are the folders with sources, under their names, and the tools', () => {
    const found = Object.entries(graph.nodes).map(([name, { data }]) => `${name} ${data.root}`);
    expect(found.toSorted()).toEqual([...folders, 'tools'].map((folder) => `${basename(folder)} ${folder}`).toSorted());
  });

  it('depend on what their programs import', () => {
    for (const [project, imports] of readImportGraph(root).projects) {
      const dependencies = (graph.dependencies[basename(project)] ?? []).map(({ target }) => target);
      const ours = dependencies.filter((target) => target in graph.nodes);
      expect({ project, ours: ours.toSorted() }).toEqual({ project, ours: [...imports].map((path) => basename(path)).toSorted() });
    }
  });

  it('are all tested and linted, and the programs are built', () => {
    for (const { data } of Object.values(graph.nodes)) {
      const { root: folder, targets } = data;
      const built = programs.includes(folder) ? ['build'] : [];
      expect({ folder, targets: Object.keys(targets).toSorted() }).toEqual({ folder, targets: [...built, 'lint', 'test'] });
      expect(targets['test']?.options?.command).toBe(`npm run jest -- ./${folder}/`);
      expect(Object.values(targets).every(({ cache }) => cache === true)).toBe(true);
      const { options, outputs } = targets['build'] ?? {};
      const bundle =
        built.length > 0 ? [`npm run build -- ${basename(folder)}`, ['{workspaceRoot}/dist/{projectName}']] : [undefined, undefined];
      expect([options?.command, outputs]).toEqual(bundle);
    }
  });
});

describe('what a cached result depends on', () => {
  it.each<{ target: string; on: readonly string[]; never: readonly RegExp[] }>([
    {
      target: 'manager:test',
      on: [
        'libs/kinds/src/cloneset/plan.ts',
        'apps/manager/src/kinds/cloneset/controller.test.ts',
        'libs/objects/src/values/time.ts',
        'libs/kube/src/testing.ts',
        'libs/testing/src/index.ts',
        'docs/spec/cloneset.md',
        'integrations/argocd/generated/resource_customizations/apps.kruise.io/CloneSet/health.lua',
        'libs/testing/src/argocd/run.lua',
        'jest.config.mjs',
        'package-lock.json',
      ],
      never: [/\.int\.test\.ts$/, /^(libs|apps)\/.*\.md$/, /^libs\/.*\.test\.ts$/, /^apps\/daemon\//, /^README/],
    },
    {
      target: 'manager:build',
      on: ['apps/manager/src/main.ts', 'libs/pods/src/index.ts', 'tools/build/bundle.ts', 'package-lock.json'],
      never: [/\.(test|testing)\.ts$/, /\/testing\.ts$/, /\.md$/, /^libs\/testing\//, /^apps\/daemon\//],
    },
  ])(
    '$target',
    ({ target, on, never }) => {
      const files = inputsOf(target);
      expect(on.filter((file) => !files.includes(file))).toEqual([]);
      expect(files.filter((file) => never.some((pattern) => pattern.test(file)))).toEqual([]);
    },
    60_000,
  );
});
