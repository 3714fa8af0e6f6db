/**
 * Profiles on demand under `/debug/pprof/`, in V8's own formats (open them in Chrome DevTools or VS Code).
 *
 * - `/debug/pprof/profile?seconds=30`  CPU profile (`.cpuprofile`)
 * - `/debug/pprof/heap?seconds=10`     sampling heap profile (`.heapprofile`)
 * - `/debug/pprof/heapsnapshot`        whole heap (`.heapsnapshot`); stops the program while it is taken. It contains every secret in the
 *                                      program's memory, so it is served only when it is enabled, and only to callers on the program's own host
 * - `/debug/pprof/memory?gc=1`         memory of the process and of this thread's heap in bytes as JSON; `gc=1`: after a garbage collection
 * - `/debug/pprof/eventloop?seconds=10` event-loop delay percentiles, utilisation and the longest stretch of own work (CPU) as JSON
 *
 * @see spec/manager.md 2.2 (`--enable-pprof`, `--pprof-addr`)
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import { serverLimits } from '@kruise/objects';
import { createBoundedServer, type Answer } from '../bounded-server.ts';
import { collectGarbage } from '../memory/collect-garbage.ts';
import { hostOf, isLoopback } from '../loopback.ts';
import { urlOf } from '../request-url.ts';

const maxSeconds = 300;

/** Returns the requested whole seconds, 1 to 300; `fallback` when absent or unreadable. */
export function secondsOf(query: URLSearchParams, fallback: number): number {
  const asked = Number(query.get('seconds') ?? fallback);
  return Number.isFinite(asked) && asked > 0 ? Math.min(asked, maxSeconds) : fallback;
}

async function withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  try {
    return await use(session);
  } finally {
    session.disconnect();
  }
}

const cpuProfile = (forSeconds: number): Promise<unknown> =>
  withSession(async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await sleep(forSeconds * 1000);
    return (await session.post('Profiler.stop')).profile;
  });

const heapProfile = (forSeconds: number): Promise<unknown> =>
  withSession(async (session) => {
    await session.post('HeapProfiler.startSampling', { samplingInterval: 32_768 });
    await sleep(forSeconds * 1000);
    return (await session.post('HeapProfiler.stopSampling')).profile;
  });

const resolutionMs = 5;

/** Measures the CPU time of this thread between two turns of its timers: how long its own work blocked it, however busy the machine is. */
function watchWork(): { readonly stop: () => number } {
  let [longest, before] = [0, process.threadCpuUsage()];
  const look = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - before.user - before.system);
    before = now;
  };
  const timer = setInterval(look, resolutionMs);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return longest / 1000;
    },
  };
}

async function eventLoop(forSeconds: number): Promise<unknown> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  const work = watchWork();
  const before = performance.eventLoopUtilization();
  delay.enable();
  await sleep(forSeconds * 1000);
  delay.disable();
  const toMs = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;
  return {
    utilization: performance.eventLoopUtilization(before).utilization,
    workMs: { max: Math.round(work.stop() * 100) / 100 },
    delayMs: { mean: toMs(delay.mean), p50: toMs(delay.percentile(50)), p99: toMs(delay.percentile(99)), max: toMs(delay.max) },
  };
}

/** The profiles that a server may serve. */
export interface ProfilingOptions {
  /** Whether `/debug/pprof/heapsnapshot` is served. A snapshot contains the contents of the memory, tokens and passwords among them. */
  readonly heapSnapshots: boolean;
}

const index = ({ heapSnapshots }: ProfilingOptions): string =>
  `profile?seconds=30\nheap?seconds=10\n${heapSnapshots ? 'heapsnapshot\n' : ''}memory?gc=1\neventloop?seconds=10\n`;

const refuse = (response: ServerResponse, why: string): void =>
  void response.writeHead(403, { 'content-type': 'text/plain' }).end(`${why}\n`);

/**
 * Answers a request for a snapshot. Both ends are checked: a caller that forwards from another interface is no caller of this host, and neither is a
 * browser that sends for a page.
 */
function answerSnapshot({ socket, headers }: IncomingMessage, response: ServerResponse, { heapSnapshots }: ProfilingOptions): void {
  if (!heapSnapshots) return refuse(response, 'heap snapshots contain secrets and are disabled; --enable-heap-snapshots enables them');
  const isLocal = isLoopback(socket.remoteAddress ?? '') && isLoopback(socket.localAddress ?? '');
  if (!isLocal || !isLoopback(hostOf(headers.host ?? '')))
    return refuse(response, 'heap snapshots hold secrets and are served to localhost only: use localhost, 127.0.0.1 or [::1]');
  response.writeHead(200, { 'content-type': 'application/json', 'content-disposition': 'attachment; filename="heap.heapsnapshot"' });
  getHeapSnapshot().pipe(response);
}

async function answer(request: IncomingMessage, response: ServerResponse, options: ProfilingOptions): Promise<void> {
  const url = urlOf(request);
  const json = (name: string, value: unknown): void => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-disposition': `attachment; filename="${name}"` })
      .end(JSON.stringify(value));
  };
  switch (url.pathname) {
    case '/debug/pprof/':
      response.writeHead(200, { 'content-type': 'text/plain' }).end(index(options));
      return;
    case '/debug/pprof/profile':
      return json('cpu.cpuprofile', await cpuProfile(secondsOf(url.searchParams, 30)));
    case '/debug/pprof/heap':
      return json('heap.heapprofile', await heapProfile(secondsOf(url.searchParams, 10)));
    case '/debug/pprof/eventloop':
      return json('eventloop.json', await eventLoop(secondsOf(url.searchParams, 10)));
    case '/debug/pprof/memory':
      if (url.searchParams.get('gc') === '1') collectGarbage();
      return json('memory.json', process.memoryUsage());
    case '/debug/pprof/heapsnapshot':
      return answerSnapshot(request, response, options);
    default:
      response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  }
}

/** Returns the profiling server, not yet listening. A request while another profile is being taken fails with 500. */
export function createProfilingServer(options: ProfilingOptions): Server {
  const respond: Answer = (request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`${error instanceof Error ? error.message : 'profiling failed'}\n`);
    });
  };
  return createBoundedServer(respond, { answerMs: maxSeconds * 1000 + serverLimits.answerTime.value });
}
