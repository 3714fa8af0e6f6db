import { describe, expect, it } from '@jest/globals';
import { request, type Server } from 'node:http';
import { createHealthServer } from './health/health-server.ts';
import { listen } from './listen.ts';
import { createMetricsServer, createRegistry } from './metrics/metrics.ts';
import { createProfilingServer } from './profiling/profiling-server.ts';
import { urlOf } from './request-url.ts';

describe('the URL of a request', () => {
  it.each([
    ['/readyz?verbose&exclude=a', '/readyz', '?verbose&exclude=a'],
    ['//', '//', ''],
    ['http://[', '/http://[', ''],
    ['*', '/*', ''],
    ['', '/', ''],
    ['?only=query', '/', '?only=query'],
    [undefined, '/', ''],
  ])('%s', (target, path, query) => {
    const url = urlOf(target === undefined ? {} : { url: target });
    expect([url.pathname, url.search]).toEqual([path, query]);
  });

  it.each<[string, () => Server]>([
    ['health', () => createHealthServer({ healthz: {} })],
    ['metrics', () => createMetricsServer(createRegistry({ measuresEventLoop: false }))],
    ['profiling', () => createProfilingServer({ heapSnapshots: false })],
  ])('the %s server answers a target that is no URL, and the process continues', async (_, create) => {
    const server = create();
    const port = await listen(server, { host: '127.0.0.1', port: 0 });
    try {
      const status = await new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path: '//' }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end();
      });
      expect(status).toBe(404);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
