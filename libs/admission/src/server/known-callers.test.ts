import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { connect, type ClientHttp2Session } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { silentLogger } from '@kruise/kube/testing';
import { instant } from '@kruise/objects';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { generateKeyMaterial } from '../certificates/generate.ts';
import type { KeyMaterial } from '../certificates/key-material.ts';
import { allowed } from '../review/decision.ts';
import { WebhookServer } from './webhook-server.ts';

interface Shown {
  readonly cert?: string;
  readonly key?: string;
}

const [ours, theirs] = [createAuthority('api-server-ca'), createAuthority('another-ca')];
const shownBy = (authority: typeof ours): Shown => {
  const { certificatePem: cert, keyPem: key } = issueCertificate(authority, { commonName: 'kube-apiserver' });
  return { cert, key };
};
/** Returns the certificate of an authority that another one has signed, with the chain to it. */
const shownByWayOf = (between: typeof ours, chain: readonly (typeof ours)[]): Shown => {
  const { cert, key } = shownBy(between);
  return { cert: [cert, ...chain.map(({ certificatePem }) => certificatePem)].join(''), ...(key === undefined ? {} : { key }) };
};
const [between, below] = [createAuthority('api-server-ca-1', ours), createAuthority('another-ca-1', theirs)];
const deep = createAuthority('api-server-ca-2', between);
/** Claims to be signed by an authority of the server, which has not signed it. */
const forged = createAuthority('api-server-ca-1', createAuthority('api-server-ca'));
const [known, stranger, anonymous] = [shownBy(ours), shownBy(theirs), {} as Shown];

const body = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    kind: { group: 'g', version: 'v1', kind: 'K' },
    resource: { group: 'g', version: 'v1', resource: 'ks' },
    name: 'a',
    operation: 'CREATE',
    object: { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' } },
  },
});

let material: KeyMaterial;
let server: WebhookServer;
let asked: number;
let finished: [string, number][];
let warnings: number;

beforeEach(async () => {
  material ??= await generateKeyMaterial('webhooks.svc', instant(Date.now()));
  await serve(ours.certificatePem);
});
afterEach(() => server.stop(100));

async function serve(clientAuthorities: string): Promise<void> {
  [asked, warnings, finished] = [0, 0, []];
  const logger = { ...silentLogger(), warn: () => warnings++ };
  server = new WebhookServer({
    handlers: [{ path: '/mutate-x', decide: () => (asked++, allowed) }],
    convert: (object, apiVersion) => ({ kind: 'Converted', object: { ...object, apiVersion } }),
    metrics: { started: () => undefined, finished: (path, code) => finished.push([path, code]), panicked: () => undefined },
    logger: { ...logger, child: () => logger },
    keyPair: { key: material.key, cert: material.cert },
    clientAuthorities,
  });
  await new Promise<void>((done) => server.server.listen(0, '127.0.0.1', done));
}

const at = (): { readonly port: number; readonly ca: string; readonly servername: string } => ({
  port: (server.server.address() as AddressInfo).port,
  ca: material.caCert,
  servername: 'localhost',
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

function http1(shown: Shown, path = '/mutate-x', text = body): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const options = { host: '127.0.0.1', ...at(), ...shown, path, method: 'POST', headers, agent: false };
    const request = httpsRequest(options, (response) => {
      let answer = '';
      response.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: answer }));
    });
    request.on('error', reject).end(text);
  });
}

const open = (shown: Shown): ClientHttp2Session => {
  const { port, ...trusted } = at();
  return connect(`https://127.0.0.1:${port}`, { ...trusted, ...shown });
};

function ask(session: ClientHttp2Session): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'POST', ':path': '/mutate-x', 'content-type': 'application/json' });
    let [text, status] = ['', 0];
    stream.on('response', (headers) => (status = Number(headers[':status'])));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('error', reject).on('end', () => resolve({ status, text }));
    stream.end(body);
  });
}

async function http2(shown: Shown): Promise<Answer> {
  const session = open(shown);
  try {
    return await ask(session);
  } finally {
    session.close();
  }
}

