import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { get as getSecure } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { exporterLimits } from '@kruise/objects';
import { listen } from '@kruise/process';
import { createAuthority, eventually, issueCertificate } from '@kruise/testing';
import type { ShownKind } from './exposition.ts';
import { Guard } from './guard.ts';
import { createMetricsServer, createTelemetryServer } from './metrics-server.ts';
import { createTelemetry } from './telemetry.ts';

const authority = createAuthority('test');
const { certificatePem, keyPem } = issueCertificate(authority, {
  commonName: 'localhost',
  dnsNames: ['localhost'],
  ipAddresses: ['127.0.0.1'],
});
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-metrics-'));
  writeFileSync(join(folder, 'tls.crt'), certificatePem);
  writeFileSync(join(folder, 'tls.key'), keyPem);
});
afterAll(() => rmSync(folder, { recursive: true }));

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const start = (server: Server): Promise<number> => {
  servers.push(server);
  return listen(server, { host: '127.0.0.1', port: 0 });
};

function webConfig(text: string): string {
  const path = join(folder, 'web.yaml');
  writeFileSync(path, text);
  return path;
}

const families = [
  { name: 'a', help: 'First.', samples: () => [] },
  { name: 'b', help: 'Second.', samples: () => [] },
];
const objects = (count: number) => () =>
  Array.from({ length: count }, (_, at) => ({
    metadata: { name: `o${at}` },
    texts: [`a{n="${at}"} 1\n`, at % 2 === 0 ? `b{n="${at}"} 2\n` : ''],
  }));

function metricsServer({
  kinds = [{ families, objects: objects(3) }],
  gzip = false,
  config = '',
}: { kinds?: readonly ShownKind[]; gzip?: boolean; config?: string } = {}) {
  const telemetry = createTelemetry();
  const guard = new Guard(config);
  return { telemetry, server: createMetricsServer({ kinds, gzip, telemetry, guard }) };
}

