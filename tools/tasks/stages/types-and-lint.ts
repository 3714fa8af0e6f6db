/**
 * Checks types and lints every file in one process, which `npm test` runs. The linter asks the program that was checked, so each type is computed once;
 * `npm run typecheck` and `npm run lint` are the same checks apart. Prints what is wrong to stdout; the exit code is 1 when something is.
 */
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { root } from '../run-program.ts';

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

/** Returns what the linter finds, warnings included, as text; '' when it finds nothing. */
async function lint(program: ts.Program, patterns: readonly string[]): Promise<string> {
  const overrideConfig = { files: ['**/*.ts'], languageOptions: { parserOptions: { programs: [program] } } };
  const eslint = new ESLint({ cwd: root, overrideConfig });
  const results = await eslint.lintFiles([...patterns]);
  const formatter = await eslint.loadFormatter('stylish');
  return await formatter.format(results, {});
}

const startOf = performance.now();
const said = (what: string): void => console.log(`${what} (${((performance.now() - startOf) / 1000).toFixed(1)} s)`);

const program = readProgram();
const faults = ts.getPreEmitDiagnostics(program);
if (faults.length > 0) {
  // Lint rules that ask for types would repeat each mistake in other words.
  console.log(ts.formatDiagnostics(faults, formatHost));
  process.exitCode = 1;
} else {
  said('types are good');
  const found = await lint(program, process.argv.length > 2 ? process.argv.slice(2) : ['.']);
  if (found !== '') {
    console.log(found);
    process.exitCode = 1;
  } else said('lint is good');
}
