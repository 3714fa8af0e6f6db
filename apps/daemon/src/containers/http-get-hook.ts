/** The request of an httpGet hook: directly to the Pod, whatever proxies and certificates are configured. @see spec/daemon.md 5.4 */
import { request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { lookupUntil, type NameSources } from '../names/resolve-host.ts';
import type { HttpGet } from './plan-stop.ts';

function send(scheme: HttpGet['scheme'], options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = scheme === 'https' ? requestHttps({ ...options, rejectUnauthorized: false }) : requestHttp(options);
    // Its head is the answer. The body may be endless, and is not needed.
    call.on('response', (response) => {
      resolve();
      response.destroy();
    });
    // Another protocol was not requested, but it is an answer. Otherwise the connection would stay open, and the hook with it.
    call.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve();
    });
    call.on('error', reject);
    call.on('close', () => reject(new Error('the connection was closed')));
    call.end();
  });
}

/** Returns whether the TLS handshake failed, as with a server that uses plain HTTP. */
const isPlainServer = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPROTO';

/**
 * Sends the request. Any response is a success.
 *
 * @param address used when the hook names no host
 * @param signal ends the look-up of its host, the connection and the request
 */
export async function getHttp(hook: HttpGet, address: string, signal: AbortSignal, names?: NameSources): Promise<void> {
  const options: RequestOptions = {
    host: hook.host === '' ? address : hook.host,
    port: hook.port,
    path: hook.path,
    headers: Object.fromEntries(hook.headers),
    agent: false,
    lookup: lookupUntil(signal, names),
    signal,
  };
  try {
    await send(hook.scheme, options);
  } catch (error) {
    if (hook.scheme !== 'https' || !isPlainServer(error) || signal.aborted) throw error;
    await send('http', options);
  }
}
