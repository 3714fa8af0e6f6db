/**
 * The plain HTTP server for probes, metrics and profiles. Any Pod may connect to it, so connections and times are bounded. A bound never excludes the
 * kubelet: the server closes the oldest connection of the address with the most.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { ConnectionShare } from '@kruise/kube';
import { serverLimits } from '@kruise/objects';

/** Answers every request. The server does not catch what it throws. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServerBounds {
  readonly connections: number;
  readonly addressConnections: number;
  /** Time in which a request must be sent. */
  readonly headerMs: number;
  /** Time from the request until the client has read the answer. */
  readonly answerMs: number;
}

const usual: ServerBounds = {
  connections: serverLimits.connections.value,
  addressConnections: serverLimits.addressConnections.value,
  headerMs: serverLimits.headerTime.value,
  answerMs: serverLimits.answerTime.value,
};

/** How often Node checks for requests that take too long. */
const checkMs = 5000;

/** Closes the connection of an answer that is not read in time. */
function limit(response: ServerResponse, answerMs: number): void {
  const timer = setTimeout(() => response.destroy(), answerMs).unref();
  response.once('close', () => clearTimeout(timer));
}

/**
 * Returns a server that is not yet listening.
 *
 * @param tls serves HTTPS with these options; plain HTTP when absent
 */
export function createBoundedServer(answer: Answer, bounds: Partial<ServerBounds> = {}, tls?: TlsOptions): Server {
  const { connections: all, addressConnections: perAddress, headerMs, answerMs } = { ...usual, ...bounds };
  const connections = new ConnectionShare({ all, perAddress, closes: 'Oldest' });
  const times = { headersTimeout: headerMs, requestTimeout: headerMs, connectionsCheckingInterval: Math.min(checkMs, headerMs) };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    limit(response, answerMs);
    answer(request, response);
  };
  const server: Server =
    tls === undefined ? createServer(times, listener) : createSecureServer({ ...tls, ...times, handshakeTimeout: headerMs }, listener);
  return server.on('connection', (socket: Socket) => connections.take(socket));
}
