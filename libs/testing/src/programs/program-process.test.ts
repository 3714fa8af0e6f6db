import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../cluster/host/free-port.ts';
import { eventually } from '../waiting/eventually.ts';
import { type ProcessOverrides, ProgramProcess } from './program-process.ts';

/** Serves probes and metrics until SIGTERM, after which it says so and ends. */
const server = `
import { createServer } from 'node:http';
const answer = { '/readyz': 'ok', '/metrics': 'requests_total{code="200"} 2\\nrequests_total{code="500"} 3\\n' };
createServer((request, response) => {
  if (request.url !== '/never') response.writeHead(request.url in answer ? 200 : 404).end(answer[request.url]);
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening as', process.env.WHO, 'with arenas', process.env.MALLOC_ARENA_MAX));
process.once('SIGTERM', () => {
  console.error('stopping');
  process.exit(0);
});
`;

let folder: string;
let program: ProgramProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'program-'));
});
afterEach(async () => {
  await program.signal('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function aProgram(source: string, overrides: ProcessOverrides = {}): Promise<ProgramProcess> {
  const [port] = await findFreePorts(1);
  const address = `127.0.0.1:${port}`;
  const file = join(folder, 'main.mjs');
  writeFileSync(file, source);
  const servers = { probes: address, metrics: address };
  program = new ProgramProcess({ ...overrides, app: 'manager', file, args: [String(port)], env: { WHO: 'me' }, servers });
  return program;
}

describe('a program as a process', () => {
  it('has started when its probe is answered, with the environment of the launcher and its own', async () => {
    await (await aProgram(server)).start();
    await eventually(() => program.log === 'listening as me with arenas 1\n');
    expect(await program.isReady()).toBe(true);
  });

  it('answers with status and body, with its samples, not in time, or not at all', async () => {
    await (await aProgram(server)).start();
    expect(await program.ask('/absent')).toEqual([404, '']);
    expect((await program.measured()).sum('requests_total')).toBe(5);
    expect(await program.ask('/never', { timeoutMs: 50 })).toEqual(['Silent', '']);
    await program.signal('SIGKILL');
    expect(await program.ask('/readyz')).toEqual(['NoConnection', '']);
    expect(await program.metrics()).toBe('');
    await expect(program.measured()).rejects.toThrow(/^manager answers \/metrics with NoConnection; its log:\nlistening/);
  });

  it('can be started again after each end, and lists how it ended', async () => {
    await (await aProgram(server)).start();
    await program.signal('SIGKILL');
    expect(program.isRunning).toBe(false);
    await program.start();
    expect(await program.stop()).toBe('code 0');
    expect(program.exits).toEqual(['SIGKILL', 'code 0']);
    expect(program.log).toMatch(/^listening[^\n]*\nlistening[^\n]*\nstopping\n$/);
  });

  it('fails to start with its log and the cause if it ends', async () => {
    await aProgram(`console.error('broken'); process.exit(3);`, { cause: () => ', out of memory' });
    await expect(program.start()).rejects.toThrow('manager has ended (code 3, out of memory); its log:\nbroken\n');
  });

  it('fails to start with its log if it does not become ready in time', async () => {
    await aProgram(server.replace('/readyz', '/other'));
    await expect(program.start(1)).rejects.toThrow(/^manager is not ready after \d+ ms; its log:/);
  });

  it('writes its log itself if it has a file, also from within another command line', async () => {
    const logFile = join(folder, 'logs/manager.log');
    const wrap = (line: readonly string[]): readonly string[] => ['/bin/sh', '-c', 'echo wrapped; exec "$0" "$@"', ...line];
    await (await aProgram(server, { logFile, wrap })).start();
    await program.stop();
    expect(readFileSync(logFile, 'utf8')).toMatch(/^wrapped\nlistening[^\n]*\nstopping\n$/);
    expect(program.log).toBe(readFileSync(logFile, 'utf8'));
  });
});
