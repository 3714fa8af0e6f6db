/** Checks the format of every file that has changed since it last passed, in this clone or another one. Prints what prettier finds. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runProgram, signalOfEnd } from '../run-program.ts';
import { keyOf, PassedFiles } from './passed-files.ts';

/** What decides the format of a file besides its content and path. */
const settings = ['.prettierrc.json', '.prettierignore', '.editorconfig', 'package-lock.json'];
const timeoutMs = 10 * 60_000;

/** Returns the files that git knows or would add, from the root; undefined outside of a repository. */
function listFiles(): readonly string[] | undefined {
  try {
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 << 20 });
    return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  } catch {
    return undefined;
  }
}

const contentOf = (path: string): string => readFileSync(join(root, path), 'base64');

async function main(): Promise<number> {
  const passed = new PassedFiles('format');
  const base = keyOf(...settings.map(contentOf));
  const keys = new Map(listFiles()?.map((path) => [path, keyOf(base, path, contentOf(path))]));
  const left = [...keys].filter(([, key]) => !passed.has(key)).map(([path]) => path);
  if (keys.size > 0 && left.length === 0) return 0;
  const { code, output } = await runProgram({
    file: 'node_modules/prettier/bin/prettier.cjs',
    args: ['--check', '--log-level', 'warn', '--ignore-unknown', ...(keys.size === 0 ? ['.'] : left)],
    passOn: false,
    timeoutMs,
    signal: signalOfEnd(),
  });
  process.stdout.write(output);
  if (code === 0) passed.save(keys.values());
  return code;
}

process.exitCode = await main();
