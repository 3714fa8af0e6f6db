import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { milliseconds, seconds } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { CommandFailed, runCommand, type Command, type CommandFailure } from './run-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = (text: string, more: Partial<Command> = {}): Command => ({
  file: '/bin/sh',
  args: ['-c', text],
  env: { HOLDS: folder },
  input: { kind: 'Nothing' },
  errors: 'ignore',
  ...more,
});

async function failureOf(work: Promise<string>): Promise<CommandFailure> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  if (error instanceof CommandFailed) return error.failure;
  throw new Error('it did not fail', { cause: error });
}

/** Returns the process id that a command wrote to the file, once it has. */
async function pidIn(file: string): Promise<number> {
  let pid = 0;
  await eventually(() => {
    try {
      pid = Number(readFileSync(join(folder, file), 'utf8'));
    } catch {
      pid = 0;
    }
    return pid > 0;
  });
  return pid;
}

function isRunning(pid: number): boolean {
  try {
    // A process that has ended but was not collected yet is a zombie.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

const withChild = 'sleep 60 & echo $! > "$HOLDS/child"; wait';

describe('a command', () => {
  it('returns its output for its input, with its own environment and ours', async () => {
    const command = script('read question; echo "$question $OWN ${PATH:+ours}"', { env: { OWN: 'own' } });
    expect(await runCommand({ ...command, input: { kind: 'Text', text: 'why\n' } })).toBe('why own ours\n');
  });

  it('need not read its input', async () => {
    const text = 'x'.repeat(1024 * 1024);
    expect(await runCommand(script('exec <&-; echo done', { input: { kind: 'Text', text } }))).toBe('done\n');
  });

  it.each<[string, Partial<Command>, CommandFailure]>([
    ['cannot be started', { file: '/nowhere/at-all' }, { kind: 'NotStarted', code: 'ENOENT' }],
    ['ends with another code', { args: ['-c', 'echo secret; exit 3'] }, { kind: 'Failed', with: 'exit code 3' }],
    ['is killed', { args: ['-c', 'kill -9 $$'] }, { kind: 'Failed', with: 'signal SIGKILL' }],
    ['prints without end', { args: ['-c', 'yes'] }, { kind: 'TooLong', longest: 1024 * 1024 }],
    ['takes too long', { args: ['-c', 'sleep 60'], limit: milliseconds(100) }, { kind: 'TooLate' }],
  ])('that %s fails, without quoting its output', async (_name, more, failure) => {
    const running = runCommand(script('', more));
    expect(await failureOf(running)).toEqual(failure);
    await expect(running).rejects.toThrow(`the command gave no answer: ${failure.kind}`);
  });

  it('is killed at its limit, with its children', async () => {
    const running = failureOf(runCommand(script(withChild, { limit: seconds(1) })));
    const child = await pidIn('child');
    expect(isRunning(child)).toBe(true);
    expect(await running).toEqual({ kind: 'TooLate' });
    await eventually(() => !isRunning(child));
  });

  it('is killed with its children when its caller aborts, which does not wait', async () => {
    const abort = new AbortController();
    const running = runCommand(script(withChild), abort.signal);
    const child = await pidIn('child');
    abort.abort(new Error('not wanted any more'));
    await expect(running).rejects.toThrow('not wanted any more');
    await eventually(() => !isRunning(child));
  });

  it('does not start for a caller that has aborted', async () => {
    await expect(runCommand(script(withChild), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(() => readFileSync(join(folder, 'child'))).toThrow('ENOENT');
  });
});
