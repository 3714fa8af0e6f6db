import { describe, expect, it } from '@jest/globals';
import { skipUnless } from '@kruise/testing';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createProfilingServer, secondsOf } from './profiling-server.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Fetches a path.
 *
 * @param onRequest called once the server has begun to answer
 */
async function fetchFrom(path: string, onRequest: () => void = () => undefined): Promise<Answer> {
  const server = createProfilingServer({ heapSnapshots: false }).on('request', onRequest);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return { status: response.status, text: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Requests a snapshot as `host` at `address`, from a server with snapshots enabled that listens on every interface. */
async function snapshotAt(address: string, host?: string): Promise<Answer> {
  const server = createProfilingServer({ heapSnapshots: true });
  await new Promise<void>((listening) => server.listen(0, listening));
  const { port } = server.address() as AddressInfo;
  try {
    const headers = host === undefined ? {} : { host };
    const [response] = (await once(get({ host: address, port, path: '/debug/pprof/heapsnapshot', headers }), 'response')) as [
      IncomingMessage,
    ];
    return { status: response.statusCode ?? 0, text: await text(response) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** An address of this machine that others can reach; absent on a machine without a network. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

describe('profiling server', () => {
  it('takes a CPU profile', async () => {
    const { status, text } = await fetchFrom('/debug/pprof/profile?seconds=0.1');
    expect({ status, profile: JSON.parse(text) as unknown }).toMatchObject({
      status: 200,
      profile: { nodes: expect.any(Array), endTime: expect.any(Number) },
    });
  });

  it('measures the event loop', async () => {
    const { text } = await fetchFrom('/debug/pprof/eventloop?seconds=0.1');
    expect(JSON.parse(text)).toMatchObject({ utilization: expect.any(Number), delayMs: { max: expect.any(Number) } });
  });

  it('returns the memory, and collects garbage before on request', async () => {
    const lost = new WeakRef({ text: 'x'.repeat(1000) });
    await nextTurn();
    const { text } = await fetchFrom('/debug/pprof/memory?gc=1');
    expect(JSON.parse(text)).toMatchObject({ rss: expect.any(Number), heapUsed: expect.any(Number) });
    expect(lost.deref()).toBeUndefined();
  });

  it('measures how long own work blocks the event loop', async () => {
    const begun = Promise.withResolvers<void>();
    const answer = fetchFrom('/debug/pprof/eventloop?seconds=0.3', begun.resolve);
    await begun.promise;
    await nextTurn();
    const { user, system } = process.threadCpuUsage();
    for (let spent = 0; spent < 40_000;) {
      const now = process.threadCpuUsage();
      spent = now.user + now.system - user - system;
    }
    const { workMs } = JSON.parse((await answer).text) as { workMs: { max: number } };
    expect(workMs.max).toBeGreaterThanOrEqual(40);
  });

  it('serves no contents of the memory unless they are enabled, and does not offer them', async () => {
    const { status, text } = await fetchFrom('/debug/pprof/heapsnapshot');
    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('--enable-heap-snapshots') });
    expect((await fetchFrom('/debug/pprof/')).text).not.toContain('heapsnapshot');
  });

  it('serves the contents of the memory to its own host when they are enabled', async () => {
    const { status, text } = await snapshotAt('127.0.0.1');
    expect(status).toBe(200);
    expect(text).toMatch(/^\{"snapshot":/);
  });

  it.each(['evil.example', 'evil.example:8090', '169.254.169.254'])(
    'does not serve them to a page that a browser loaded from %s',
    async (host) => {
      expect(await snapshotAt('127.0.0.1', host)).toEqual({ status: 403, text: expect.stringContaining('localhost only') });
    },
  );

  skipUnless(
    outside !== undefined,
    'needs a network',
    it,
  )('serves them to no other host, even when it listens on every interface', async () => {
    expect(await snapshotAt(outside ?? '', 'localhost')).toEqual({ status: 403, text: expect.stringContaining('localhost only') });
  });

  it('answers 404 elsewhere', async () => {
    expect((await fetchFrom('/debug/pprof/nope')).status).toBe(404);
  });

  it.each([
    ['', 30],
    ['seconds=5', 5],
    ['seconds=100000', 300],
    ['seconds=-1', 30],
    ['seconds=x', 30],
  ])('reads the length from "%s"', (query, expected) => {
    expect(secondsOf(new URLSearchParams(query), 30)).toBe(expected);
  });
});
