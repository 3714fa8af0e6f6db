import { describe, expect, it } from '@jest/globals';
import { listen } from '../listen.ts';
import { answerProbe, createHealthServer } from './health-server.ts';

const endpoints = {
  healthz: { ping: () => undefined },
  readyz: {
    'webhook-ready': () => {
      throw new Error('secret reason');
    },
    ping: () => undefined,
  },
};
const ask = (path: string): Promise<unknown> => answerProbe(endpoints, new URL(path, 'http://probe'));

describe('health endpoints', () => {
  it.each<[string, number, string]>([
    ['/healthz', 200, 'ok'],
    ['/healthz?verbose', 200, '[+]ping ok\nhealthz check passed\n'],
    ['/healthz/ping', 200, 'ok'],
    ['/readyz', 500, '[-]webhook-ready failed: reason withheld\n[+]ping ok\nreadyz check failed\n'],
    ['/readyz?exclude=webhook-ready', 200, 'ok'],
    ['/readyz/webhook-ready', 500, 'internal server error: reason withheld\n'],
    ['/readyz/nothing', 404, '404 page not found\n'],
    ['/constructor', 404, '404 page not found\n'],
    ['/', 404, '404 page not found\n'],
  ])('%s answers %d', async (path, status, body) => {
    expect(await ask(path)).toEqual({ status, body });
  });
});

it('the server answers probes with plain text that a browser does not interpret', async () => {
  const server = createHealthServer(endpoints);
  const port = await listen(server, { host: '127.0.0.1', port: 0 });
  try {
    const response = await fetch(`http://127.0.0.1:${port}/readyz?exclude=webhook-ready`);
    expect([response.status, await response.text()]).toEqual([200, 'ok']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