describe.each([
  ['HTTP/1.1', http1],
  ['HTTP/2', http2],
])('callers over %s', (_, send) => {
  it('are answered when an authority of the server signed their certificate', async () => {
    expect(await send(known)).toMatchObject({ status: 200, text: expect.stringContaining('"allowed":true') });
    expect(finished).toEqual([['/mutate-x', 200]]);
  });

  it.each([
    ['one', shownByWayOf(between, [between])],
    ['two', shownByWayOf(deep, [deep, between])],
    ['the wrong order of two', shownByWayOf(deep, [between, deep])],
  ])('are answered when %s between them and an authority of the server has signed it', async (_name, shown) => {
    expect(await send(shown)).toMatchObject({ status: 200 });
  });

  it.each([
    ['signed it', between, shownBy(between)],
    ['signed the authority that signed it', between, shownByWayOf(deep, [deep])],
    ['is that of a caller that shows all up to the one that signs itself', between, shownByWayOf(between, [between, ours])],
  ])('are answered when an authority that is not self-signed, the only one of the server, %s', async (_name, authority, shown) => {
    await server.stop(100);
    await serve(authority.certificatePem);
    expect(await send(shown)).toMatchObject({ status: 200 });
  });

  it.each([
    ['the authority above it signed theirs', shownBy(ours)],
    ['another authority under that signed theirs', shownByWayOf(createAuthority('api-server-ca-3', ours), [])],
    ['one of its name signed theirs', shownByWayOf(forged, [])],
    ['an authority that it has not signed did, and they show a forged way', shownByWayOf(below, [below, between])],
    ['they show none', anonymous],
  ])('are refused by a server with only an authority that is not self-signed when %s', async (_name, shown) => {
    await server.stop(100);
    await serve(between.certificatePem);
    expect((await send(shown).catch(() => ({ status: 0 }))).status).not.toBe(200);
    expect(asked).toBe(0);
  });

  it.each([
    ['whose own authority has no way to one of the server', shownByWayOf(below, [below])],
    ['who do not show what leads to an authority', shownByWayOf(between, [])],
    ['whose authority has the name of one that was signed', shownByWayOf(forged, [forged, between])],
    [
      'whose authority is none',
      { ...shownByWayOf({ ...ours, ...issueCertificate(ours, { commonName: 'leaf' }) }, []), key: known.key ?? '' },
    ],
  ])('are refused %s', async (_name, shown) => {
    expect((await send(shown).catch(() => ({ status: 0 }))).status).not.toBe(200);
    expect(asked).toBe(0);
  });

  it.each([
    ['no authority signed', anonymous],
    ['another authority signed', stranger],
  ])('are refused when %s it, and their request is not read', async (_name, shown) => {
    const { status, text } = await send(shown);
    expect([status, JSON.parse(text)]).toEqual([
      401,
      expect.objectContaining({
        kind: 'Status',
        code: 401,
        message: 'this webhook answers only callers with a client certificate that its configured authority has signed',
      }),
    ]);
    expect(asked).toBe(0);
    expect(finished).toEqual([['/mutate-x', 401]]);
  });
});

