import { describe, expect, it } from '@jest/globals';
import { Counter } from 'prom-client';
import { listen } from '../listen.ts';
import { createMetricsServer, createRegistry } from './metrics.ts';

describe('metrics server', () => {
  it('serves the registry and what other threads add, compressed on request', async () => {
    const registry = createRegistry();
    new Counter({ name: 'denied', help: 'Denied.', labelNames: ['who'], registers: [registry] }).inc({ who: 'me' });
    const server = createMetricsServer(registry, [async () => 'from_worker 1\n']);
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    try {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      const text = await response.text();
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(text).toContain('denied{who="me"} 1\n');
      expect(text).toContain('process_resident_memory_bytes');
      expect(text.endsWith('\nfrom_worker 1\n')).toBe(true);
      expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('omits the lag of the event loop when it is not measured', async () => {
    expect(await createRegistry().metrics()).toContain('nodejs_eventloop_lag_p99_seconds');
    const lean = await createRegistry({ measuresEventLoop: false }).metrics();
    expect(lean).not.toContain('nodejs_eventloop_lag');
    expect(lean).toContain('process_cpu_seconds_total');
  });
});
