import { describe, expect, it } from '@jest/globals';
import { Counter, type Registry } from 'prom-client';
import { listen } from '../listen.ts';
import { createMetricsServer, createRegistry, type MetricsSource } from './metrics.ts';

interface Asked {
  readonly registry?: Registry;
  readonly sources?: readonly MetricsSource[];
  readonly path?: string;
  readonly accepted?: string;
}

/** Returns what a metrics server answers. */
async function ask({ registry = createRegistry(), sources = [], path = '/metrics', accepted = 'gzip' }: Asked) {
  const server = createMetricsServer(registry, sources);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'accept-encoding': accepted } });
    const [encoding, type] = ['content-encoding', 'content-type'].map((name) => response.headers.get(name));
    return { status: response.status, encoding, type, text: await response.text() };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('metrics server', () => {
  it('serves the registry and what other threads add, compressed on request', async () => {
    const registry = createRegistry();
    new Counter({ name: 'denied', help: 'Denied.', labelNames: ['who'], registers: [registry] }).inc({ who: 'me' });
    const { encoding, text } = await ask({ registry, sources: [async () => 'from_worker 1\n'] });
    expect(encoding).toBe('gzip');
    expect(text).toContain('denied{who="me"} 1\n');
    expect(text).toContain('process_resident_memory_bytes');
    expect(text.endsWith('\nfrom_worker 1\n')).toBe(true);
  });

  it.each(['identity', 'br', 'gzipped'])('answers without compression to a client that accepts %s', async (accepted) => {
    const { status, encoding, type, text } = await ask({ sources: [async () => 'from_worker 1'], accepted });
    expect([status, encoding]).toEqual([200, null]);
    expect(type).toMatch(/^text\/plain; version=/);
    expect(text.endsWith('\nfrom_worker 1\n')).toBe(true);
  });

  it('omits a source that has nothing to add, without an empty line', async () => {
    const { text } = await ask({ sources: [async () => '', async () => 'from_worker 1\n\n'] });
    expect(text).toMatch(/[^\n]\nfrom_worker 1\n$/);
  });

  it('answers with status 500, and no metrics, when a source fails', async () => {
    const { status, text } = await ask({ sources: [() => Promise.reject(new Error('the thread has ended'))] });
    expect([status, text]).toEqual([500, 'metrics could not be collected\n']);
  });

  it.each(['/', '/other', '/metrics/more'])('has nothing at %s', async (path) => {
    const { status, text } = await ask({ path });
    expect([status, text]).toEqual([404, '404 page not found\n']);
  });
});

it('the lag of the event loop is omitted when it is not measured', async () => {
  expect(await createRegistry().metrics()).toContain('nodejs_eventloop_lag_p99_seconds');
  const lean = await createRegistry({ measuresEventLoop: false }).metrics();
  expect(lean).not.toContain('nodejs_eventloop_lag');
  expect(lean).toContain('process_cpu_seconds_total');
});
