import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { answerCheck, createDaemonServer, type DaemonServerParts } from './daemon-server.ts';
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
  const asked = async (path: string, parts: Partial<DaemonServerParts> = {}): Promise<readonly [number, string]> => {
    const faults = { live: { client: () => undefined }, ready: { runtime: () => 'none answers' } };
    const server = createDaemonServer({ registry: new Registry(), ...faults, ...parts });
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

  it.each(['/healthz', '/readyz'])('reports a fault that a restart may fix at %s, before any other', async (path) => {
    const live = { client: () => 'no answer for 10 minutes' };
    expect(await asked(path, { live })).toEqual([500, 'check client failed, err: no answer for 10 minutes']);
  });

  it('answers with status 500 when the metrics cannot be collected', async () => {
    const registry = new Registry();
    const collect = (): never => {
      throw new Error('no runtime');
    };
    new Gauge({ name: 'kruise_daemon_broken', help: 'Fails.', registers: [registry], collect });
    expect(await asked('/metrics', { registry })).toEqual([500, 'the request could not be answered\n']);
  });

  it('reports that it is ready when no check has a fault', async () => {
    expect(await asked('/readyz', { ready: { runtime: () => undefined } })).toEqual([200, 'ok']);
  });

  it('shows the runtimes of the last scan only', async () => {
    const registry = new Registry();
    const observe = createRuntimeMetrics(registry);
    const runtime = (name: string) => ({ name, version: '1', socket: `/run/${name}.sock` }) as Parameters<typeof observe>[0][number];
    observe([runtime('containerd'), runtime('cri-o')]);
    observe([runtime('cri-o')]);
    const [status, text] = await asked('/metrics', { registry });
    const lines = text.split('\n').filter((line) => line.startsWith('kruise_daemon_runtime_info{'));
    expect(status).toBe(200);
    expect(lines).toEqual(['kruise_daemon_runtime_info{name="cri-o",version="1",socket="/run/cri-o.sock"} 1']);
  });
});
