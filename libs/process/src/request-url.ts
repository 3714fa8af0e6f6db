/** The URL of a request to a plain HTTP server. */
import type { IncomingMessage } from 'node:http';

/**
 * Returns path and query of a request; the host has no meaning. Never throws, whatever a client sends: a request target need not be a URL (`//` and
 * `http://[` are none), and a server that threw here would end the process.
 */
export function urlOf(request: Pick<IncomingMessage, 'url'>): URL {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  const url = new URL('http://request/');
  url.pathname = mark < 0 ? target : target.slice(0, mark);
  url.search = mark < 0 ? '' : target.slice(mark);
  return url;
}