describe('a server with authorities of callers', () => {
  it('answers health checks of every caller', async () => {
    expect(await http1(anonymous, '/healthz')).toMatchObject({ status: 200 });
  });

  it('converts for every caller: an API server presents no certificate then', async () => {
    const review = JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u', desiredAPIVersion: 'g/v2', objects: [{ apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' } }] },
    });
    expect(await http1(anonymous, '/convert', review)).toMatchObject({ status: 200, text: expect.stringContaining('"apiVersion":"g/v2"') });
  });

  it('warns of the first caller that it refuses, not of each', async () => {
    for (let time = 0; time < 3; time++) await http1(anonymous);
    expect(warnings).toBe(1);
  });

  it('knows only the callers of new authorities, also on open connections', async () => {
    const session = open(known);
    expect(await ask(session)).toMatchObject({ status: 200 });
    server.replaceClientAuthorities(theirs.certificatePem);
    expect(await ask(session)).toMatchObject({ status: 401 });
    session.close();
    expect([(await http1(known)).status, (await http1(stranger)).status]).toEqual([401, 200]);
  });

  it('keeps an open connection whose authority is still among the new ones', async () => {
    const session = open(known);
    expect(await ask(session)).toMatchObject({ status: 200 });
    server.replaceClientAuthorities(`${theirs.certificatePem}\n${ours.certificatePem}`);
    expect(await ask(session)).toMatchObject({ status: 200 });
    session.close();
  });

  it('keeps callers with intermediate certificates while all earlier authorities still count, and verifies new connections again', async () => {
    const caller = shownByWayOf(deep, [deep, between]);
    const session = open(caller);
    expect(await ask(session)).toMatchObject({ status: 200 });
    server.replaceClientAuthorities(`${theirs.certificatePem}\n${ours.certificatePem}`);
    expect(await ask(session)).toMatchObject({ status: 200 });
    server.replaceClientAuthorities(theirs.certificatePem);
    expect(await ask(session)).toMatchObject({ status: 401 });
    server.replaceClientAuthorities(ours.certificatePem);
    expect((await http2(caller)).status).toBe(200);
    session.close();
  });

  it('closes a connection on which it has refused', async () => {
    const session = open(stranger);
    const closed = new Promise((done) => session.once('close', done));
    expect(await ask(session)).toMatchObject({ status: 401 });
    await closed;
  });

  it('keeps its authorities when the new ones cannot be used', async () => {
    expect(() => server.replaceClientAuthorities('nonsense')).toThrow('it must contain the PEM of one certificate or more');
    expect([(await http1(known)).status, (await http1(stranger)).status]).toEqual([200, 401]);
  });

  it('knows callers by an authority that is not self-signed, after a change to it and after its own certificate has been replaced', async () => {
    server.replaceClientAuthorities(between.certificatePem);
    const shown = shownBy(between);
    expect([(await http1(shown)).status, (await http1(known)).status]).toEqual([200, 401]);
    const next = await generateKeyMaterial('webhooks.svc', instant(Date.now()), material);
    server.replaceKeyPair({ key: next.key, cert: next.cert });
    expect([(await http2(shown)).status, (await http1(anonymous)).status]).toEqual([200, 401]);
    server.replaceClientAuthorities(below.certificatePem);
    expect((await http1(shown)).status).toBe(401);
  });

  it('presents its new certificate to callers with any server name', async () => {
    const next = await generateKeyMaterial('webhooks.svc', instant(Date.now()), material);
    server.replaceKeyPair({ key: next.key, cert: next.cert });
    const { port } = at();
    const shownTo = (servername: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ host: '127.0.0.1', port, servername, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
          socket.destroy();
        });
        socket.on('error', reject);
      });
    const expected = new X509Certificate(next.cert).fingerprint256;
    expect([await shownTo('localhost'), await shownTo('other.example'), await shownTo('')]).toEqual([expected, expected, expected]);
  });

  it('resumes a session, but none from before its authorities changed', async () => {
    const { port, ca, servername } = at();
    const options = { host: '127.0.0.1', port, ca, servername, ALPNProtocols: ['http/1.1'], ...known };
    const begun = (): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        const socket = connectTls(options).on('error', reject).resume();
        socket.once('session', (session: Buffer) => {
          resolve(session);
          socket.destroy();
        });
      });
    const isTakenUp = (session: Buffer): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ ...options, session }, () => {
          resolve(socket.isSessionReused());
          socket.destroy();
        }).on('error', reject);
      });
    const session = await begun();
    expect(await isTakenUp(session)).toBe(true);
    server.replaceClientAuthorities(theirs.certificatePem);
    expect(await isTakenUp(session)).toBe(false);
  });

  it('still requests the certificate when its own has been replaced', async () => {
    const next = await generateKeyMaterial('webhooks.svc', instant(Date.now()), material);
    server.replaceKeyPair({ key: next.key, cert: next.cert });
    expect([(await http1(known)).status, (await http1(anonymous)).status]).toEqual([200, 401]);
  });
});
