import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError, type RequestRecord } from '@kruise/kube';
import { nodes } from '@kruise/objects';
import { connect } from './connect.ts';

const unlimited = { 'rest-config-qps': 0, 'rest-config-burst': 0 };

describe('the connection of the manager to the API server', () => {
  const userAgents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    userAgents.push(request.headers['user-agent']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[]}');
  });
  let folder: string;
  let kubeconfig: string;
  beforeEach(async () => {
    userAgents.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'kruise-connect-'));
    kubeconfig = join(folder, 'kubeconfig');
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const config = {
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it('names its thread as the user agent and reports each request', async () => {
    const records: RequestRecord[] = [];
    const options = { userAgent: 'kruise-manager', onRequest: (record: RequestRecord) => void records.push(record) };
    const client = connect({ kubeconfig, ...unlimited }, options);
    await client.list(nodes);
    client.close();
    expect(userAgents).toEqual(['kruise-manager']);
    expect(records).toMatchObject([{ method: 'GET', code: 200 }]);
  });

  it('has the rate of --rest-config-qps beyond --rest-config-burst', async () => {
    const client = connect({ kubeconfig, 'rest-config-qps': 20, 'rest-config-burst': 1 }, { userAgent: 'kruise-manager' });
    const began = performance.now();
    for (let call = 0; call < 4; call++) await client.list(nodes);
    client.close();
    // One at once, then three with 50 ms before each; a timer may fire a little early.
    expect(performance.now() - began).toBeGreaterThan(140);
  });

  it('cannot be made with a file that does not exist', () => {
    const missing = join(folder, 'missing');
    expect(() => connect({ kubeconfig: missing, ...unlimited }, { userAgent: 'kruise-manager' })).toThrow(ConfigError);
    expect(() => connect({ kubeconfig: missing, ...unlimited }, { userAgent: 'kruise-manager' })).toThrow(missing);
  });
});
