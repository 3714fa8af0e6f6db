/** Opens a connection to the API server: TCP, an optional proxy (HTTP CONNECT over http or https, SOCKS5), then TLS. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { asError } from '../as-error.ts';

export interface Destination {
  readonly host: string;
  readonly port: number;
}

const KEEP_ALIVE_MS = 30_000;

/** Returns host (without the brackets of IPv6) and port of a URL. */
export function destinationOf(url: URL): Destination {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : url.protocol === 'socks5:' ? 1080 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

/** Returns `host:port` as in an authority. */
const authorityOf = ({ host, port }: Destination): string => (isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`);

/** Settles with the first of the socket's `event`, its error or its close. The socket is destroyed when it fails. */
function opened<S extends Socket>(socket: S, event: string): Promise<S> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    const closed = (): void => fail(new Error('the connection was closed while it was being opened'));
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once(event, () => {
      socket.off('error', fail);
      socket.off('close', closed);
      resolve(socket);
    });
  });
}

async function connectPlain(to: Destination, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: to.host, port: to.port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  return await opened(abortable(socket, signal), 'connect');
}

function abortable<S extends Socket>(socket: S, signal: AbortSignal): S {
  const abort = (): void => void socket.destroy(asError(signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', abort));
  // Between two steps no code listens, and an error without a listener ends the process. The close that follows it is seen by all.
  socket.on('error', () => undefined);
  return socket;
}

/** Starts TLS over `socket`. `options` contain ALPN, CA, certificate and server name. */
export async function startTls(socket: Socket, host: string, options: ConnectionOptions, signal: AbortSignal): Promise<TLSSocket> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  return await opened(abortable(connectTls({ ...name, ...options, host, socket }), signal), 'secureConnect');
}

/**
 * Opens a raw connection to `to`, through `proxyUrl` when given.
 *
 * @param signal aborts the opening, with its reason as the error; it must no longer abort once the connection is open
 */
export async function dial(to: Destination, proxyUrl: string | undefined, signal: AbortSignal): Promise<Socket> {
  if (proxyUrl === undefined) return await connectPlain(to, signal);
  const proxy = new URL(proxyUrl);
  const at = destinationOf(proxy);
  const plain = await connectPlain(at, signal);
  switch (proxy.protocol) {
    case 'http:':
      return await connectThrough(plain, to, proxy);
    case 'https:':
      return await connectThrough(await startTls(plain, at.host, {}, signal), to, proxy);
    case 'socks5:':
      return await socks5(plain, to, proxy);
    default:
      plain.destroy();
      throw new Error(`proxy-url: ${proxy.protocol}// is not supported: use http, https or socks5`);
  }
}

/** Reads until `complete` returns the length of the answer in bytes. Further bytes are put back. */
function readAnswer(socket: Socket, complete: (bytes: Buffer) => number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    const finish = (error: Error | undefined, answer = held): void => {
      socket.off('data', onData).off('error', finish).off('close', onClose);
      socket.pause();
      if (error === undefined) resolve(answer);
      else {
        socket.destroy();
        reject(error);
      }
    };
    const onClose = (): void => finish(new Error('the proxy closed the connection'));
    const onData = (chunk: Buffer): void => {
      held = Buffer.concat([held, chunk]);
      const length = complete(held);
      if (length < 0 && held.length > 65_536) return finish(new Error('the proxy sent an answer that does not end'));
      if (length < 0) return;
      if (held.length > length) socket.unshift(held.subarray(length));
      finish(undefined, held.subarray(0, length));
    };
    socket.on('data', onData).once('error', finish).once('close', onClose);
  });
}

async function connectThrough(socket: Socket, to: Destination, proxy: URL): Promise<Socket> {
  const authority = authorityOf(to);
  const { username, password } = credentialsOf(proxy);
  const basic = username === '' ? '' : `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${basic}\r\n`);
  const head = await readAnswer(socket, (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    return end < 0 ? -1 : end + 4;
  });
  const code = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1];
  if (code?.startsWith('2') === true) return socket;
  socket.destroy();
  throw new Error(`the proxy refused to connect to ${authority}: ${code ?? 'no HTTP answer'}`);
}

const credentialsOf = (url: URL): { username: string; password: string } => ({
  username: decodeURIComponent(url.username),
  password: decodeURIComponent(url.password),
});

async function socks5(socket: Socket, to: Destination, proxy: URL): Promise<Socket> {
  const { username, password } = credentialsOf(proxy);
  socket.write(username === '' ? Buffer.from([5, 1, 0]) : Buffer.from([5, 2, 0, 2]));
  const method = (await readAnswer(socket, (bytes) => (bytes.length >= 2 ? 2 : -1)))[1];
  if (method === 2) await socksLogin(socket, username, password);
  else if (method !== 0) throw refused(socket, 'no common way to authenticate');
  const host = Buffer.from(to.host);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, host.length]), host, Buffer.from([to.port >> 8, to.port & 0xff])]));
  const answer = await readAnswer(socket, socksAnswerLength);
  if (answer[1] !== 0) throw refused(socket, `code ${answer[1]}`);
  return socket;
}

async function socksLogin(socket: Socket, username: string, password: string): Promise<void> {
  const name = Buffer.from(username);
  const word = Buffer.from(password);
  socket.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([word.length]), word]));
  const answer = await readAnswer(socket, (bytes) => (bytes.length >= 2 ? 2 : -1));
  if (answer[1] !== 0) throw refused(socket, 'wrong user name or password');
}

function socksAnswerLength(bytes: Buffer): number {
  if (bytes.length < 5) return -1;
  const address = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : 1 + (bytes[4] ?? 0);
  return bytes.length >= 6 + address ? 6 + address : -1;
}

function refused(socket: Socket, why: string): Error {
  socket.destroy();
  return new Error(`the SOCKS proxy refused: ${why}`);
}
