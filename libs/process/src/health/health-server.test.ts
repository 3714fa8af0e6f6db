import { describe, expect, it } from '@jest/globals';
import { answerProbe } from './health-server.ts';

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
