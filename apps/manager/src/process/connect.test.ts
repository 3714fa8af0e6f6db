import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ClusterConfig, RequestRecord } from '@kruise/kube';
import { nodes } from '@kruise/objects';
import { connect } from './connect.ts';

const unlimited = { 'rest-config-qps': 0, 'rest-config-burst': 0 };

describe('the connection of the manager to the API server', () => {
  const userAgents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    userAgents.push(request.headers['user-agent']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]}');
  });
  let cluster: ClusterConfig;
  beforeEach(async () => {
    userAgents.length = 0;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    cluster = { server: `http://127.0.0.1:${port}`, user: {}, namespace: 'default' };
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('names its thread as the user agent and reports each request', async () => {
    const records: RequestRecord[] = [];
    const options = { userAgent: 'kruise-manager', onRequest: (record: RequestRecord) => void records.push(record) };
    const client = connect(cluster, unlimited, options);
    await client.list(nodes);
    client.close();
    expect(userAgents).toEqual(['kruise-manager']);
    expect(records).toMatchObject([{ method: 'GET', code: 200 }]);
  });

  it('has the rate of --rest-config-qps beyond --rest-config-burst', async () => {
    const client = connect(cluster, { 'rest-config-qps': 20, 'rest-config-burst': 1 }, { userAgent: 'kruise-manager' });
    const began = performance.now();
    for (let call = 0; call < 4; call++) await client.list(nodes);
    client.close();
    // One at once, then three with 50 ms before each; a timer may fire a little early.
    expect(performance.now() - began).toBeGreaterThan(140);
  });
});
