import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { answerCheck, createDaemonServer } from './daemon-server.ts';
import { createRuntimeMetrics } from './metrics.ts';

describe('a check', () => {
  it('is ok when there is no fault', () => {
    expect(answerCheck({ podInformerSynced: () => undefined })).toEqual({ status: 200, body: 'ok' });
    expect(answerCheck({})).toEqual({ status: 200, body: 'ok' });
  });

  it('names the first one that fails and why', () => {
    const checks = { a: () => undefined, podInformerSynced: () => 'not synced', c: () => 'never asked' };
    expect(answerCheck(checks)).toEqual({ status: 500, body: 'check podInformerSynced failed, err: not synced' });
  });
});

describe('the server', () => {
  const asked = async (path: string, registry = new Registry()): Promise<readonly [number, string]> => {
    const faults = { live: { client: () => undefined }, ready: { runtime: () => 'none answers' } };
    const server = createDaemonServer({ registry, ...faults });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      return [response.status, await response.text()];
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  it.each([
    { path: '/healthz', answer: [200, 'ok'] },
    { path: '/readyz', answer: [500, 'check runtime failed, err: none answers'] },
    { path: '/readyz?verbose', answer: [500, 'check runtime failed, err: none answers'] },
    { path: '/', answer: [404, '404 page not found\n'] },
  ])('answers $path with $answer', async ({ path, answer }) => {
    expect(await asked(path)).toEqual(answer);
  });

  it('shows the runtimes of the last scan only', async () => {
    const registry = new Registry();
    const observe = createRuntimeMetrics(registry);
    const runtime = (name: string) => ({ name, version: '1', socket: `/run/${name}.sock` }) as Parameters<typeof observe>[0][number];
    observe([runtime('containerd'), runtime('cri-o')]);
    observe([runtime('cri-o')]);
    const [status, text] = await asked('/metrics', registry);
    const lines = text.split('\n').filter((line) => line.startsWith('kruise_daemon_runtime_info{'));
    expect(status).toBe(200);
    expect(lines).toEqual(['kruise_daemon_runtime_info{name="cri-o",version="1",socket="/run/cri-o.sock"} 1']);
  });
});
