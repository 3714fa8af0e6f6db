/** Servers without HTTP/2. The certificates are those of a control plane; the server is part of the test, so that it can misbehave. */
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { configMaps, type ConfigMap } from '@kruise/objects';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { ApiError } from '../../api-error.ts';
import type { Client } from '../client.ts';
import type { ClusterConfig } from '../../config/cluster-config.ts';
import { createClient } from '../create-client.ts';

let server: Server;
let client: Client;
let connections = 0;
const seen: string[] = [];
const listText =
  '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}';

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '';
  seen.push(`${request.method} ${url}`);
  const body: Buffer[] = [];
  for await (const chunk of request) body.push(chunk as Buffer);
  response.setHeader('content-type', 'application/json');
  if (url.includes('watch=true') && url.includes('garbled')) {
    response.end('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"MODIFIED","object":{"metadata":{"na\u0000me"}}}\n');
  } else if (url.includes('watch=true') && url.includes('broken')) {
    response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"MOD', () =>
      setTimeout(() => request.socket.destroy(), 50),
    );
  } else if (url.includes('watch=true')) {
    response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n{"type":"MOD');
    setTimeout(() => response.end('IFIED","object":{"metadata":{"name":"b"}}}\n'), 20);
  } else if (url.endsWith('/break')) {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"kind":', () => request.socket.destroy());
  } else if (request.method === 'GET') response.end(listText);
  else response.end(Buffer.concat(body));
}

beforeAll(async () => {
  const authority = createAuthority('kruise-cluster');
  const { certificatePem, keyPem } = issueCertificate(authority, { commonName: 'kube-apiserver', ipAddresses: ['127.0.0.1'] });
  server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on('secureConnection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const admin = issueCertificate(authority, { commonName: 'admin', organizations: ['system:masters'] });
  const config: ClusterConfig = {
    server: `https://127.0.0.1:${(server.address() as AddressInfo).port}/behind/a/path/`,
    certificateAuthority: { data: authority.certificatePem },
    user: { clientCertificate: { certificate: { data: admin.certificatePem }, key: { data: admin.keyPem } } },
    namespace: 'default',
  };
  client = createClient(config, { userAgent: 'kruise-test' });
});

afterAll(async () => {
  client.close();
  server.closeAllConnections();
  server.close();
});

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => (error instanceof ApiError ? error.failure.kind : error),
  );

it('falls back to HTTP/1.1, prepends the path of the server URL, and keeps its connection', async () => {
  expect((await client.list(configMaps)).items.map((item) => item.metadata.name)).toEqual(['a', 'b']);
  const made: ConfigMap = { metadata: { name: 'c', namespace: 'ns' }, data: { a: 'é' } };
  expect((await client.create(configMaps, made)).data).toEqual({ a: 'é' });
  await client.list(configMaps);
  expect(seen).toEqual([
    'GET /behind/a/path/api/v1/configmaps',
    'POST /behind/a/path/api/v1/namespaces/ns/configmaps',
    'GET /behind/a/path/api/v1/configmaps',
  ]);
  // At most one to find out that there is no HTTP/2, and one that is used.
  expect(connections).toBeLessThanOrEqual(2);
});

it('watches over HTTP/1.1', async () => {
  const events: unknown[] = [];
  for await (const event of client.watch(configMaps, { signal: new AbortController().signal })) {
    events.push('object' in event ? [event.type, event.object.metadata.name] : event);
  }
  expect(events).toEqual([
    ['ADDED', 'a'],
    ['MODIFIED', 'b'],
  ]);
});

it.each([
  { namespace: 'garbled', failure: { kind: 'ServerError', status: 200 } },
  { namespace: 'broken', failure: { kind: 'Unreachable' } },
])('a watch that is $namespace fails as one that was answered', async ({ namespace, failure }) => {
  for (const onEvent of [undefined, () => undefined]) {
    const watching = async (): Promise<void> => {
      const signal = new AbortController().signal;
      for await (const event of client.watch(configMaps, { signal, namespace, ...(onEvent === undefined ? {} : { onEvent }) }))
        expect(event).toMatchObject({ type: 'ADDED' });
    };
    await expect(watching()).rejects.toMatchObject({ name: 'ApiError', failure, code: 200 });
  }
});

it('repeats a read whose answer breaks off, but no write', async () => {
  seen.length = 0;
  expect(await failureOf(client.get(configMaps, { namespace: 'ns', name: 'break' }))).toBe('Unreachable');
  expect(seen).toHaveLength(5);
  seen.length = 0;
  expect(await failureOf(client.patch(configMaps, { namespace: 'ns', name: 'break' }, {}, { type: 'merge' }))).toBe('Unreachable');
  expect(seen).toHaveLength(1);
});

it('an aborted call ends immediately', async () => {
  const stop = new AbortController();
  const call = failureOf(client.get(configMaps, { namespace: 'ns', name: 'a' }, { signal: stop.signal }));
  stop.abort();
  expect(await call).toBe('Aborted');
});
