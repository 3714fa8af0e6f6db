/** The server of the metrics of objects, and that of the metrics of this process. @see spec/kruise-state-metrics.md 2 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { createBoundedServer, metricsAnswer, urlOf } from '@kruise/process';
import { exposition, type ShownKind } from './exposition.ts';
import { ScrapeSlots } from './scrape-slots.ts';
import type { Telemetry } from './telemetry.ts';
import type { Guard } from './guard.ts';

const exposedType = 'text/plain; version=0.0.4';

/** A page with links, as the original has it at `/`. */
const indexPage = (title: string, paths: readonly string[]): string =>
  `<html>\n<head><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n<ul>\n${paths
    .map((path) => `<li><a href='${path}'>${path.slice(1)}</a></li>\n`)
    .join('')}</ul>\n</body>\n</html>\n`;

function answerText(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(body);
}

const answerHtml = (response: ServerResponse, page: string): void => answerText(response, 200, page, 'text/html; charset=utf-8');

const acceptsGzip = ({ headers }: IncomingMessage): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?![.\d]))/.test(String(headers['accept-encoding'] ?? ''));

export interface MetricsServerParts {
  readonly kinds: readonly ShownKind[];
  readonly gzip: boolean;
  readonly telemetry: Pick<Telemetry, 'observeScrape'>;
  readonly guard: Guard;
}

/** As bytes: a text would be read twice, for its length and to be sent. */
function* encoded(pieces: Iterable<string>): Generator<Buffer, void, void> {
  for (const piece of pieces) yield Buffer.from(piece);
}

/** Streams the metrics. Resolves when the client has them, rejects when it closes the connection before. */
async function streamMetrics(request: IncomingMessage, response: ServerResponse, { kinds, gzip }: MetricsServerParts): Promise<void> {
  const compressed = gzip && acceptsGzip(request);
  response.writeHead(200, {
    'content-type': exposedType,
    ...(gzip ? { vary: 'accept-encoding' } : {}),
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
  });
  if (request.method === 'HEAD') return void response.end();
  const pieces = Readable.from(encoded(exposition(kinds)), { highWaterMark: 2 });
  if (compressed) await pipeline(pieces, createGzip({ level: constants.Z_BEST_SPEED }), response);
  else await pipeline(pieces, response);
}

/** Answers to `/metrics`, a few at a time, in turns of the clients. */
function scraper(parts: MetricsServerParts): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const slots = new ScrapeSlots();
  return async (request, response) => {
    const from = performance.now();
    await slots.run(request.socket.remoteAddress ?? '', response, () =>
      streamMetrics(request, response, parts).finally(() =>
        parts.telemetry.observeScrape(request.method ?? '', (performance.now() - from) / 1000),
      ),
    );
  };
}

/** Not yet listening. */
export function createMetricsServer(parts: MetricsServerParts): Server {
  const scrape = scraper(parts);
  const index = indexPage('Kruise State Metrics', ['/metrics', '/healthz']);
  const { guard } = parts;
  return createBoundedServer(
    guard.checked((request, response) => {
      switch (urlOf(request).pathname) {
        case '/metrics':
          // The client closed the connection, or did not read in time.
          return void scrape(request, response).catch(() => response.destroy());
        case '/healthz':
          return answerText(response, 200, 'OK');
        case '/':
          return answerHtml(response, index);
        default:
          return answerText(response, 404, '404 page not found\n');
      }
    }),
    {},
    guard.tls,
  );
}

/** Not yet listening. */
export function createTelemetryServer({ registry }: Pick<Telemetry, 'registry'>, guard: Guard): Server {
  const metrics = metricsAnswer(registry);
  const index = indexPage('Metrics of kruise-state-metrics', ['/metrics']);
  return createBoundedServer(
    guard.checked((request, response) => {
      switch (urlOf(request).pathname) {
        case '/metrics':
          return void metrics(request, response).catch(() => {
            if (!response.headersSent) answerText(response, 500, 'metrics could not be collected\n');
            else response.destroy();
          });
        case '/':
          return answerHtml(response, index);
        default:
          return answerText(response, 404, '404 page not found\n');
      }
    }),
    {},
    guard.tls,
  );
}
