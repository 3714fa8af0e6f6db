/** The memory that answers of commands cost an agent, measured with two separate processes: one that prints, and one that reads as an agent does. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shippedFlags } from '@kruise/testing';
import type { Measured } from './exec-caller.testing.ts';

const MiB = 1024 * 1024;
/** The flags with which deploy/launcher starts the agent. */
const flagsOfAgent = shippedFlags('kruise-daemon');

const program = (name: string): string => join(import.meta.dirname, name);

let folder: string;
let runtime: ChildProcess;
let ended: Promise<unknown>;
let measured: Measured;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'exec-'));
  const socket = join(folder, 'run.sock');
  runtime = spawn(process.execPath, [program('printing-runtime.testing.ts'), socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  ended = once(runtime, 'close');
  await once(runtime.stdout!, 'data');
  const caller = [...flagsOfAgent, program('exec-caller.testing.ts'), socket];
  const { stdout } = await promisify(execFile)(process.execPath, caller, { timeout: 300_000 });
  measured = JSON.parse(stdout) as Measured;
});

afterAll(async () => {
  runtime.kill('SIGKILL');
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

describe('ten commands that print 16 MiB each at the same moment, and one that prints without end', () => {
  it('make an agent grow by at most 48 MiB, a fifth of its limit in the chart', () => {
    expect(measured.peak - measured.before).toBeLessThan(48 * MiB);
  });

  it('each have the first 10 KiB of their output in the result', () => {
    expect(measured).toMatchObject({ kept: Array<number>(10).fill(10 * 1024), areCut: Array<boolean>(10).fill(true) });
  });

  it('leave nothing running: the endless one has no result and is aborted', () => {
    expect(measured).toMatchObject({ endless: { kind: 'InvalidAnswer' }, leftBehind: 0 });
  });
});
