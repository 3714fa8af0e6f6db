import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { ConnectionRelay } from './connection-relay.ts';

async function talk(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write('hello');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toBe('hello');
  return socket;
}

it('passes everything on, breaks every connection at once, and accepts new ones', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relay = await ConnectionRelay.start(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    const sockets = [await talk(relay.url), await talk(relay.url)];
    const broken = Promise.all(sockets.map((socket) => once(socket, 'close')));
    relay.cut();
    await broken;
    const again = await talk(relay.url);
    again.destroy();
  } finally {
    await relay[Symbol.asyncDispose]();
    await new Promise((resolve) => server.close(resolve));
  }
});
