import { spawn } from 'node:child_process';
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OpenHandles } from './open-handles.ts';

let handles: OpenHandles;
let closing: (() => unknown)[] = [];

beforeEach(() => {
  handles = new OpenHandles();
});

afterEach(async () => {
  handles.stop();
  for (const close of closing.reverse()) await close();
  closing = [];
});

async function listening(): Promise<Server> {
  const server = createServer((socket) => void closing.push(() => socket.destroy()));
  closing.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

describe('what is left open is reported with the place where it was created', () => {
  const here = expect.stringMatching(/open-handles\.test\.ts:\d+/);

  it('a timer', () => {
    const timer = setTimeout(() => undefined, 60_000);
    closing.push(() => clearTimeout(timer));
    expect(handles.open()).toEqual([expect.stringMatching(/^Timeout made /)]);
    expect(handles.open()).toEqual([here]);
  });

  it('a timer that a promise waits for', () => {
    const stop = new AbortController();
    closing.push(() => stop.abort());
    void sleep(60_000, undefined, { signal: stop.signal }).catch(() => undefined);
    expect(handles.open()).toEqual([here]);
  });

  it('a timer that is created repeatedly', async () => {
    const timer = setInterval(() => undefined, 1);
    closing.push(() => clearInterval(timer));
    expect(await handles.openAfter(100)).toEqual([here]);
  });

  it('a child process', () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    closing.push(() => child.kill('SIGKILL'));
    expect(handles.open()).toEqual([expect.stringMatching(/^PROCESSWRAP made .*open-handles\.test\.ts/)]);
  });

  it('a server and both ends of a connection', async () => {
    const server = await listening();
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    closing.push(() => socket.destroy());
    await Promise.all([accepted, once(socket, 'connect')]);
    expect(handles.open()).toEqual([
      expect.stringContaining(`TCPSERVERWRAP at 127.0.0.1:${port} made`),
      expect.stringMatching(/^TCPWRAP at 127\.0\.0\.1:\d+ made .*open-handles\.test\.ts/),
    ]);
  });

  it('a watched file', () => {
    const watcher = watch(import.meta.filename);
    closing.push(() => watcher.close());
    expect(handles.open()).toEqual([here]);
  });

  it('a worker thread', async () => {
    const worker = new Worker('setInterval(() => undefined, 1000)', { eval: true });
    closing.push(() => worker.terminate());
    await once(worker, 'online');
    expect(handles.open()).toContainEqual(here);
  });
});

describe('nothing is reported of', () => {
  it('what was open before', () => {
    const timer = setTimeout(() => undefined, 60_000);
    closing.push(() => clearTimeout(timer));
    const later = new OpenHandles();
    expect(later.open()).toEqual([]);
    later.stop();
  });

  it('what keeps no process alive', () => {
    const timer = setTimeout(() => undefined, 60_000).unref();
    closing.push(() => clearTimeout(timer));
    expect(handles.open()).toEqual([]);
  });

  it('what is closed, or closes within the grace', async () => {
    clearTimeout(setTimeout(() => undefined, 60_000));
    setTimeout(() => undefined, 50);
    const server = await listening();
    setTimeout(() => server.close(), 30);
    expect(handles.open()).not.toEqual([]);
    expect(await handles.openAfter(10_000)).toEqual([]);
  });
});
