/** One HTTPS request with a small answer, through a proxy if there is one. Redirects are not followed. */
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { destinationOf, dial, startTls } from '../connections/dial.ts';
import { orAborted } from '../until-aborted.ts';

const longestAnswerBytes = 1 << 20;

/** A form to send with POST. */
export interface HttpsForm {
  readonly text: string;
  readonly authorization?: string;
}

export interface HttpsRequest {
  /** PEM text. The CAs that Node trusts when undefined. */
  readonly ca: string | undefined;
  readonly proxyUrl: string | undefined;
  /** Sent with POST. A GET when undefined. */
  readonly form: HttpsForm | undefined;
  /** Limit of the connection and the whole answer, in milliseconds. */
  readonly timeoutMs: number;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly text: string;
}

/** Returns the answer. Rejects when there is none, it takes too long, or it is longer than 1 MiB. */
export async function requestHttps(url: string, options: HttpsRequest): Promise<HttpsAnswer> {
  const overdue = new AbortController();
  const { timeoutMs } = options;
  const timer = setTimeout(() => overdue.abort(new Error(`no complete answer within ${timeoutMs / 1000} s`)), timeoutMs);
  const to = destinationOf(new URL(url));
  let socket: Socket | undefined;
  try {
    const plain = await dial(to, options.proxyUrl, overdue.signal);
    socket = plain;
    const secure = await startTls(plain, to.host, options.ca === undefined ? {} : { ca: options.ca }, overdue.signal);
    return await orAborted(exchange(url, secure, options.form), overdue.signal);
  } catch (error) {
    // The socket that was closed reports an error of its own.
    overdue.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}

function exchange(url: string, socket: Socket, form: HttpsForm | undefined): Promise<HttpsAnswer> {
  const method = form === undefined ? 'GET' : 'POST';
  const headers = { accept: 'application/json', ...(form === undefined ? {} : headersOf(form)) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, createConnection: () => socket }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        parts.push(part);
        if (bytes <= longestAnswerBytes) return;
        reject(new Error(`an answer of more than ${longestAnswerBytes} bytes`));
        sent.destroy();
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
    });
    sent.on('error', reject);
    sent.end(form?.text);
  });
}

const headersOf = ({ text, authorization }: HttpsForm): Readonly<Record<string, string | number>> => ({
  'content-type': 'application/x-www-form-urlencoded',
  'content-length': Buffer.byteLength(text),
  ...(authorization === undefined ? {} : { authorization }),
});
