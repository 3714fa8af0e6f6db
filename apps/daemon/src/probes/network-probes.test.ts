import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { probeHttp, type HttpProbe } from './http-probe.ts';
import { addressOf } from './probe-address.ts';
import { cutMessage } from './probe-outcome.ts';
import { probeTcp } from './tcp-probe.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<HttpProbe> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port, scheme: 'http', path: '/', headers: [] };
}
const soon = (): AbortSignal => AbortSignal.timeout(5000);

describe('probeHttp', () => {
  it.each<[number, object]>([
    [200, { state: 'Succeeded', message: 'body' }],
    [299, { state: 'Succeeded', message: 'body' }],
    [304, { state: 'Succeeded', message: 'Probe terminated redirects, Response body: ' }],
    [400, { state: 'Failed', message: 'HTTP probe failed with statuscode: 400' }],
    [500, { state: 'Failed', message: 'HTTP probe failed with statuscode: 500' }],
  ])('decides by status %d', async (status, outcome) => {
    const probe = await serve((_request, response) => response.writeHead(status).end('body'));
    expect(await probeHttp(probe, soon())).toEqual(outcome);
  });

  it('sends path, query and headers unchanged, and those of a probe', async () => {
    let seen: IncomingMessage | undefined;
    const probe = await serve((request, response) => {
      seen = request;
      response.end();
    });
    const headers = [
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
      { name: 'Host', value: 'shop.example' },
      { name: 'Accept', value: '' },
    ];
    await probeHttp({ ...probe, path: 'healthz?full=1', headers }, soon());
    expect(seen?.url).toBe('/healthz?full=1');
    expect(seen?.headers).toMatchObject({ 'x-a': '1, 2', host: 'shop.example', 'user-agent': 'kube-probe', connection: 'close' });
    expect(seen?.headers).not.toHaveProperty('accept');
    expect(seen?.headers).not.toHaveProperty('accept-encoding');
  });

  it('follows redirects on the same host, at most 10', async () => {
    const probe = await serve((request, response) => {
      const left = Number(new URL(request.url ?? '', 'http://pod').searchParams.get('left'));
      if (left === 0) response.end('here');
      else response.writeHead(302, { location: `/?left=${String(left - 1)}` }).end();
    });
    expect(await probeHttp({ ...probe, path: '/?left=10' }, soon())).toEqual({ state: 'Succeeded', message: 'here' });
    expect((await probeHttp({ ...probe, path: '/?left=11' }, soon())).message).toContain('stopped after 10 redirects');
  });

  it.each(['http://169.254.169.254/latest/meta-data', 'http://localhost:1/', '//10.0.0.1/', 'file:///etc/passwd'])(
    'does not follow to %s',
    async (location) => {
      const probe = await serve((_request, response) => response.writeHead(302, { location }).end('moved'));
      expect(await probeHttp(probe, soon())).toEqual({ state: 'Succeeded', message: 'Probe terminated redirects, Response body: moved' });
    },
  );

  it('reads no more of the body than it needs', async () => {
    const probe = await serve((_request, response) => {
      response.on('error', () => undefined);
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    });
    expect((await probeHttp(probe, soon())).message).toBe('x'.repeat(1024));
  });

  it.each<[string, string, string]>([
    ['switches to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', 'statuscode: 101'],
    ['says to go on, and no more', 'HTTP/1.1 100 Continue\r\n\r\n', 'no answer in time'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'Parse Error'],
    ['sends headers without end', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(20_000)}`, 'Header overflow'],
    ['breaks off in its body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbo', 'no answer in time'],
    ['answers with an empty line', '\r\n', 'no answer in time'],
  ])('fails when the Pod %s', async (_name, answer, message) => {
    const server = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.write(answer)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const probe: HttpProbe = { host: '127.0.0.1', port: (server.address() as AddressInfo).port, scheme: 'http', path: '/', headers: [] };
    expect(await probeHttp(probe, AbortSignal.timeout(300))).toMatchObject({ state: 'Failed', message: expect.stringContaining(message) });
    server.close();
  });

  it('fails when the Pod closes the connection', async () => {
    const probe = await serve((request) => request.socket.destroy());
    expect(await probeHttp(probe, soon())).toMatchObject({ state: 'Failed', message: expect.stringContaining('socket hang up') });
  });

  it('fails in time, and when no server listens', async () => {
    const probe = await serve(() => undefined);
    expect(await probeHttp(probe, AbortSignal.timeout(50))).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('no answer in time'),
    });
    expect(await probeHttp({ ...probe, port: 1 }, soon())).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(await probeHttp({ ...probe, scheme: 'https' }, soon())).toMatchObject({ state: 'Failed' });
  });
});

describe('probeTcp', () => {
  it('succeeds when a server listens, fails otherwise and in time', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await probeTcp('127.0.0.1', port, soon())).toEqual({ state: 'Succeeded', message: '' });
    server.close();
    expect(await probeTcp('127.0.0.1', 1, soon())).toMatchObject({ state: 'Failed' });
    expect(await probeTcp('127.0.0.1', port, AbortSignal.abort())).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('timeout'),
    });
  });
});

describe('addressOf', () => {
  const pod = (spec: object = {}, status: object = {}): Pod => ({
    metadata: { name: 'x' },
    spec: { containers: [], ...spec },
    status: { hostIP: '192.168.0.9', ...status },
  });
  const host = { hostNetwork: true };
  const network = (ip: string, ...additional: readonly string[]): Parameters<typeof addressOf>[1] => ({
    state: 'SANDBOX_READY',
    network: { ip, additionalIps: additional.map((one) => ({ ip: one })) },
  });
  const none: Parameters<typeof addressOf>[1] = { state: 'SANDBOX_READY', network: null };
  it.each<[string, string, Parameters<typeof addressOf>[1], Pod, string | undefined]>([
    ['the address that the runtime reports', '10.0.0.1', network('10.0.0.1'), pod(), '10.0.0.1'],
    ['not what a NodePodProbe claims', '10.96.0.1', network('10.0.0.1'), pod(), '10.0.0.1'],
    ['the wished one of two', 'fd00::1', network('10.0.0.1', 'fd00::1'), pod(), 'fd00::1'],
    ['the first one without a wish', '', network('10.0.0.1', 'fd00::1'), pod(), '10.0.0.1'],
    ['none when none is reported', '10.0.0.1', network(''), pod(), undefined],
    ['none of a sandbox that has ended', '10.0.0.1', { ...network('10.0.0.1'), state: 'SANDBOX_NOTREADY' }, pod(), undefined],
    ['none of a sandbox in a state that is not known', '10.0.0.1', { ...network('10.0.0.1'), state: 7 }, pod(), undefined],
    ['the node, for a Pod in its network', '10.96.0.1', none, pod(host), '192.168.0.9'],
    ['the node, whatever a runtime says of its network', '10.0.0.1', network('10.0.0.1'), pod(host), '192.168.0.9'],
    ['the wished address of the node', 'fd00::9', none, pod(host, { hostIPs: [{ ip: '192.168.0.9' }, { ip: 'fd00::9' }] }), 'fd00::9'],
    ['nothing of a node without an address', '', none, pod(host, { hostIP: undefined }), undefined],
    ['no loopback of the node', '', none, pod(host, { hostIP: '127.0.0.1' }), undefined],
    ['never the node for another Pod', '192.168.0.9', none, pod(), undefined],
    ['not the node, whatever a runtime says of another Pod', '192.168.0.9', network('192.168.0.9'), pod(), undefined],
    ['nothing that is no address', 'evil.example', network('evil.example'), pod(), undefined],
  ])('%s', (_name, wish, sandbox, of, expected) => {
    expect(addressOf(wish, sandbox, of)).toBe(expected);
  });

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1%lo',
    'ff02::1',
  ])('nothing that is %s', (address) => {
    expect(addressOf(address, network(address), pod())).toBeUndefined();
    expect(addressOf(address, none, pod(host, { hostIP: address }))).toBeUndefined();
    expect(addressOf(address, network('10.0.0.1', address), pod())).toBe('10.0.0.1');
  });
});

it('truncates a message to 1024 bytes, between characters', () => {
  expect(cutMessage('short')).toBe('short');
  expect(cutMessage('x'.repeat(2000))).toHaveLength(1024);
  const cut = cutMessage('é'.repeat(511) + '€€');
  expect(cut).toBe('é'.repeat(511));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
});
