/**
 * Checks types and lints in one process, which `npm test` runs. The linter asks the program that was checked, so each type is computed once. A file
 * that was linted without a finding is skipped until it, or a file that it imports, changes. `npm run typecheck` and `npm run lint` are the same checks
 * apart, of every file. Prints what is wrong to stdout; the exit code is 1 when something is.
 */
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { root } from '../run-program.ts';
import { lintKeys } from './lint-keys.ts';
import { PassedFiles } from './passed-files.ts';

const formatHost: ts.FormatDiagnosticsHost = {
  getCurrentDirectory: () => root,
  getCanonicalFileName: (name) => name,
  getNewLine: () => '\n',
};

/** Reads `tsconfig.json` and the files it names. The linter needs the parents of nodes. */
function readProgram(): ts.Program {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    { noEmit: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: (problem) => {
        throw new Error(ts.formatDiagnostic(problem, formatHost));
      },
    },
  );
  if (config === undefined) throw new Error('tsconfig.json cannot be read');
  const { fileNames: rootNames, options, projectReferences = [], errors: configFileParsingDiagnostics } = config;
  const host = ts.createCompilerHost(options, true);
  return ts.createProgram({ rootNames, options, projectReferences, configFileParsingDiagnostics, host });
}

/** Returns what the linter finds, warnings included, as text; '' when it finds nothing. @param onGood is called with the path of each file without a finding */
async function lint(program: ts.Program, patterns: readonly string[], onGood: (path: string) => void): Promise<string> {
  const overrideConfig = { files: ['**/*.ts'], languageOptions: { parserOptions: { programs: [program] } } };
  const eslint = new ESLint({ cwd: root, overrideConfig, warnIgnored: false, errorOnUnmatchedPattern: false });
  const results = await eslint.lintFiles([...patterns]);
  for (const { filePath, messages } of results) if (messages.length === 0) onGood(filePath);
  const formatter = await eslint.loadFormatter('stylish');
  return await formatter.format(results, {});
}

const scripts = '**/*.{js,mjs,cjs}';

/** Lints what has changed since it last passed. */
async function lintChanged(program: ts.Program): Promise<string> {
  const passed = new PassedFiles('lint');
  const keys = lintKeys(program);
  const left = [...keys].filter(([, key]) => key === undefined || !passed.has(key)).map(([path]) => path);
  const good = new Set([...keys].flatMap(([, key]) => (key !== undefined && passed.has(key) ? [key] : [])));
  said(`${left.length} of ${keys.size} files to lint`);
  const found = await lint(program, [...left, scripts], (path) => {
    const key = keys.get(path);
    if (key !== undefined) good.add(key);
  });
  passed.save(good);
  return found;
}

const startOf = performance.now();
const said = (what: string): void => console.log(`${what} (${((performance.now() - startOf) / 1000).toFixed(1)} s)`);

const program = readProgram();
const faults = ts.getPreEmitDiagnostics(program);
if (faults.length > 0) {
  // Lint rules that request types would repeat each mistake in other words.
  console.log(ts.formatDiagnostics(faults, formatHost));
  process.exitCode = 1;
} else {
  said('types are good');
  const patterns = process.argv.slice(2);
  const found = patterns.length > 0 ? await lint(program, patterns, () => undefined) : await lintChanged(program);
  if (found !== '') {
    console.log(found);
    process.exitCode = 1;
  } else said('lint is good');
}
