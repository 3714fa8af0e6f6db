import { urlPath } from './resource-path.ts';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createServer, type ClientHttp2Session, type Http2Server } from 'node:http2';
import { connect, type AddressInfo } from 'node:net';
import { Cancellation } from './cancellation.ts';
import { Http2Session, startHttp2 } from './http2-session.ts';
import { readBody } from '../bodies/read-body.ts';
import type { WireRequest } from './transport.ts';

let server: Http2Server;
beforeEach(async () => {
  server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** Node's types lack this method. */
type NextStreamId = ClientHttp2Session & { setNextStreamID(id: number): void };
const lastStreamId = 2 ** 31 - 1;
const request: WireRequest = { method: 'GET', path: urlPath`/`, headers: {}, body: undefined, beforeSend: () => undefined };

it('a session that has used up its stream ids is retired, and the call that found out was not sent', async () => {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  const opened = await startHttp2(socket, `http://127.0.0.1:${port}`, 65_535);
  (opened as NextStreamId).setNextStreamID(lastStreamId);
  const limits = { windowBytes: 65_535, pingIntervalMs: 60_000, pingTimeoutMs: 60_000, maxStreams: 10 };
  const session = new Http2Session({ session: opened, socket, generation: 1 }, limits, {
    onRoom: () => undefined,
    onSilence: () => undefined,
    onDoubt: () => undefined,
  });
  const call = async (): Promise<string> => {
    const cancel = new Cancellation(undefined, 10_000);
    try {
      return (await readBody(await session.send(request, cancel))).toString();
    } finally {
      cancel.dispose();
    }
  };
  try {
    expect([await call(), session.usable]).toEqual(['{}', true]);
    await expect(call()).rejects.toMatchObject({ reach: 'NotSent' });
    expect([session.usable, session.hasRoom]).toEqual([false, false]);
  } finally {
    session.destroy(new Error('the test is over'));
  }
});
