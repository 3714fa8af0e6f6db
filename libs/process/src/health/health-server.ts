/**
 * `/healthz` and `/readyz` as kubelet probes and operators know them from controller-runtime.
 * @see spec/manager.md 5.3
 */
import type { Server } from 'node:http';
import { createBoundedServer } from '../bounded-server.ts';
import { urlOf } from '../request-url.ts';

/** Throws (or rejects) when unhealthy. The message is neither logged nor shown to the caller. */
type HealthCheck = () => void | Promise<void>;
/** Checks by name: one path answers for all of them and one for each. */
export type HealthChecks = Readonly<Record<string, HealthCheck>>;

type Result = { readonly name: string; readonly ok: boolean };

async function run(name: string, check: HealthCheck): Promise<Result> {
  try {
    await check();
    return { name, ok: true };
  } catch {
    return { name, ok: false };
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

async function aggregate(endpoint: string, checks: HealthChecks, query: URLSearchParams): Promise<Answer> {
  const excluded = new Set(query.getAll('exclude'));
  const chosen = Object.entries(checks).filter(([name]) => !excluded.has(name));
  const results = await Promise.all(chosen.map(([name, check]) => run(name, check)));
  const failed = results.some((result) => !result.ok);
  if (!failed && !query.has('verbose')) return { status: 200, body: 'ok' };
  const lines = results.map(({ name, ok }) => (ok ? `[+]${name} ok` : `[-]${name} failed: reason withheld`));
  return { status: failed ? 500 : 200, body: `${lines.join('\n')}\n${endpoint} check ${failed ? 'failed' : 'passed'}\n` };
}

/** Returns the answer to one probe: `/healthz`, `/readyz`, or one of their checks as `/healthz/<name>`. */
export async function answerProbe(endpoints: Readonly<Record<string, HealthChecks>>, url: URL): Promise<Answer> {
  const [endpoint = '', name, ...more] = url.pathname.slice(1).split('/');
  const checks = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
  if (checks === undefined || more.length > 0) return { status: 404, body: '404 page not found\n' };
  if (name === undefined || name === '') return aggregate(endpoint, checks, url.searchParams);
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) return { status: 404, body: '404 page not found\n' };
  return (await run(name, check)).ok ? { status: 200, body: 'ok' } : { status: 500, body: 'internal server error: reason withheld\n' };
}

/** Returns a plain HTTP server for probes, not yet listening. */
export function createHealthServer(endpoints: Readonly<Record<string, HealthChecks>>): Server {
  return createBoundedServer((request, response) => {
    void answerProbe(endpoints, urlOf(request)).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }).end(body);
    });
  });
}
