import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '@kruise/testing';
import { runProgram } from '../run-program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kruise-environment-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Ended = Promise<{ readonly code: number; readonly output: string }>;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Runs one test file of these lines in Jest with the environment. */
const runFile = (...lines: readonly string[]): Ended => runJestFile({ forceExit: true }, lines);

async function runJestFile(options: object, lines: readonly string[]): Ended {
  const testEnvironment = join(import.meta.dirname, 'jest-environment.ts');
  writeFileSync(join(folder, 'file.test.cjs'), lines.join('\n'));
  const config = {
    rootDir: folder,
    testEnvironment,
    testEnvironmentOptions: { graceMs: 500 },
    transform: {},
    testMatch: ['**/*.test.cjs'],
    ...options,
  };
  const signal = new AbortController().signal;
  const args = ['--config', JSON.stringify(config), '--no-cache'];
  return runProgram({ file: 'node_modules/jest/bin/jest.js', args, env: { NO_COLOR: '1' }, passOn: false, timeoutMs: 60_000, signal });
}

it('fails a file that leaves something open, and says what', async () => {
  const { code, output } = await runFile("it('works', () => void setTimeout(() => {}, 60_000));");
  expect(output).toMatch(/The file leaves open: Timeout made .*file\.test\.cjs:1/);
  expect(output).toContain('Tests:       1 passed, 1 total');
  expect(code).toBe(1);
});

it('passes a file that closes what it opened in its last hook', async () => {
  const { code, output } = await runFile(
    "const timer = setTimeout(() => {}, 60_000); afterAll(() => clearTimeout(timer)); it('works', () => {});",
    'afterAll(() => void setTimeout(() => {}, 50));',
  );
  expect(output).toContain('1 passed');
  expect(code).toBe(0);
});

it('says nothing of what a failed test left', async () => {
  const { code, output } = await runFile("it('works', () => { setTimeout(() => {}, 60_000); throw new Error('no'); });");
  expect(output).toContain('● works');
  expect(output).not.toContain('leaves open');
  expect(code).toBe(1);
});

it('leaves its exit code to a run of one file, which has no worker', async () => {
  expect((await runJestFile({}, ["it('works', () => { throw new Error('no'); });"])).code).toBe(1);
  expect((await runJestFile({}, ["it('works', () => {});"])).code).toBe(0);
});

it('ends the other workers when a run ends at its first failure', async () => {
  const pidFile = JSON.stringify(join(folder, 'pid'));
  writeFileSync(
    join(folder, 'endless.test.cjs'),
    `it('runs', () => { require('node:fs').writeFileSync(${pidFile}, String(process.pid)); return new Promise(() => setInterval(() => {}, 1000)); }, 60_000);`,
  );
  const { code } = await runJestFile({ bail: 1, maxWorkers: 2 }, [
    "const { existsSync } = require('node:fs');",
    `it('fails', async () => { while (!existsSync(${pidFile})) await new Promise((done) => setTimeout(done, 20)); throw new Error('no'); });`,
  ]);
  expect(code).toBe(1);
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  await eventually(() => !isAlive(pid));
});

it('lets the workers of a run that passed end by themselves', async () => {
  writeFileSync(join(folder, 'second.test.cjs'), "it('works', () => {});");
  const { code, output } = await runJestFile({ maxWorkers: 2, workerGracefulExitTimeout: 5000 }, ["it('works', () => {});"]);
  expect(output).not.toContain('failed to exit gracefully');
  expect(code).toBe(0);
});
