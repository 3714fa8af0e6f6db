/**
 * HTTP probes, directly to the Pod: no proxy, no check of certificates, no kept connection. A redirect is followed on the same host only.
 * @see spec/podprobemarker.md 5.3
 */
import { request as requestHttp, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIPv6 } from 'node:net';
import { failed, succeeded, type ProbeOutcome } from './probe-outcome.ts';

export interface HttpProbe {
  /** Address of the Pod. */
  readonly host: string;
  readonly port: number;
  readonly scheme: 'http' | 'https';
  /** With query; a missing slash at its start is added, a fragment is removed. */
  readonly path: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

const longestBody = 10 * 1024;
const maxRedirects = 10;

/** Returns headers as given, several of one name included; an empty value removes a default. */
function headersOf({ headers }: HttpProbe): OutgoingHttpHeaders {
  const byName = new Map<string, { readonly name: string; readonly values: string[] }>();
  for (const { name, value } of headers) {
    const held = byName.get(name.toLowerCase());
    if (held === undefined) byName.set(name.toLowerCase(), { name, values: [value] });
    else held.values.push(value);
  }
  for (const [name, value] of [
    ['User-Agent', 'kube-probe'],
    ['Accept', '*/*'],
  ] as const) {
    const held = byName.get(name.toLowerCase());
    if (held === undefined) byName.set(name.toLowerCase(), { name, values: [value] });
    else if (held.values.every((one) => one === '')) byName.delete(name.toLowerCase());
  }
  const host = byName.get('host')?.values[0];
  byName.delete('host');
  return {
    ...Object.fromEntries([...byName.values()].map(({ name, values }) => [name, values.length === 1 ? values[0] : values])),
    ...(host === undefined || host === '' ? {} : { host }),
    connection: 'close',
  };
}

const urlOf = ({ scheme, host, port, path }: HttpProbe): URL => {
  const [sent = ''] = path.split('#');
  const [target, ...query] = (sent.startsWith('/') ? sent : `/${sent}`).split('?');
  const url = new URL(`${scheme}://${isIPv6(host) ? `[${host}]` : host}:${String(port)}`);
  url.pathname = target ?? '/';
  url.search = query.join('?');
  return url;
};

/** Sends a request. @throws the error of the transport */
function send(url: URL, headers: OutgoingHttpHeaders, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { method: 'GET', headers, agent: false, signal } as const;
    const call =
      url.protocol === 'https:' ? requestHttps(url.href, { ...options, rejectUnauthorized: false }) : requestHttp(url.href, options);
    call.once('response', resolve);
    // Another protocol was not requested: an answer like any other, whose connection would otherwise stay open.
    call.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    call.once('error', reject);
    call.once('close', () => reject(new Error('the connection was closed')));
    call.end();
  });
}

/** Reads the beginning of the body; the rest is not read. */
async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= longestBody) break;
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, longestBody);
}

/** Returns the target of a redirect; undefined when it is none, or names another host. */
function nextOf(response: IncomingMessage, from: URL): URL | undefined {
  const { statusCode = 0, headers } = response;
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined || !URL.canParse(headers.location, from.href))
    return undefined;
  const next = new URL(headers.location, from.href);
  return next.hostname === from.hostname && ['http:', 'https:'].includes(next.protocol) ? next : undefined;
}

async function judge(response: IncomingMessage): Promise<ProbeOutcome> {
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 300) return succeeded(await readBody(response));
  if (statusCode >= 300 && statusCode < 400)
    return succeeded(`Probe terminated redirects, Response body: ${(await readBody(response)).toString()}`);
  response.destroy();
  return failed(`HTTP probe failed with statuscode: ${String(statusCode)}`);
}

/** Probes. Never rejects: an error of the transport is a failure of the Pod. */
export async function probeHttp(probe: HttpProbe, signal: AbortSignal): Promise<ProbeOutcome> {
  let url = urlOf(probe);
  const headers = headersOf(probe);
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await send(url, headers, signal);
      const next = nextOf(response, url);
      if (next === undefined) return await judge(response);
      response.destroy();
      if (redirects === maxRedirects) return failed(`Get "${url.href}": stopped after ${String(maxRedirects)} redirects`);
      url = next;
    }
  } catch (error) {
    if (signal.aborted) return failed(`Get "${url.href}": no answer in time`);
    return failed(`Get "${url.href}": ${error instanceof Error ? error.message : String(error)}`);
  }
}
