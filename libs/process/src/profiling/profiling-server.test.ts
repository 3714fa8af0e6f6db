import { describe, expect, it } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createProfilingServer, secondsOf } from './profiling-server.ts';

/** @param onRequest called once the server has begun with it */
async function fetchFrom(path: string, onRequest: () => void = () => undefined): Promise<{ status: number; text: string }> {
  const server = createProfilingServer().on('request', onRequest);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
    return { status: response.status, text: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

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

  it('tells of the memory, and collects garbage before when it is asked to', async () => {
    const lost = new WeakRef({ text: 'x'.repeat(1000) });
    await nextTurn();
    const { text } = await fetchFrom('/debug/pprof/memory?gc=1');
    expect(JSON.parse(text)).toMatchObject({ rss: expect.any(Number), heapUsed: expect.any(Number) });
    expect(lost.deref()).toBeUndefined();
  });

  it('measures how long own work holds the event loop up', async () => {
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
