/** What the error of a call says that fails on one attempt and reaches its deadline on the next. */
import { expect, it } from '@jest/globals';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { Credentials } from '../config/credentials.ts';
import { Caller, type CallerParts } from './caller.ts';
import { urlPath } from './transport/resource-path.ts';
import { TransportError, type Transport } from './transport/transport.ts';

const parts: CallerParts = {
  credentials: new Credentials({ server: 'https://api', user: {} } as ClusterConfig),
  headers: {},
  host: 'api',
  rateLimit: undefined,
  onRequest: undefined,
};

/** Fails with each cause in turn, and then never answers. */
function failing(...causes: Error[]): Transport {
  return {
    send: (_request, cancel) => {
      const cause = causes.shift();
      return cause === undefined ? cancel.waitFor(new Promise(() => undefined)) : Promise.reject(new TransportError('NotSent', cause));
    },
    close: () => undefined,
  };
}

const errorOf = (transport: Transport): Promise<unknown> =>
  new Caller(parts, transport).call({ method: 'GET', path: urlPath`/api/v1` }, { timeoutMs: 200 }, () => Promise.resolve());

it('reports why the attempt before the deadline failed', async () => {
  const refused = new Error('connect ECONNREFUSED');
  await expect(errorOf(failing(new Error('first'), refused))).rejects.toThrow(
    'GET /api/v1: no answer within 200 ms; the attempt before it failed: connect ECONNREFUSED',
  );
  await expect(errorOf(failing())).rejects.toThrow(/^GET \/api\/v1: no answer within 200 ms$/);
});
