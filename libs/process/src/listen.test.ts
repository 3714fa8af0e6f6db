import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { skipUnless } from '@kruise/testing';
import { listen, parseListenAddress } from './listen.ts';

describe('listen addresses', () => {
  it.each([
    [':8080', { host: '', port: 8080 }],
    ['localhost:8090', { host: 'localhost', port: 8090 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['8080', undefined],
    [':65535', { host: '', port: 65_535 }],
    [':65536', undefined],
    [':70000', undefined],
    ['a[::1]:80', undefined],
    [':80a', undefined],
    ['a:b', undefined],
    ['', undefined],
  ])('reads %s', (text, expected) => {
    expect(parseListenAddress(text)).toEqual(expected);
  });
});

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.family === 'IPv6');

describe('listening', () => {
  for (const host of ['', '0.0.0.0', '::'])
    skipUnless(
      hasIPv6,
      'needs IPv6',
      it,
    )(`on the host "${host}" accepts connections over IPv4 and IPv6, as in Go`, async () => {
      const server = createServer((socket) => socket.destroy());
      const port = await listen(server, { host, port: 0 });
      try {
        for (const address of ['127.0.0.1', '::1']) {
          const socket = connect(port, address);
          await once(socket, 'connect');
          expect(socket.remoteAddress).toBe(address);
          socket.destroy();
        }
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });

  it.each([
    { host: '127.0.0.1', address: '127.0.0.1' },
    { host: '', address: '::' },
  ])('on the host "$host" is on $address, at a free port for 0', async ({ host, address }) => {
    const server = createServer();
    const port = await listen(server, { host, port: 0 });
    try {
      expect(server.address()).toMatchObject({ address, port });
      expect(port).toBeGreaterThan(0);
      expect(server.listenerCount('error')).toBe(0);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('fails at an address in use', async () => {
    const first = createServer();
    const port = await listen(first, { host: '127.0.0.1', port: 0 });
    try {
      await expect(listen(createServer(), { host: '127.0.0.1', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
      expect((first.address() as AddressInfo).port).toBe(port);
    } finally {
      await new Promise((resolve) => first.close(resolve));
    }
  });
});