async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  localAddress = '127.0.0.1',
): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const [answer] = (await once(get({ port, host: '127.0.0.1', path, headers, localAddress, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return { answer, body: Buffer.concat(chunks) };
}

const whole = [
  '# HELP a First.\n# TYPE a gauge\n',
  'a{n="0"} 1\na{n="1"} 1\na{n="2"} 1\n',
  '# HELP b Second.\n# TYPE b gauge\n',
  'b{n="0"} 2\nb{n="2"} 2\n',
].join('');

describe('the server of the metrics of objects', () => {
  it('writes headers and samples family by family', async () => {
    const { server, telemetry } = metricsServer();
    const { answer, body } = await ask(await start(server), '/metrics');
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4');
    expect(body.toString()).toBe(whole);
    expect(await telemetry.registry.metrics()).toContain('http_request_duration_seconds_count{handler="metrics",method="get"} 1');
  });

  it('writes the headers of a kind without objects', async () => {
    const { server } = metricsServer({ kinds: [{ families, objects: objects(0) }] });
    expect((await ask(await start(server), '/metrics')).body.toString()).toBe(whole.replace(/^[ab].*\n/gm, ''));
  });

  it('compresses for clients that accept it, when the flag says so', async () => {
    const port = await start(metricsServer({ gzip: true }).server);
    const compressed = await ask(port, '/metrics', { 'accept-encoding': 'deflate, gzip;q=0.5' });
    expect(compressed.answer.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed.body).toString()).toBe(whole);
    for (const accept of ['identity', 'gzip;q=0', 'gzip; q=0.0, br'])
      expect((await ask(port, '/metrics', { 'accept-encoding': accept })).body.toString()).toBe(whole);
    const off = await start(metricsServer().server);
    expect((await ask(off, '/metrics', { 'accept-encoding': 'gzip' })).body.toString()).toBe(whole);
  });

  it('writes a large output in pieces, whole', async () => {
    const count = 20_000;
    const { server } = metricsServer({ kinds: [{ families, objects: objects(count) }] });
    const lines = (await ask(await start(server), '/metrics')).body.toString().split('\n');
    expect(lines).toHaveLength(4 + count + count / 2 + 1);
    expect(new Set(lines).size).toBe(lines.length);
  });

  it('answers others after clients have closed their connections in the middle of the output', async () => {
    const { server, telemetry } = metricsServer({ kinds: [{ families, objects: objects(200_000) }] });
    const port = await start(server);
    for (let i = 0; i < 6; i++) {
      const leaving = get({ port, host: '127.0.0.1', path: '/metrics', agent: false });
      const [answer] = (await once(leaving, 'response')) as [IncomingMessage];
      await once(answer, 'data');
      answer.on('error', () => undefined);
      leaving.destroy();
    }
    expect((await ask(port, '/healthz')).body.toString()).toBe('OK');
    expect((await ask(port, '/metrics')).body.length).toBeGreaterThan(1_000_000);
    expect(await telemetry.registry.metrics()).toMatch(/http_request_duration_seconds_count\{handler="metrics",method="get"\} [67]/);
  });

  it('answers a client while others request the output and do not read it', async () => {
    const long = 'x'.repeat(2000);
    const large = () =>
      Array.from({ length: 20_000 }, (_, at) => ({ metadata: { name: `o${at}` }, texts: [`a{n="${at}${long}"} 1\n`, ''] }));
    const { server } = metricsServer({ kinds: [{ families, objects: large }] });
    const port = await start(server);
    const idle = Array.from({ length: 6 }, () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).pause());
    const answered = new Set<Socket>();
    for (const socket of idle) {
      socket.on('error', () => undefined).once('readable', () => answered.add(socket));
      socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n');
    }
    await eventually(() => answered.size === exporterLimits.scrapes.value);
    expect((await ask(port, '/metrics')).body.length).toBeGreaterThan(20_000 * long.length);
    for (const socket of idle) socket.destroy();
  }, 25_000);

  it('writes the whole output to each of a hundred clients at once', async () => {
    const { server } = metricsServer({ kinds: [{ families, objects: objects(2000) }] });
    const port = await start(server);
    const { body: alone } = await ask(port, '/metrics');
    // An address may have 32 connections.
    const bodies = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(port, '/metrics', {}, `127.0.0.${1 + (at % 10)}`)));
    expect(bodies.filter(({ body }) => !body.equals(alone))).toEqual([]);
  });

  it('has /healthz, a page of links, and nothing else', async () => {
    const port = await start(metricsServer().server);
    const health = await ask(port, '/healthz');
    expect([health.answer.statusCode, health.body.toString()]).toEqual([200, 'OK']);
    const index = await ask(port, '/');
    expect([index.answer.statusCode, index.answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(index.body.toString()).toContain("<a href='/metrics'>");
    expect((await ask(port, '/debug/pprof/heap')).answer.statusCode).toBe(404);
  });

  it('answers HEAD without a body', async () => {
    const port = await start(metricsServer().server);
    const head = httpRequest({ port, host: '127.0.0.1', path: '/metrics', method: 'HEAD', agent: false }).end();
    const [answer] = (await once(head, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4']);
    answer.resume();
  });
});

describe('the telemetry server', () => {
  it('has the metrics of the process under both prefixes, and a page for the readiness probe', async () => {
    const telemetry = createTelemetry();
    telemetry.setSharding({ shard: 0, totalShards: 2 });
    telemetry.setSharding({ shard: 1, totalShards: 3 });
    telemetry.recorderOf('*v1alpha1.CloneSet').listed('success');
    telemetry.recorderOf('*v1alpha1.CloneSet').watched('error');
    const port = await start(createTelemetryServer(telemetry, new Guard('')));
    expect((await ask(port, '/')).answer.statusCode).toBe(200);
    const text = (await ask(port, '/metrics')).body.toString();
    for (const prefix of ['kube', 'kruise']) {
      expect(text).toContain(`${prefix}_state_metrics_list_total{result="success",resource="*v1alpha1.CloneSet"} 1`);
      expect(text).toContain(`${prefix}_state_metrics_watch_total{result="error",resource="*v1alpha1.CloneSet"} 1`);
      expect(text.match(new RegExp(`^${prefix}_state_metrics_shard_ordinal.*$`, 'gm'))).toEqual([
        `${prefix}_state_metrics_shard_ordinal{shard_ordinal="1"} 1`,
      ]);
      expect(text).toContain(`${prefix}_state_metrics_total_shards 3`);
    }
    expect(text).toMatch(
      /^kruise_state_metrics_build_info\{version="[\d.]+",revision="",branch="",goversion="",nodeversion="v24[\d.]+"\} 1$/m,
    );
    expect(text).toContain('process_cpu_seconds_total');
  });
});

describe('a server with a web configuration', () => {
  const users = "basic_auth_users:\n  prometheus: '$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW'\n";
  const basic = (user: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });

  it('answers users with the right password only, at every path', async () => {
    const port = await start(metricsServer({ config: webConfig(users) }).server);
    const status = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      (await ask(port, path, headers)).answer.statusCode;
    expect(await status('/metrics', basic('prometheus', 'secret'))).toBe(200);
    expect(await status('/metrics', basic('prometheus', 'secret'))).toBe(200);
    expect(await status('/metrics', basic('prometheus', 'secret!'))).toBe(401);
    expect(await status('/metrics', { authorization: 'Basic !' })).toBe(401);
    const { answer } = await ask(port, '/healthz');
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Basic']);
  });

  it('speaks TLS with the certificate that the configuration names beside it, and sends its headers', async () => {
    const text =
      'tls_server_config:\n  cert_file: tls.crt\n  key_file: tls.key\nhttp_server_config:\n  headers:\n    X-Frame-Options: deny\n';
    const port = await start(metricsServer({ config: webConfig(text) }).server);
    const secure = getSecure({ port, host: '127.0.0.1', path: '/healthz', agent: false, ca: authority.certificatePem });
    const [answer] = (await once(secure, 'response')) as [IncomingMessage];
    expect([answer.statusCode, answer.headers['x-frame-options']]).toEqual([200, 'deny']);
    answer.resume();
    await once(answer, 'end');
  });

  it('closes the connection of a client without the certificate that it needs', async () => {
    const text = 'tls_server_config:\n  cert_file: tls.crt\n  key_file: tls.key\n  client_auth_type: RequireAnyClientCert\n';
    const port = await start(metricsServer({ config: webConfig(text) }).server);
    const options = { port, host: '127.0.0.1', path: '/healthz', agent: false, ca: authority.certificatePem };
    await expect(once(getSecure(options), 'response')).rejects.toThrow(/socket hang up|ECONNRESET/);
    const [answer] = (await once(getSecure({ ...options, cert: certificatePem, key: keyPem }), 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    answer.resume();
    await once(answer, 'end');
  });
});
