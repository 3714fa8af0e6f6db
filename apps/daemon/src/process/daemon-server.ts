/** /healthz, /readyz and /metrics on one address. @see spec/daemon.md 2 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createBoundedServer, metricsAnswer, urlOf } from '@kruise/process';
import type { Registry } from 'prom-client';

/** Returns a fault, in a few words; undefined when there is none. */
type DaemonCheck = () => string | undefined;
/** In the order in which they are run. */
export type DaemonChecks = Readonly<Record<string, DaemonCheck>>;

/** Returns the answer, which names the first failing check and its fault. */
export function answerCheck(checks: DaemonChecks): { readonly status: number; readonly body: string } {
  for (const [name, check] of Object.entries(checks)) {
    const reason = check();
    if (reason !== undefined) return { status: 500, body: `check ${name} failed, err: ${reason}` };
  }
  return { status: 200, body: 'ok' };
}

export interface DaemonServerParts {
  readonly registry: Registry;
  /** Checks whose faults a restart of the process may fix. */
  readonly live: DaemonChecks;
  /** Additional checks of what it needs for its work. */
  readonly ready: DaemonChecks;
}

type Responding = Pick<DaemonServerParts, 'live' | 'ready'> & { readonly metrics: ReturnType<typeof metricsAnswer> };

async function respond(request: IncomingMessage, response: ServerResponse, { metrics, live, ready }: Responding): Promise<void> {
  const checked = (checks: DaemonChecks): void => {
    const { status, body } = answerCheck(checks);
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
  };
  switch (urlOf(request).pathname) {
    case '/healthz':
      return checked(live);
    case '/readyz':
      return checked({ ...live, ...ready });
    case '/metrics':
      return metrics(request, response);
    default:
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n');
  }
}

/** Returns a server that is not yet listening. */
export function createDaemonServer({ registry, live, ready }: DaemonServerParts): Server {
  const parts = { live, ready, metrics: metricsAnswer(registry) };
  return createBoundedServer((request, response) => {
    respond(request, response, parts).catch(() => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
      response.end('the request could not be answered\n');
    });
  });
}
