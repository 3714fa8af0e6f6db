/** Answers that hold no review: what an API server makes of each decides what becomes of the object. */
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { OutOfTime, Stopping } from './caller.ts';

/** The API server asks again by itself when it is told to. */
const retrySeconds = 1;

/** HTTP/1.1 is told by a header, HTTP/2 by a GOAWAY frame; both let this answer pass. */
export function endConnectionAfter(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
  else request.stream.session?.close();
}

export const answerText = (response: Http2ServerResponse, code: number, text: string): void =>
  void response.writeHead(code, { 'content-type': 'text/plain' }).end(`${text}\n`);

/** Answers with a Status object, of which an API server shows the message to whoever wanted to write an object. */
function answerStatus(
  response: Http2ServerResponse,
  code: number,
  { reason, message }: { readonly reason: string; readonly message: string },
): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }));
}

/** To a caller that is not known; the next one on a connection of its own is judged by the authorities and certificates of then. */
export function refuseUnknown(request: Http2ServerRequest, response: Http2ServerResponse): void {
  endConnectionAfter(request, response);
  const message = 'this webhook answers only callers with a client certificate that its configured authority has signed';
  answerStatus(response, 401, { reason: 'Unauthorized', message });
}

export const isUndecided = (error: unknown): error is OutOfTime | Stopping => error instanceof OutOfTime || error instanceof Stopping;

/**
 * To the API server the call has failed: it asks once more, or goes on by the failure policy. An answer that allows nothing would be final, though
 * nothing was decided.
 */
export function endWithoutDecision(request: Http2ServerRequest, response: Http2ServerResponse, why: OutOfTime | Stopping): void {
  // The next call goes to another replica.
  endConnectionAfter(request, response);
  if (why instanceof Stopping) response.setHeader('retry-after', retrySeconds);
  answerStatus(response, 503, { reason: 'ServiceUnavailable', message: `the webhook came to no decision: ${why.message}` });
}

/** @param what of which there are too many, in the plural */
export function refuseForNow(response: Http2ServerResponse, what: string): void {
  response.setHeader('retry-after', retrySeconds);
  answerText(response, 429, `too many ${what} at once, please try again`);
}
