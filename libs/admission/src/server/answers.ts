/** Answers without a review. The API server's reaction to each decides what happens to the object. */
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { OutOfTime, Stopping } from './caller.ts';

/** The API server retries by itself when this is set. */
const retrySeconds = 1;

/** Ends the connection after this answer: with a header for HTTP/1.1, with a GOAWAY frame for HTTP/2. */
export function endConnectionAfter(request: Http2ServerRequest, response: Http2ServerResponse): void {
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close');
  else request.stream.session?.close();
}

export const answerText = (response: Http2ServerResponse, code: number, text: string): void =>
  void response.writeHead(code, { 'content-type': 'text/plain' }).end(`${text}\n`);

/** Answers with a Status object. An API server shows its message to the client that wanted to write an object. */
function answerStatus(
  response: Http2ServerResponse,
  code: number,
  { reason, message }: { readonly reason: string; readonly message: string },
): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }));
}

/** Refuses an unknown caller. Its next connection is verified with the authorities and certificates of that time. */
export function refuseUnknown(request: Http2ServerRequest, response: Http2ServerResponse): void {
  endConnectionAfter(request, response);
  const message = 'this webhook answers only callers with a client certificate that its configured authority has signed';
  answerStatus(response, 401, { reason: 'Unauthorized', message });
}

export const isUndecided = (error: unknown): error is OutOfTime | Stopping => error instanceof OutOfTime || error instanceof Stopping;

/**
 * Ends a call without a decision. To the API server the call has failed: it calls again, or applies the failure policy. An answer that allows nothing
 * would be final, although nothing was decided.
 */
export function endWithoutDecision(request: Http2ServerRequest, response: Http2ServerResponse, why: OutOfTime | Stopping): void {
  // The next call is sent to another replica.
  endConnectionAfter(request, response);
  if (why instanceof Stopping) response.setHeader('retry-after', retrySeconds);
  answerStatus(response, 503, { reason: 'ServiceUnavailable', message: `the webhook came to no decision: ${why.message}` });
}

/**
 * Refuses a request for now.
 *
 * @param what of which there are too many, in the plural
 */
export function refuseForNow(response: Http2ServerResponse, what: string): void {
  response.setHeader('retry-after', retrySeconds);
  answerText(response, 429, `too many ${what} at once, please try again`);
}
