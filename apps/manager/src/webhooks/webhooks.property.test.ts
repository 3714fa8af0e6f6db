/**
 * Every webhook, on any body: it is answered, soon, and nothing is left behind. FC_RUNS bodies (5,000) in all; the seed is in the message of a
 * failure, and KRUISE_FUZZ_SEED repeats it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fileSource, WebhookServer } from '@kruise/admission';
import { defaultGates } from '@kruise/api';
import { Informers, SystemClock } from '@kruise/kube';
import { FakeApi, silentLogger } from '@kruise/kube/testing';
import { milliseconds } from '@kruise/objects';
import { collectGarbage } from '@kruise/process';
import { bodyFor, randomFrom } from './bodies.testing.ts';
import { convert, createHandlers } from './handlers.ts';

const runs = Number(process.env['FC_RUNS'] ?? 5000);
const firstSeed = Number(process.env['KRUISE_FUZZ_SEED'] ?? 1);
/** Of CPU, so that other work on the machine does not count; the sender and both ends of TLS are in this process, too. */
const limitMs = 100;
const transportMsPerMiB = 20;
const allowedGrowthMiB = 40;

const clock = new SystemClock();
const stop = new AbortController();
let dir: string;
let server: WebhookServer;
let session: ClientHttp2Session;
let paths: readonly string[];
let panics = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kruise-fuzz-'));
  const { key, cert } = await fileSource(dir, { host: 'localhost', renewBefore: milliseconds(1000), clock, logger: silentLogger() }).ensure(
    stop.signal,
  );
  const client = new FakeApi();
  const informers = new Informers({ client, clock, logger: silentLogger() });
  const handlers = createHandlers(
    { client, informers, gates: defaultGates, podNamespace: 'kruise-system', allowPrivileged: true },
    () => true,
  );
  void informers.run(stop.signal);
  paths = [...handlers.map(({ path }) => path), '/convert'];
  const metrics = { started: () => undefined, finished: () => undefined, panicked: () => void panics++ };
  server = new WebhookServer({ handlers, convert, metrics, logger: silentLogger(), keyPair: { key, cert } });
  await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { readonly port: number };
  session = connect(`https://localhost:${port}`, { rejectUnauthorized: false });
});
afterAll(async () => {
  session.close();
  await server.stop(1000);
  stop.abort();
  rmSync(dir, { recursive: true, force: true });
});

function post(path: string, body: Buffer): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/json',
    });
    let status = 0;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.on('data', (chunk: string) => (text += chunk));
    stream.on('error', reject);
    stream.on('end', () => resolve({ status, text }));
    stream.end(body);
  });
}

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function check(path: string, seed: number): Promise<void> {
  const body = bodyFor(path, randomFrom(seed));
  const where = `${path}, KRUISE_FUZZ_SEED=${seed}`;
  const before = panics;
  const once = async (): Promise<void> => {
    const { status, text } = await post(path, body);
    const isAnswer = status === 200 ? /"kind":"(AdmissionReview|ConversionReview)"/.test(text) : path === '/convert' && status === 400;
    if (!isAnswer) throw new Error(`${where}: answered ${status} ${text.slice(0, 200)}`);
    if (panics > before) throw new Error(`${where}: ${/panic: [^"]*/.exec(text)?.[0] ?? 'panicked'}`);
  };
  const mostMs = limitMs + (transportMsPerMiB * body.length) / 2 ** 20;
  const tries: number[] = [];
  // A collection of garbage, or code that runs for the first time, may fall into one try.
  while (tries.length < 3 && Math.min(...tries) > mostMs) tries.push(await cpuMsOf(once));
  if (Math.min(...tries) > mostMs) throw new Error(`${where}: took ${tries.map(Math.round).join(', ')} ms of CPU for ${body.length} bytes`);
}

async function heapMiB(): Promise<number> {
  collectGarbage();
  await new Promise((resolve) => setTimeout(resolve, 50));
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

describe('every webhook', () => {
  it(
    'answers any body soon, and keeps nothing of it',
    async () => {
      const perPath = Math.ceil(runs / paths.length);
      const send = async (from: number, to: number): Promise<void> => {
        for (let index = from; index < to; index++) for (const path of paths) await check(path, firstSeed + index);
      };
      await send(0, perPath / 2);
      const before = await heapMiB();
      await send(Math.ceil(perPath / 2), perPath);
      expect((await heapMiB()) - before).toBeLessThan(allowedGrowthMiB);
      expect(({} as Readonly<Record<string, unknown>>)['polluted']).toBeUndefined();
    },
    60_000 + runs * 50,
  );
});
