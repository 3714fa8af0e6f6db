/** Reads the request of a client, within limits. */
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { BodyPace, paceIntervalMs } from './body-pace.ts';
import { CallerGone } from './caller.ts';

export type Body =
  | { readonly kind: 'Read'; readonly bytes: Buffer }
  | { readonly kind: 'TooLarge' }
  /** There is no room for it now. */
  | { readonly kind: 'Refused' };

/** The caller did not send its body within the limits. */
class BodyLate extends Error {}

export interface BodyLimits {
  readonly bytes: number;
  /** Limit for sending the body, in milliseconds. */
  readonly timeoutMs: number;
  /** Time between two checks of its pace, in milliseconds; {@link paceIntervalMs} when absent. */
  readonly paceMs?: number;
  /** Called for each part as it arrives; all are accepted when absent. */
  readonly grow?: (bytes: number) => boolean;
}

/**
 * Reads a body.
 *
 * @throws CallerGone when the connection or the stream ends before the body
 * @remarks A timer measures the time, not the socket: over HTTP/1.1 the socket's timeout would outlive the request and close an idle connection just
 * when the API server, which keeps it for 90 s, sends its next review.
 */
export async function readBody(request: Http2ServerRequest, limits: BodyLimits): Promise<Body> {
  const late = setTimeout(() => request.destroy(new BodyLate('the request did not arrive in time')), limits.timeoutMs);
  const pace = new BodyPace();
  const received = { bytes: 0 };
  const looks = setInterval(() => {
    if (pace.isTooSlow(received.bytes)) request.destroy(new BodyLate('the request arrived too slowly'));
  }, limits.paceMs ?? paceIntervalMs);
  try {
    return await collect(request, limits, received);
  } finally {
    clearTimeout(late);
    clearInterval(looks);
  }
}

/**
 * Collects the parts of a body.
 * @remarks Not by iteration: leaving an iteration early waits for the request to be closed, which over HTTP/2 happens after the answer.
 */
function collect(request: Http2ServerRequest, { bytes: limit, grow }: BodyLimits, received: { bytes: number }): Promise<Body> {
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  const chunks: Buffer[] = [];
  const giveUp = (body: Body): void => {
    request.removeListener('data', take);
    chunks.length = 0;
    resolve(body);
  };
  const take = (chunk: Buffer): void => {
    received.bytes += chunk.length;
    if (received.bytes > limit) return giveUp({ kind: 'TooLarge' });
    if (grow?.(chunk.length) === false) return giveUp({ kind: 'Refused' });
    chunks.push(chunk);
  };
  request.on('data', take);
  request.once('end', () => resolve({ kind: 'Read', bytes: chunks.length === 1 ? (chunks[0] as Buffer) : joined(chunks, received.bytes) }));
  const gone = (cause?: Error): CallerGone => new CallerGone('the request ended before its body', { cause });
  request.once('error', (error) => reject(error instanceof BodyLate ? error : gone(error)));
  request.once('close', () => reject(gone()));
  return promise;
}

/** How long the rest of a body is read and discarded: the client may read the answer only then. */
const lingerMs = 1000;

/** Call it before the answer to a body that was not read to its end. */
export function abandonBody(request: Http2ServerRequest, response: Http2ServerResponse): void {
  request.resume();
  const isHttp1 = request.httpVersionMajor === 1;
  if (isHttp1) response.setHeader('connection', 'close');
  const end = (): void => {
    if (isHttp1) request.socket.destroy();
    else request.stream.close(constants.NGHTTP2_NO_ERROR);
  };
  const late = setTimeout(end, lingerMs);
  response.once('close', () => clearTimeout(late));
}

/** Joins the parts and releases each as soon as it is copied, so that a large body is not in memory twice. */
function joined(chunks: Buffer[], size: number): Buffer {
  const all = Buffer.allocUnsafeSlow(size);
  let end = size;
  for (let chunk = chunks.pop(); chunk !== undefined; chunk = chunks.pop()) all.set(chunk, (end -= chunk.length));
  return all;
}
