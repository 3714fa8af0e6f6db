import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Server } from 'node:http';
import { createBoundedServer, type Answer, type ServerBounds } from './bounded-server.ts';
import { listen } from './listen.ts';

const open: { server?: Server; sockets: Socket[] } = { sockets: [] };
afterEach(async () => {
  for (const socket of open.sockets.splice(0)) socket.destroy();
  open.server?.closeAllConnections();
  await new Promise((resolve) => open.server?.close(resolve));
});

async function serve(answer: Answer, bounds: Partial<ServerBounds>): Promise<number> {
  open.server = createBoundedServer(answer, bounds);
  return listen(open.server, { host: '127.0.0.1', port: 0 });
}

/** Connects and sends a text. Resolves when the server has accepted the connection. */
async function send(port: number, text: string): Promise<Socket> {
  const accepted = once(open.server!, 'connection');
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text));
  open.sockets.push(socket.on('error', () => undefined));
  await accepted;
  return socket;
}

const ok: Answer = (_request, response) => void response.end('ok');
const halfRequest = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const request = `${halfRequest}\r\n`;

describe('a bounded server', () => {
  it('closes the oldest connection of an address that has too many, and answers the newest', async () => {
    const port = await serve(ok, { addressConnections: 2 });
    const first = await send(port, halfRequest);
    const second = await send(port, halfRequest);
    const closed = once(first, 'close');
    const third = await send(port, request);
    const [answer] = (await once(third, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK/);
    await closed;
    expect(second.destroyed).toBe(false);
  });

  it('answers the kubelet while clients that do not read their answers hold every connection', async () => {
    const busy = Promise.withResolvers<void>();
    let requests = 0;
    const port = await serve(
      ({ url }, response) => {
        if (url === '/probe') response.end('ok');
        else if (++requests === 2) busy.resolve();
      },
      { connections: 2 },
    );
    const [first] = [await send(port, request), await send(port, request)];
    await busy.promise;
    const closed = once(first, 'close');
    expect(await (await fetch(`http://127.0.0.1:${port}/probe`)).text()).toBe('ok');
    await closed;
  });

  it('closes a connection whose request headers do not arrive in time', async () => {
    const port = await serve(ok, { headerMs: 20 });
    const socket = await send(port, halfRequest);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /);
  });

  it('closes the connection of a client that does not read its answer', async () => {
    const wasRead = Promise.withResolvers<boolean>();
    const answer: Answer = (_request, response) => {
      response.once('close', () => wasRead.resolve(response.writableFinished)).end(Buffer.alloc(64 * 1024 * 1024));
    };
    await send(await serve(answer, { answerMs: 20 }), request);
    expect(await wasRead.promise).toBe(false);
  });
});
