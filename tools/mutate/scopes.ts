/**
 * What is mutated: the files of pure rules, in scopes of one project or one kind, each with the tests beside it. A file is pure when neither it nor
 * what it imports from its own project takes values from `node:*` or a runtime project; so a new kind is a scope by being there.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface Scope {
  /** Its folder below `src`, e.g. `libs/pods`, `libs/kinds/cloneset`. */
  readonly name: string;
  /** Files to mutate, from the root. */
  readonly files: readonly string[];
  /** Test files, from the root. */
  readonly tests: readonly string[];
}

/** Hashing (`node:crypto`) is as pure as what it hashes. */
const impureModules = /^(node:(?!crypto$)|@kruise\/(kube|admission|cri|process)(\/|$)|undici$|pino$|prom-client$|@grpc\/)/;
const noRules = /\.(test|testing)\.ts$|\/(testing|index|main)\.ts$|\/(testdata|generated|testing)\//;
/** Data: a fault in it shows in the generated files, which are compared with recorded ones. */
const tables =
  /^libs\/api\/src\/(kinds\/[^/]+\/schema[^/]*|schema\/[^/]+-spec|schema\/(columns|image-pull|rights)|well-known|kinds\/[^/]+\/names)\.ts$/;

/** They take seconds each and would run for every mutant that the tables leave alive; that they end soundly is for \`npm test\` to say. */
const slowTests = /\/crash\.test\.ts$/;

interface Source {
  readonly impure: boolean;
  /** Files of the same project whose values it takes. */
  readonly imports: readonly string[];
}

const importStatement = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const importsOnlyTypes = /^(?:import|export)\s*\{([^}]*)\}/;

/** Module names whose values a source takes. */
export function valueImports(text: string): readonly string[] {
  return [...text.matchAll(importStatement)].flatMap(([statement, module = '']) => {
    const names = importsOnlyTypes.exec(statement)?.[1];
    const list = names?.split(',').map((name) => name.trim());
    const onlyTypes = list?.every((name) => name === '' || name.startsWith('type ')) ?? false;
    return onlyTypes ? [] : [module];
  });
}

function readSource(root: string, file: string): Source {
  const modules = valueImports(readFileSync(join(root, file), 'utf8'));
  return {
    impure: modules.some((module) => impureModules.test(module)),
    imports: modules.filter((module) => module.startsWith('.')).map((module) => normalize(join(dirname(file), module))),
  };
}

/** @returns the files, of those given, from which nothing impure can be reached */
export function pureFiles(root: string, files: readonly string[]): readonly string[] {
  const sources = new Map(files.map((file) => [file, readSource(root, file)]));
  const impure = new Set([...sources].filter(([, source]) => source.impure).map(([file]) => file));
  for (let before = -1; before !== impure.size;) {
    before = impure.size;
    for (const [file, { imports }] of sources) if (imports.some((other) => impure.has(other))) impure.add(file);
  }
  return files.filter((file) => !impure.has(file));
}

/** `libs/kinds/src/cloneset/plan.ts` is of `libs/kinds/cloneset`, `libs/pods/src/claim.ts` of `libs/pods`. */
export function scopeOf(file: string): string {
  const [tier = '', project = '', , ...path] = file.split('/');
  if (tier === 'libs') return project === 'kinds' ? `${tier}/${project}/${path[0]}` : `${tier}/${project}`;
  const depth = path[0] === 'kinds' || path[0] === 'features' ? 2 : 1;
  return [tier, project, ...path.slice(0, Math.min(depth, path.length - 1))].join('/');
}

/** Every scope of the tree at `root`, by name. */
export function scopes(root: string): readonly Scope[] {
  const all = globSync('{libs,apps}/*/src/**/*.ts', { cwd: root }).toSorted();
  const rules = new Set(
    pureFiles(
      root,
      all.filter((file) => !noRules.test(file)),
    ),
  );
  const tests = all.filter((file) => file.endsWith('.test.ts') && !file.endsWith('.int.test.ts') && !slowTests.test(file));
  const names = [...new Set([...rules].map(scopeOf))].toSorted();
  return names
    .map((name) => ({
      name,
      files: [...rules].filter((file) => scopeOf(file) === name && !tables.test(file)),
      tests: tests.filter((file) => scopeOf(file) === name),
    }))
    .filter(({ files }) => files.length > 0);
}

export type Chosen = { readonly kind: 'Scopes'; readonly scopes: readonly Scope[] } | { readonly kind: 'Unknown'; readonly name: string };

/**
 * @param names of scopes or files; all scopes when empty
 * @param among only these files; all when undefined
 * @returns scopes with the files that are left of them, those without any omitted
 */
export function chooseScopes(all: readonly Scope[], names: readonly string[], among?: ReadonlySet<string>): Chosen {
  const isKnown = (name: string): boolean => all.some((scope) => scope.name === name || scope.files.includes(name));
  const unknown = names.find((name) => !isKnown(name));
  if (unknown !== undefined) return { kind: 'Unknown', name: unknown };
  const isWanted = (scope: Scope, file: string): boolean =>
    (names.length === 0 || names.includes(scope.name) || names.includes(file)) && (among?.has(file) ?? true);
  return {
    kind: 'Scopes',
    scopes: all
      .map((scope) => ({ ...scope, files: scope.files.filter((file) => isWanted(scope, file)) }))
      .filter(({ files }) => files.length > 0),
  };
}
