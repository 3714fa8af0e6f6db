import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type ClientHttp2Session } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
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
const [known, stranger, nobody] = [shownBy(ours), shownBy(theirs), {} as Shown];

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
  [asked, warnings, finished] = [0, 0, []];
  const logger = { ...silentLogger(), warn: () => warnings++ };
  server = new WebhookServer({
    handlers: [{ path: '/mutate-x', decide: () => (asked++, allowed) }],
    convert: (object, apiVersion) => ({ kind: 'Converted', object: { ...object, apiVersion } }),
    metrics: { started: () => undefined, finished: (path, code) => finished.push([path, code]), panicked: () => undefined },
    logger: { ...logger, child: () => logger },
    keyPair: { key: material.key, cert: material.cert },
    clientAuthorities: ours.certificatePem,
  });
  await new Promise<void>((done) => server.server.listen(0, '127.0.0.1', done));
});
afterEach(() => server.stop(100));

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
    ['nobody signed', nobody],
    ['another authority signed', stranger],
  ])('are refused when %s it, and what they ask is not looked at', async (_name, shown) => {
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
  it('tells everybody that it lives', async () => {
    expect(await http1(nobody, '/healthz')).toMatchObject({ status: 200 });
  });

  it('converts for everybody: an API server shows no certificate then', async () => {
    const review = JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u', desiredAPIVersion: 'g/v2', objects: [{ apiVersion: 'g/v1', kind: 'K', metadata: { name: 'a' } }] },
    });
    expect(await http1(nobody, '/convert', review)).toMatchObject({ status: 200, text: expect.stringContaining('"apiVersion":"g/v2"') });
  });

  it('warns of the first caller that it refuses, not of each', async () => {
    for (let time = 0; time < 3; time++) await http1(nobody);
    expect(warnings).toBe(1);
  });

  it('knows the callers of new authorities only, on connections that were open already, too', async () => {
    const session = open(known);
    expect(await ask(session)).toMatchObject({ status: 200 });
    server.replaceClientAuthorities(theirs.certificatePem);
    expect(await ask(session)).toMatchObject({ status: 401 });
    session.close();
    expect([(await http1(known)).status, (await http1(stranger)).status]).toEqual([401, 200]);
  });

  it('goes on with an open connection whose authority is still among the new ones', async () => {
    const session = open(known);
    expect(await ask(session)).toMatchObject({ status: 200 });
    server.replaceClientAuthorities(`${theirs.certificatePem}\n${ours.certificatePem}`);
    expect(await ask(session)).toMatchObject({ status: 200 });
    session.close();
  });

  it('stays with the authorities that it has when the new ones cannot be used', async () => {
    expect(() => server.replaceClientAuthorities('nonsense')).toThrow('it must hold the PEM of one certificate or more');
    expect([(await http1(known)).status, (await http1(stranger)).status]).toEqual([200, 401]);
  });

  it('asks for the certificate still when its own has been replaced', async () => {
    const next = await generateKeyMaterial('webhooks.svc', instant(Date.now()), material);
    server.replaceKeyPair({ key: next.key, cert: next.cert });
    expect([(await http1(known)).status, (await http1(nobody)).status]).toEqual([200, 401]);
  });
});
