/**
 * kruise-state-metrics with many CloneSets: its memory, and the time of a scrape. The API server is played by this process, which hands out the same
 * generated pages to each list.
 */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually, peakRssMiB, rssMiB, usageDuring } from '@kruise/testing';
import { ExporterProcess } from '../../../apps/state-metrics/src/exporter-process.testing.ts';
import { manifest } from '../objects/manifest.ts';
import { buildProgram } from '../program.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';
import { rowsAbout } from '../table.ts';

const objects = 50_000;
const scrapes = 5;
const pageSize = 500;

const cloneSet = manifest<object>('listed-clone-set.yaml');

function listPage(from: number): string {
  const end = Math.min(from + pageSize, objects);
  const rest = end < objects ? { continue: String(end), remainingItemCount: objects - end } : {};
  const items = Array.from({ length: end - from }, (_, number) => {
    const at = from + number;
    return cloneSet({ at, team: at % 200, image: at % 50, version: at + 1, serial: String(at).padStart(12, '0') });
  });
  const metadata = { resourceVersion: String(objects + 1), ...rest };
  return JSON.stringify({ kind: 'CloneSetList', apiVersion: 'apps.kruise.io/v1alpha1', metadata, items });
}

/** Answers as an API server that serves CloneSets alone, of which none changes. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://server/');
  response.writeHead(200, { 'content-type': 'application/json' });
  if (url.searchParams.get('watch') !== null) return response.flushHeaders();
  const resources = [{ name: 'clonesets', kind: 'CloneSet', namespaced: true, verbs: ['list', 'watch'] }];
  if (url.pathname === '/version') response.end(JSON.stringify({ major: '1', minor: '34', gitVersion: 'v1.34.0' }));
  else if (url.pathname === '/apis/apps.kruise.io/v1alpha1') response.end(JSON.stringify({ resources }));
  else response.end(listPage(Number(url.searchParams.get('continue') ?? 0)));
}

interface Scrape {
  readonly seconds: number;
  /** As sent, compressed or not. */
  readonly bytes: number;
  /** Of the exporter. */
  readonly cpuSeconds: number;
}

/** Reads the output and keeps nothing of it, as what a client does with it is not measured. */
async function scrape({ pid, ports: [port] }: ExporterProcess, encoding: 'identity' | 'gzip'): Promise<Scrape> {
  let bytes = 0;
  const usage = await usageDuring(pid, async () => {
    const asked = get({ port, host: '127.0.0.1', path: '/metrics', headers: { 'accept-encoding': encoding }, agent: false });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    for await (const chunk of response) bytes += (chunk as Buffer).length;
  });
  return { ...usage, bytes };
}

/** Takes about half a minute. */
export const measure: Measure = async ({ progress, folder }) => {
  await using server = createServer((request, response) => answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const apiServer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using exporter = await ExporterProcess.launch([`--apiserver=${apiServer}`, '--resources=clonesets', '--enable-gzip-encoding'], {
    file: await buildProgram('state-metrics'),
    logFile: join(folder, 'state-metrics.log'),
  });
  const { pid } = exporter;
  progress(`listing ${objects} CloneSets`);
  await exporter.waitUntilReady();
  // The complete list shows all objects at once.
  await eventually(async () => (await scrape(exporter, 'identity')).bytes > objects * 100);
  const listed = rssMiB(pid);
  progress('scraping');
  const [plain, compressed]: [Scrape[], Scrape[]] = [[], []];
  for (let at = 0; at < scrapes; at++) {
    plain.push(await scrape(exporter, 'identity'));
    compressed.push(await scrape(exporter, 'gzip'));
  }
  const of = (list: readonly Scrape[], member: keyof Scrape): number => median(list.map((one) => one[member]));
  return rowsAbout(`exporter with ${objects.toLocaleString('en-US')} CloneSets:`, {
    'RSS when they are listed (MiB)': listed,
    'highest RSS, scrapes included (MiB)': { ours: peakRssMiB(pid), limit: 300 },
    'a scrape (s)': { ours: of(plain, 'seconds'), limit: 1.5 },
    'CPU of a scrape (s)': of(plain, 'cpuSeconds'),
    'size of a scrape (MB)': of(plain, 'bytes') / 1e6,
    'a compressed scrape (s)': of(compressed, 'seconds'),
  });
};
