import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseFlags } from './flags/flag-set.ts';
import { logFlags } from './logging/log-flags.ts';
import { createProgramLogger, StartError } from './program.ts';

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

it('a program whose log file cannot be written does not start, and the fault names the flag', () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const parsed = parseFlags(logFlags, [`--log_file=${file}/log`]);
  if (parsed.kind !== 'Parsed') throw new Error(JSON.stringify(parsed));
  const { values } = parsed;
  expect(() => createProgramLogger(values)).toThrow(StartError);
  expect(() => createProgramLogger(values)).toThrow(new RegExp(`^--log_file=${file}/log: `));
});

const moduleAt = (path: string): string => JSON.stringify(join(import.meta.dirname, path));

/** Runs a program whose `run` is this code. The code may use `options`, `logger`, `stop`, `StartError` and `ConfigError`. */
async function runsAs(run: string, argv: readonly string[] = [], signals: readonly NodeJS.Signals[] = []) {
  const code = `
    const { parseFlags } = await import(${moduleAt('flags/flag-set.ts')});
    const { logFlags } = await import(${moduleAt('logging/log-flags.ts')});
    const { runProgram, StartError } = await import(${moduleAt('program.ts')});
    const { ConfigError } = await import('@kruise/kube');
    const readOptions = (argv) => {
      const parsed = parseFlags(logFlags, argv);
      if (parsed.kind === 'Help') return { kind: 'End', code: 0, output: 'how to use it' };
      return parsed.kind === 'Failed' ? { kind: 'End', code: 2, output: parsed.message } : { kind: 'Run', options: { flags: parsed.values } };
    };
    const stopped = (stop) => new Promise((resolve) => stop.addEventListener('abort', resolve));
    await runProgram({ readOptions, run: async (options, logger, stop) => { ${run} } });`;
  const flags = ['--no-warnings', '--input-type=module', '--eval', code, '--', 'program', ...argv];
  const child = spawn(process.execPath, flags, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
  let [stdout, stderr] = ['', ''];
  const left = [...signals];
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => {
    stderr += text.toString();
    const signal = text.includes('"next"') ? left.shift() : undefined;
    if (signal !== undefined) child.kill(signal);
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, stdout, stderr };
}

const untilStopped = `logger.info({}, 'next'); setInterval(() => undefined, 1000); await stopped(stop);`;

describe('a program', () => {
  it.each<{ name: string; run: string; argv?: readonly string[]; then: { exitCode: number; stdout?: string; stderr?: RegExp } }>([
    { name: 'prints its usage and ends with 0', run: '', argv: ['--help'], then: { exitCode: 0, stdout: 'how to use it\n', stderr: /^$/ } },
    {
      name: 'names a flag that it does not have and ends with 2',
      run: '',
      argv: ['--nope'],
      then: { exitCode: 2, stderr: /^unknown flag: --nope\n$/ },
    },
    { name: 'ends with 0 when it is done', run: '', then: { exitCode: 0, stderr: /^$/ } },
    {
      name: 'reports in one line why it cannot start',
      run: `throw new StartError('--addr is in use');`,
      then: { exitCode: 1, stderr: /^--addr is in use\n$/ },
    },
    {
      name: 'reports a faulty configuration in one line',
      run: `throw new ConfigError('no cluster is configured');`,
      then: { exitCode: 1, stderr: /^no cluster is configured\n$/ },
    },
    {
      name: 'reports why it cannot start as JSON when its log is JSON',
      run: `throw new StartError('--addr is in use');`,
      argv: ['--logging-format=json'],
      then: { exitCode: 1, stderr: /^\{.*"msg":"--addr is in use".*\}\n$/ },
    },
    {
      name: 'logs a failure of its own with the stack',
      run: `throw new TypeError('no such member');`,
      then: { exitCode: 1, stderr: /"Exiting after an error" err="no such member" stack=<\n\tTypeError: no such member\n\t +at / },
    },
    {
      name: 'logs a rejection that nothing handles and continues',
      run: `void Promise.reject(new Error('lost')); await new Promise((resolve) => setTimeout(resolve, 5)); logger.info({}, 'done');`,
      then: { exitCode: 0, stderr: /"Unhandled rejection" err="lost"\n.*"done"\n$/ },
    },
  ])('$name', async ({ run, argv, then: { exitCode, stdout = '', stderr = /^$/ } }) => {
    expect(await runsAs(run, argv)).toEqual({ exitCode, stdout, stderr: expect.stringMatching(stderr) });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 when %s has stopped it', async (signal) => {
    const { exitCode, stderr } = await runsAs(untilStopped, [], [signal]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`"Stopping" signal="${signal}"`)]);
  });

  it('ends with 1 at once at the second signal', async () => {
    const stuck = `${untilStopped} logger.info({}, 'next'); await new Promise(() => undefined);`;
    expect((await runsAs(stuck, [], ['SIGTERM', 'SIGINT'])).exitCode).toBe(1);
  });

  it('ends with 0 when it was stopped before it had started', async () => {
    const { exitCode, stderr } = await runsAs(`${untilStopped} throw stop.reason;`, [], ['SIGTERM']);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('"Exiting after an error" err="received SIGTERM"')]);
  });

  it('ends with 1 when it cannot start, even if it was stopped meanwhile', async () => {
    expect((await runsAs(`${untilStopped} throw new StartError('--addr is in use');`, [], ['SIGTERM'])).exitCode).toBe(1);
  });

  it.each([
    { name: 'to stderr and to the file', flags: [], onStderr: true },
    { name: 'only to the file with --logtostderr=false', flags: ['--logtostderr=false'], onStderr: false },
  ])('with --log_file logs $name, whose folder it creates', async ({ flags, onStderr }) => {
    const file = join(folder, 'of', 'logs', 'log');
    const { stderr } = await runsAs(`logger.info({}, 'hello');`, ['--skip_headers', `--log_file=${file}`, ...flags]);
    const logged = readFileSync(file, 'utf8');
    expect(logged).toBe('"hello"\n');
    expect(stderr).toBe(onStderr ? logged : '');
  });
});
