import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '@kruise/testing';
import { root } from './run-program.ts';

let folder: string;

/** A project whose test command reports that it runs, and whose removal of the cluster takes a second. */
function project(): string {
  const path = join(folder, 'project');
  for (const part of ['.ci', 'tools']) mkdirSync(join(path, part), { recursive: true });
  copyFileSync(join(root, '.ci/run'), join(path, '.ci/run'));
  chmodSync(join(path, '.ci/run'), 0o755);
  const mark = (name: string): string => JSON.stringify(join(folder, name));
  const test = `const { mkdirSync, writeFileSync } = require('node:fs');
mkdirSync('node_modules');
writeFileSync('node_modules/.installed-lock', '');
process.on('SIGTERM', () => process.exit(1));
setInterval(() => undefined, 1000);
writeFileSync(${mark('running')}, '');`;
  const removal = `import { writeFileSync } from 'node:fs';
writeFileSync(${mark('removing')}, process.argv.slice(2).join(' '));
setTimeout(() => writeFileSync(${mark('removed')}, ''), 1000);`;
  writeFileSync(join(path, 'test.cjs'), test);
  writeFileSync(join(path, 'tools/run.mjs'), removal);
  writeFileSync(join(path, 'package.json'), JSON.stringify({ private: true, scripts: { test: 'node test.cjs' } }));
  return path;
}

const until = (name: string): Promise<void> => eventually(() => existsSync(join(folder, name)));

/** Starts `.ci/run` of the project as a process group of its own. */
function start(path: string): { readonly child: ChildProcess; readonly ended: Promise<string> } {
  const child = spawn('bash', ['.ci/run'], {
    cwd: path,
    detached: true,
    env: { ...process.env, TMPDIR: folder, GIT_CEILING_DIRECTORIES: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, ended: once(child, 'close').then(() => output) };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('removes the cluster when more signals arrive during the removal', async () => {
  const { child, ended } = start(project());
  await until('running');
  child.kill('SIGTERM');
  await until('removing');
  // As Ctrl-C in a terminal: to the script and to what it has started.
  process.kill(-(child.pid ?? 0), 'SIGINT');
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  expect((await ended).trim().split('\n').at(-1)).toBe('0 passed, 1 failed');
  expect(readFileSync(join(folder, 'removing'), 'utf8')).toBe('tools/cluster/main.ts down --name e2e');
  expect(existsSync(join(folder, 'removed'))).toBe(true);
});
