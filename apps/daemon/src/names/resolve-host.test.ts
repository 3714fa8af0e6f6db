import { createSocket, type Socket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { eventually } from '@kruise/testing';
import { getHttp } from '../containers/http-get-hook.ts';
import { resolveHost, type NameSources } from './resolve-host.ts';

const never = new AbortController().signal;
let folder: string;
let nameServer: Socket;
let sources: NameSources;
/** Names that were looked up, in lower case, with the type. */
let asked: string[];
/** IPv4 addresses by name; other names do not exist. Undefined: the server does not answer. */
let known: Readonly<Record<string, readonly number[]>> | undefined;
/** Queries for IPv6 addresses get no answer. */
let dropsIPv6: boolean;

function nameIn(message: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; message[at] !== 0 && message[at] !== undefined; at += (message[at] ?? 0) + 1)
    labels.push(message.subarray(at + 1, at + 1 + (message[at] ?? 0)).toString());
  return labels.join('.').toLowerCase();
}

/** Returns the head and the question of the query, without what follows the question, and an answer if there is one. */
function answerTo(query: Buffer, isIPv4: boolean, addresses: Readonly<Record<string, readonly number[]>>): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const answer = Buffer.from(query.subarray(0, end));
  const address = isIPv4 ? addresses[nameIn(query)] : undefined;
  answer.writeUInt16BE(nameIn(query) in addresses ? 0x8180 : 0x8183, 2);
  answer.writeUInt16BE(address === undefined ? 0 : 1, 6);
  answer.writeUInt32BE(0, 8);
  return address === undefined ? answer : Buffer.concat([answer, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address])]);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'names-'));
  [asked, known, dropsIPv6] = [[], undefined, false];
  nameServer = createSocket('udp4', (query, { port, address }) => {
    const isIPv4 = query[query.indexOf(0, 12) + 2] === 1;
    asked.push(`${nameIn(query)} ${isIPv4 ? 'A' : 'AAAA'}`);
    if (known !== undefined && (isIPv4 || !dropsIPv6)) nameServer.send(answerTo(query, isIPv4, known), port, address);
  });
  await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve));
  writeFileSync(join(folder, 'hosts'), '10.1.1.1 listed.test\n');
  writeFileSync(join(folder, 'resolv.conf'), 'search svc.test test\noptions ndots:2\n');
  sources = {
    hostsFile: join(folder, 'hosts'),
    resolvConf: join(folder, 'resolv.conf'),
    servers: [`127.0.0.1:${nameServer.address().port}`],
  };
});
afterEach(() => {
  nameServer.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('looking up a host', () => {
  it('calls no name server for addresses, listed names and localhost', async () => {
    expect(await resolveHost('fd00::1', never, sources)).toEqual(['fd00::1']);
    expect(await resolveHost('listed.test', never, sources)).toEqual(['10.1.1.1']);
    expect(await resolveHost('localhost', never, sources)).toEqual(['127.0.0.1', '::1']);
    expect(asked).toEqual([]);
  });

  it('looks the name up in the search domains, until one has an address', async () => {
    known = { 'web.test': [10, 0, 0, 7] };
    expect(await resolveHost('web', never, sources)).toEqual(['10.0.0.7']);
    expect(asked.toSorted()).toEqual(['web.svc.test A', 'web.svc.test AAAA', 'web.test A', 'web.test AAAA']);
  });

  it('fails when no name has an address', async () => {
    known = { 'web.test': undefined as never };
    await expect(resolveHost('web', never, sources)).rejects.toMatchObject({ name: 'HostUnknown', code: 'ENOTFOUND' });
  });

  it('waits at most 1 s for the addresses of the second family', async () => {
    [known, dropsIPv6] = [{ 'web.svc.test': [10, 0, 0, 7] }, true];
    const clock = new FakeClock();
    const looking = resolveHost('web', never, { ...sources, clock });
    await eventually(() => clock.pending === 1);
    await clock.step(999);
    expect(clock.pending).toBe(1);
    await clock.step(1);
    expect(await looking).toEqual(['10.0.0.7']);
  });

  it('leaves no timer behind when both families answer', async () => {
    known = { 'web.svc.test': [10, 0, 0, 7] };
    const clock = new FakeClock();
    expect(await resolveHost('web', never, { ...sources, clock })).toEqual(['10.0.0.7']);
    expect(clock.pending).toBe(0);
  });

  it('ends with its signal while the name server does not answer', async () => {
    const abort = new AbortController();
    const looking = resolveHost('web', abort.signal, sources);
    await eventually(() => asked.length > 0);
    abort.abort(new Error('the grace is over'));
    await expect(looking).rejects.toThrow('the grace is over');
    await expect(resolveHost('web', abort.signal, sources)).rejects.toThrow('the grace is over');
  });
});

describe('the request of a hook with a host name', () => {
  let server: Server;
  let hosts: (string | undefined)[];
  beforeEach(async () => {
    hosts = [];
    server = createServer(({ headers }, response) => {
      hosts.push(headers.host);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => void server.close());
  const hook = () => ({ scheme: 'http', host: 'web', port: (server.address() as AddressInfo).port, path: '/', headers: [] }) as const;

  it('finds the host by the name servers of the resolver, without the thread pool', async () => {
    known = { 'web.svc.test': [127, 0, 0, 1] };
    await getHttp(hook(), '', never, sources);
    expect(hosts).toEqual([`web:${hook().port}`]);
  });

  it('is aborted with its signal while the name server does not answer', async () => {
    const abort = new AbortController();
    const request = getHttp(hook(), '', abort.signal, sources);
    await eventually(() => asked.length > 0);
    abort.abort();
    await expect(request).rejects.toThrow();
    expect(hosts).toEqual([]);
  });
});
