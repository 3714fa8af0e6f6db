import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { parseFlags } from './flags/flag-set.ts';
import { logFlags } from './logging/log-flags.ts';
import { createProgramLogger } from './program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the messages in the log of a program with these flags, from a controller, a part of the program and the program itself. */
function shown(...argv: readonly string[]): readonly string[] {
  const file = join(folder, 'log');
  const parsed = parseFlags(logFlags, ['--skip_headers', '--logtostderr=false', `--log_file=${file}`, ...argv]);
  if (parsed.kind !== 'Parsed') throw new Error(JSON.stringify(parsed));
  const logger = createProgramLogger(parsed.values);
  logger.child({ controller: 'crr-controller' }).debug({}, 'controller');
  logger.child({ logger: 'reflector' }).debug({}, 'part');
  logger.debug({}, 'program');
  logger.info({}, 'always');
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => /"(\w+)"/.exec(line)?.[1] ?? line);
}

it.each<{ argv: readonly string[]; then: readonly string[] }>([
  { argv: [], then: ['always'] },
  { argv: ['--vmodule=crr-*=4'], then: ['controller', 'always'] },
  { argv: ['--vmodule=reflector=4,crr-controller=9'], then: ['controller', 'part', 'always'] },
  { argv: ['--vmodule=reflector=3'], then: ['always'] },
  { argv: ['--vmodule=reflector=1', '-v=4'], then: ['controller', 'part', 'program', 'always'] },
])('a program with the log flags $argv shows $then', ({ argv, then }) => {
  expect(shown(...argv)).toEqual(then);
});
