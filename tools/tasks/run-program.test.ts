import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leavesRoom, root, runProgram } from './run-program.ts';

const never = new AbortController().signal;

describe('a program', () => {
  let folder: string;
  const written = (text: string): string => {
    const path = join(folder, 'program.mjs');
    writeFileSync(path, text);
    return relative(root, path);
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'run-program-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('reports while it runs that it leaves room, and ends by itself afterwards', async () => {
    const messages: unknown[] = [];
    const file = written(`process.send(${JSON.stringify(leavesRoom)}); console.log('works on'); process.exitCode = 3;`);
    const ended = await runProgram({
      file,
      passOn: false,
      onMessage: (message) => messages.push(message),
      timeoutMs: 60_000,
      signal: never,
    });
    expect(messages).toEqual([leavesRoom]);
    expect(ended).toEqual({ code: 3, output: 'works on\n', timedOut: false });
  });

  it('has no parent to send to when its caller expects no message', async () => {
    const file = written(`console.log(typeof process.send);`);
    expect((await runProgram({ file, passOn: false, timeoutMs: 60_000, signal: never })).output).toBe('undefined\n');
  });
});
