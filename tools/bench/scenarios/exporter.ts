/**
 * kruise-state-metrics with many CloneSets: its memory, and the time of a scrape. The API server is played by this process, which hands out the same
 * generated pages to each list.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, shippedEnvironment, shippedFlags } from '@kruise/testing';
import { apps } from '../../build/apps.ts';
import { bundle } from '../../build/bundle.ts';
import { cpuSecondsOf, peakRssMiB, rssMiB } from '../process-usage.ts';
import type { Measure } from '../scenario.ts';
import { median } from '../statistics.ts';

const objects = 50_000;
const scrapes = 5;
const root = dirname(dirname(dirname(import.meta.dirname)));
const pageSize = 500;

/** As large as a usual one, managedFields included. */
const cloneSet = (at: number): object => ({
  metadata: {
    name: `application-${at}`,
    namespace: `team-${at % 200}`,
    uid: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    resourceVersion: String(at + 1),
    generation: 7,
    creationTimestamp: '2024-08-21T11:20:24Z',
    labels: { app: `application-${at}`, 'app.kubernetes.io/managed-by': 'helm' },
    managedFields: [
      { manager: 'kruise-manager', operation: 'Update', fieldsV1: { 'f:status': { 'f:replicas': {}, 'f:readyReplicas': {} } } },
    ],
  },
  spec: {
    replicas: 12,
    selector: { matchLabels: { app: `application-${at}` } },
    template: {
      metadata: { labels: { app: `application-${at}` } },
      spec: {
        containers: [
          {
            name: 'main',
            image: `registry/app:${at % 50}`,
            env: Array.from({ length: 20 }, (_, of) => ({ name: `NAME_${of}`, value: `value ${of} of the application` })),
          },
        ],
      },
    },
    updateStrategy: { type: 'InPlaceIfPossible', maxUnavailable: '20%', maxSurge: 0, partition: 0 },
  },
  status: {
    replicas: 12,
    readyReplicas: 12,
    availableReplicas: 12,
    updatedReplicas: 12,
    updatedReadyReplicas: 12,
    observedGeneration: 7,
    conditions: [{ type: 'Progressing', status: 'True', reason: 'CloneSetAvailable' }],
  },
});

function listPage(from: number): string {
  const until = Math.min(from + pageSize, objects);
  const rest = until < objects ? { continue: String(until), remainingItemCount: objects - until } : {};
  const items = Array.from({ length: until - from }, (_, at) => cloneSet(from + at));
  return JSON.stringify({
    kind: 'CloneSetList',
    apiVersion: 'apps.kruise.io/v1alpha1',
    metadata: { resourceVersion: String(objects + 1), ...rest },
    items,
  });
}

/** Answers as an API server that serves CloneSets alone, of which none changes. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://server/');
  const json = (text: string): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  if (url.pathname === '/version') return json(JSON.stringify({ major: '1', minor: '34', gitVersion: 'v1.34.0' }));
  if (url.pathname === '/apis/apps.kruise.io/v1alpha1')
    return json(JSON.stringify({ resources: [{ name: 'clonesets', kind: 'CloneSet', namespaced: true, verbs: ['list', 'watch'] }] }));
  if (url.searchParams.get('watch') !== null) return void response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  json(listPage(Number(url.searchParams.get('continue') ?? 0)));
}

async function serve(): Promise<Server> {
  const server = createServer((request, response) => answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

interface Scrape {
  readonly seconds: number;
  /** As sent, compressed or not. */
  readonly bytes: number;
}

/** Reads the output and keeps nothing of it, as what a client does with it is not measured. */
async function scrape(port: number, encoding: 'identity' | 'gzip'): Promise<Scrape> {
  const from = performance.now();
  const asked = get({ port, host: '127.0.0.1', path: '/metrics', headers: { 'accept-encoding': encoding }, agent: false });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  return { seconds: (performance.now() - from) / 1000, bytes };
}

/** Until the list is complete, which shows all objects at once. */
async function untilListed(port: number): Promise<void> {
  for (;;) {
    const found = await scrape(port, 'identity').catch(() => undefined);
    if (found !== undefined && found.bytes > objects * 100) return;
    await sleep(200);
  }
}

/** Takes about half a minute. */
export const measure: Measure = async ({ progress }) => {
  const app = apps.find(({ name }) => name === 'state-metrics');
  if (app === undefined) throw new Error('no app is called state-metrics');
  const { folder } = await bundle(app, root);
  const server = await serve();
  const [port = 0, telemetry = 0] = await findFreePorts(2);
  const flags = [
    `--apiserver=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    '--host=127.0.0.1',
    '--resources=clonesets',
    '--enable-gzip-encoding',
  ];
  const argv = [...flags, `--port=${port}`, '--telemetry-host=127.0.0.1', `--telemetry-port=${telemetry}`];
  const child = spawn(process.execPath, [...shippedFlags('kruise-state-metrics', argv), join(folder, 'main.mjs'), ...argv], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...shippedEnvironment() },
  });
  try {
    const pid = child.pid ?? 0;
    progress(`listing ${objects} CloneSets`);
    await untilListed(port);
    const listed = rssMiB(pid);
    progress('scraping');
    const [plain, compressed, cpu]: [Scrape[], Scrape[], number[]] = [[], [], []];
    for (let at = 0; at < scrapes; at++) {
      const from = cpuSecondsOf(pid);
      plain.push(await scrape(port, 'identity'));
      cpu.push(cpuSecondsOf(pid) - from);
      compressed.push(await scrape(port, 'gzip'));
    }
    const many = objects.toLocaleString('en-US');
    const secondsOf = (of: readonly Scrape[]): number => median(of.map(({ seconds }) => seconds));
    return {
      rows: [
        { what: `RSS of the exporter with ${many} CloneSets listed (MiB)`, ours: listed },
        { what: `highest RSS, scrapes included (MiB)`, ours: peakRssMiB(pid), limit: 300 },
        { what: `a scrape of ${many} CloneSets (s)`, ours: secondsOf(plain), limit: 1.5 },
        { what: `CPU of it (s)`, ours: median(cpu) },
        { what: `size of it (MB)`, ours: (plain[0]?.bytes ?? 0) / 1e6 },
        { what: `a scrape of them compressed (s)`, ours: secondsOf(compressed) },
      ],
    };
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
};
