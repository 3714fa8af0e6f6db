import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import { connect as connectPlainly, type AddressInfo } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { FakeClock } from '@kruise/kube/testing';
import { admissionLimits, instant } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { generateKeyMaterial } from '../certificates/generate.ts';
import type { KeyMaterial } from '../certificates/key-material.ts';
import { allowed, type AdmissionHandler } from '../review/decision.ts';
import { WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined, child: () => silent };
function spin(ms: number): void {
  for (const began = performance.now(); performance.now() - began < ms;);
}
const handlers: AdmissionHandler[] = [
  { path: '/allow', aliases: ['/old-allow'], decide: () => ({ ...allowed, warnings: ['mind this'] }) },
  {
    path: '/change',
    decide: ({ object }) => ({ kind: 'Changed', object: { ...object, metadata: { name: 'a', labels: { added: 'yes' } } } }),
  },
  { path: '/same', decide: ({ object }) => ({ kind: 'Changed', object: structuredClone(object) as { metadata: { name: string } } }) },
  { path: '/deny', decide: () => ({ kind: 'Denied', message: 'no' }) },
  { path: '/invalid', decide: () => ({ kind: 'Failed', code: 422, message: 'spec.x: Invalid value' }) },
  { path: '/wait', decide: () => turn.promise.then(() => ({ kind: 'Denied', message: 'x'.repeat(200_000) })) },
  {
    path: '/forever',
    decide: (_request, signal) =>
      new Promise((_, reject) => {
        turn.resolve();
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      }),
  },
  {
    path: '/busy',
    decide: () => {
      decided++;
      spin(5);
      return allowed;
    },
  },
  {
    path: '/deaf',
    decide: () => new Promise(() => turn.resolve()),
  },
  {
    path: '/throw',
    decide: () => {
      throw new Error('boom');
    },
  },
];

let material: KeyMaterial;
let webhook: WebhookServer;
let port: number;
/** Number of calls of `/busy`. */
let decided: number;
/** Number of converted objects. */
let converted: number;
/** Lets `/wait` continue, and resolves when `/forever` has begun. */
let turn: PromiseWithResolvers<void>;
let counts: { started: string[]; finished: [string, number][]; panics: number };

/** Serves, in place of the previous server. */
async function serve(
  given: Pick<WebhookServerOptions, 'requestTimeoutMs' | 'bodyPaceMs' | 'reviewShare' | 'connections' | 'clock'>,
): Promise<void> {
  await webhook?.stop(0);
  webhook = new WebhookServer({
    handlers,
    convert: (object, version) => {
      converted++;
      if ('slow' in object) spin(1);
      return version === 'g/v9'
        ? { kind: 'Failed', message: 'unknown version g/v9' }
        : { kind: 'Converted', object: { ...object, apiVersion: version } };
    },
    metrics: {
      started: (path) => counts.started.push(path),
      finished: (path, code) => counts.finished.push([path, code]),
      panicked: () => counts.panics++,
    },
    logger: silent,
    keyPair: { key: material.key, cert: material.cert },
    bodyLimit: 10_000,
    conversionLimit: 1_000_000,
    ...given,
  });
  await new Promise<void>((done) => webhook.server.listen(0, '127.0.0.1', done));
  port = (webhook.server.address() as AddressInfo).port;
}

beforeEach(async () => {
  material ??= await generateKeyMaterial('webhooks.svc', instant(Date.now()));
  counts = { started: [], finished: [], panics: 0 };
  turn = Promise.withResolvers();
  [decided, converted] = [0, 0];
  await serve({ requestTimeoutMs: 60_000 });
});
afterEach(() => webhook.stop(100));

function http1(
  path: string,
  body: string | Buffer,
  { contentType = 'application/json', agent }: { readonly contentType?: string; readonly agent?: Agent } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        ca: material.caCert,
        servername: 'localhost',
        headers: { 'content-type': contentType },
        ...(agent === undefined ? {} : { agent }),
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }));
      },
    );
    request.on('error', reject).end(body);
  });
}

function http2(path: string, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca: material.caCert, servername: 'localhost' });
    session.on('error', reject);
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
    let [text, status, retryAfter]: [string, number, string | undefined] = ['', 0, undefined];
    stream.on('response', (headers) => ([status, retryAfter] = [Number(headers[':status']), headers['retry-after']]));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('end', () => {
      session.close();
      resolve({ status, text, retryAfter });
    });
    stream.end(body);
  });
}

const review = (apiVersion = 'admission.k8s.io/v1'): string =>
  JSON.stringify({
    apiVersion,
    kind: 'AdmissionReview',
    request: {
      uid: 'u1',
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      userInfo: {},
      object: { metadata: { name: 'a' } },
    },
  });
const parse = ({ text }: Pick<Answer, 'text'>): { apiVersion: string; response: Record<string, unknown> } =>
  JSON.parse(text) as { apiVersion: string; response: Record<string, unknown> };

describe('webhook server', () => {
  it.each([['http1'], ['http2']])('supports %s', async (protocol) => {
    const answer = await (protocol === 'http1' ? http1 : http2)('/allow', review());
    expect(parse(answer)).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      response: { uid: 'u1', allowed: true, status: { code: 200 }, warnings: ['mind this'] },
    });
  });

  it('answers in the version of the request', async () => {
    expect(parse(await http1('/allow', review('admission.k8s.io/v1beta1'))).apiVersion).toBe('admission.k8s.io/v1beta1');
  });

  it('serves the paths of older installations', async () => {
    expect(parse(await http1('/old-allow', review())).response['allowed']).toBe(true);
  });

  it('sends the change as a JSON patch, and none where nothing changed', async () => {
    const { response } = parse(await http1('/change', review()));
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(Buffer.from(response['patch'] as string, 'base64').toString())).toEqual([
      { op: 'add', path: '/metadata/labels', value: { added: 'yes' } },
    ]);
    expect(parse(await http1('/same', review())).response).toEqual({ uid: 'u1', allowed: true, status: { code: 200 } });
  });

  it.each([
    ['/deny', { code: 403, reason: 'Forbidden', message: 'no' }],
    ['/invalid', { code: 422, message: 'spec.x: Invalid value' }],
    ['/throw', { code: 500, message: 'panic: boom [recovered]' }],
  ])('%s refuses with %j', async (path, status) => {
    expect(parse(await http1(path, review())).response).toEqual({ uid: 'u1', allowed: false, status });
  });

  it('counts a handler that throws, and continues', async () => {
    await http1('/throw', review());
    await http1('/allow', review());
    expect(counts).toEqual({
      started: ['/throw', '/allow'],
      finished: [
        ['/throw', 500],
        ['/allow', 200],
      ],
      panics: 1,
    });
  });

  it.each<[string, string | Buffer, string, number, RegExp]>([
    ['an empty body', '', 'application/json', 400, /empty/],
    ['another content type', review(), 'text/plain', 400, /contentType=text\/plain/],
    ['broken JSON', '{"a":', 'application/json', 400, /couldn't decode/],
    ['another object', '{"kind":"Pod","apiVersion":"v1"}', 'application/json', 400, /AdmissionReview/],
    ['a review without request', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', 'application/json', 400, /no request/],
    ['deep nesting', '['.repeat(5000) + ']'.repeat(4999), 'application/json', 400, /nested deeper/],
    ['a body above the limit', Buffer.alloc(20_000, 0x20), 'application/json', 413, /too large/],
    ['a body far above the limit', Buffer.alloc(20_000_000, 0x20), 'application/json', 413, /too large/],
  ])('refuses %s', async (_, body, contentType, code, message) => {
    const { status, text } = await http1('/allow', body, { contentType });
    expect({ status, response: parse({ text }).response }).toEqual({
      status: 200,
      response: { uid: '', allowed: false, status: { code, message: expect.stringMatching(message) } },
    });
  });

  it('converts all or nothing', async () => {
    const ask = (desiredAPIVersion: string): Promise<Answer> =>
      http1(
        '/convert',
        `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"${desiredAPIVersion}","objects":[{"metadata":{"name":"a"},"big":9007199254740993}]}}`,
      );
    expect((await ask('g/v1')).text).toContain('"big":9007199254740993');
    expect(parse(await ask('g/v1'))).toMatchObject({
      kind: 'ConversionReview',
      response: { uid: 'u', result: { status: 'Success' }, convertedObjects: [{ apiVersion: 'g/v1' }] },
    });
    expect(parse(await ask('g/v9')).response).toEqual({ uid: 'u', result: { status: 'Failure', message: 'a: unknown version g/v9' } });
    expect((await http1('/convert', '{}')).status).toBe(400);
  });

  it('closes the oldest connection without a request in progress when an address has too many', async () => {
    await serve({ connections: { all: 10, perAddress: 2, closes: 'Idle' } });
    const waiting = http1('/wait', review());
    await eventually(() => counts.started.length > 0);
    const idle = connectPlainly(port, '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((done) => idle.once('close', done));
    await new Promise((done) => idle.once('connect', done));
    expect((await http1('/allow', review())).status).toBe(200);
    await closed;
    turn.resolve();
    expect((await waiting).status).toBe(200);
  });

  it('answers health checks, and 404 elsewhere', async () => {
    expect(await http1('/healthz', '')).toMatchObject({ status: 200, text: '' });
    expect((await http1('/nope', review())).status).toBe(404);
  });

  it('presents a new certificate without a restart', async () => {
    material = await generateKeyMaterial('webhooks.svc', instant(Date.now()));
    await expect(http1('/allow', review())).rejects.toThrow();
    webhook.replaceKeyPair({ key: material.key, cert: material.cert });
    expect((await http1('/allow', review())).status).toBe(200);
  });

  it('keeps presenting its certificate when it receives one with the key of another', async () => {
    const other = await generateKeyMaterial('webhooks.svc', instant(Date.now()));
    webhook.replaceKeyPair({ key: other.key, cert: material.cert });
    expect((await http1('/allow', review())).status).toBe(200);
  });

  it('leaves an idle connection open, as long as it may be used again', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const promised: unknown[] = [];
    const call = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/allow', method: 'POST', ca: material.caCert, servername: 'localhost', agent };
        const request = httpsRequest({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
          promised.push(response.headers['keep-alive']);
          response.resume();
          response.on('end', () => resolve(response.statusCode));
        });
        request.on('socket', (socket) => sockets.add(socket));
        request.on('error', reject).end(review());
      });
    expect(await call()).toBe(200);
    await new Promise((done) => setTimeout(done, 400));
    expect(await call()).toBe(200);
    expect(sockets.size).toBe(1);
    // The API server keeps an idle connection for 90 s, used before or not.
    expect(webhook.server).toHaveProperty('headersTimeout', 120_000);
    expect(promised).toEqual(['timeout=120', 'timeout=120']);
    agent.destroy();
  });

  it.each([
    ['does not come to its end', { requestTimeoutMs: 100 }],
    ['comes no further', { requestTimeoutMs: 60_000, bodyPaceMs: 20 }],
  ])('gives up a request that %s', async (_name, limits) => {
    await serve(limits);
    const ended = new Promise<string>((resolve) => {
      const options = { host: '127.0.0.1', port, path: '/allow', method: 'POST', ca: material.caCert, servername: 'localhost' };
      const request = httpsRequest({ ...options, headers: { 'content-type': 'application/json', 'content-length': 1000 } });
      request.on('error', (error) => resolve(error.message));
      request.write('{');
    });
    expect(await ended).toMatch(/socket hang up|ECONNRESET/);
    await eventually(() => counts.finished.length > 0);
    expect(counts.finished).toEqual([['/allow', 500]]);
  });

  it('keeps answering while it drains, and ends each connection with its answer', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const call = (): Promise<{ readonly connection: string | undefined; readonly text: string }> =>
      new Promise((resolve, reject) => {
        const headers = { 'content-type': 'application/json' };
        const options = {
          host: '127.0.0.1',
          port,
          path: '/deny',
          method: 'POST',
          ca: material.caCert,
          servername: 'localhost',
          agent,
          headers,
        };
        const request = httpsRequest(options, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve({ connection: response.headers.connection, text }));
        });
        request.on('error', reject).end('');
      });
    expect((await call()).connection).toBe('keep-alive');
    webhook.drain();
    for (let time = 0; time < 2; time++) {
      const { connection, text } = await call();
      expect(connection).toBe('close');
      expect(text).toContain('request body is empty');
    }
    agent.destroy();
  });

  it.each([['http1'], ['http2']])('answers received requests before it stops, over %s, and accepts no new ones', async (protocol) => {
    const answer = (protocol === 'http1' ? http1 : http2)('/wait', review());
    await eventually(() => counts.started.length > 0);
    expect(webhook.isIdle).toBe(false);
    const stopped = webhook.stop(5000);
    await expect(http1('/allow', review())).rejects.toThrow();
    turn.resolve();
    expect(parse(await answer).response).toMatchObject({ allowed: false, status: { code: 403 } });
    await stopped;
    expect(webhook.isIdle).toBe(true);
  });

  it.each([['http1'], ['http2']])('redirects what is not done in its grace time to another replica, over %s', async (protocol) => {
    const answer = (protocol === 'http1' ? http1 : http2)('/forever', review());
    await turn.promise;
    const [{ status, retryAfter, text }] = await Promise.all([answer, webhook.stop(50)]);
    expect([status, retryAfter]).toEqual([503, '1']);
    expect(JSON.parse(text)).toMatchObject({ status: 'Failure', message: 'the webhook came to no decision: the webhook server stops' });
  });

  it('redirects requests on a connection that was being opened when it stopped', async () => {
    const socket = connectPlainly(port, '127.0.0.1');
    await new Promise((resolve) => webhook.server.once('connection', resolve));
    await webhook.stop(1000);
    const agent = new Agent();
    agent.createConnection = () => connectSecurely({ socket, ca: material.caCert, servername: 'localhost' });
    expect(await http1('/allow', review(), { agent })).toMatchObject({ status: 503, retryAfter: '1' });
  });

  it.each([
    { name: 'until none has arrived for 500 ms', graceMs: 20_000, arriveAfter: [0, 400, 400, 499], endsAfter: 500 },
    { name: 'for half of its grace time', graceMs: 2000, arriveAfter: [0, 300, 300, 300, 99], endsAfter: 1 },
  ])('serves new connections while it drains and requests still arrive, $name', async ({ graceMs, arriveAfter, endsAfter }) => {
    const clock = new FakeClock();
    await serve({ clock });
    webhook.drain();
    let stopped: Promise<void> | undefined;
    for (const after of arriveAfter) {
      await clock.step(after);
      expect((await http1('/allow', review())).status).toBe(200);
      stopped ??= webhook.stop(graceMs);
    }
    await clock.step(endsAfter);
    await stopped;
    await expect(http1('/allow', review())).rejects.toThrow();
    // The server that the next test replaces is quiet.
    await clock.step(500);
  });

  it('stops immediately when it drains and no request arrives', async () => {
    webhook.drain();
    const began = performance.now();
    await webhook.stop(20_000);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('ends HTTP/2 sessions while it drains, after their answers', async () => {
    webhook.drain();
    const session = connect(`https://127.0.0.1:${port}`, { ca: material.caCert, servername: 'localhost' });
    const closed = new Promise<void>((resolve) => session.once('close', () => resolve()));
    const stream = session.request({ ':method': 'POST', ':path': '/deny', 'content-type': 'application/json' });
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    stream.end('');
    await closed;
    expect(text).toContain('request body is empty');
  });

  describe('a caller', () => {
    let session: ClientHttp2Session;
    const open = (): void => {
      session = connect(`https://127.0.0.1:${port}`, { ca: material.caCert, servername: 'localhost' });
      session.on('error', () => undefined);
    };
    beforeEach(open);
    afterEach(() => session.destroy());

    const send = (path: string, body: string | Buffer): ClientHttp2Stream => {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' });
      stream.on('error', () => undefined).end(body);
      return stream;
    };
    const answerOf = async (stream: ClientHttp2Stream): Promise<Answer> => {
      const head = new Promise<IncomingHttpHeaders>((resolve) => stream.once('response', resolve));
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      await new Promise((resolve) => stream.once('close', resolve));
      const { ':status': status, 'retry-after': retryAfter } = (await head) as IncomingHttpHeaders & { ':status': number };
      return { status, text, retryAfter };
    };
    const conversion = (objects: number, padding: number, slow?: true): string => {
      const object = JSON.stringify({ metadata: { name: 'a' }, padding: 'x'.repeat(padding), slow });
      return `{"request":{"uid":"u","desiredAPIVersion":"g/v1","objects":[${Array.from({ length: objects }, () => object).join()}]}}`;
    };

    it.each([['/forever'], ['/deaf']])('that waits 200 ms for %s has an answer by then, with the reason', async (path) => {
      const answer = await answerOf(send(`${path}?timeout=200ms`, review()));
      expect([answer.status, answer.retryAfter]).toEqual([503, undefined]);
      expect(JSON.parse(answer.text)).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        message: 'the webhook came to no decision: there was no answer within 180 ms',
      });
      expect(counts).toEqual({ started: [path], finished: [[path, 503]], panics: 0 });
    });

    it.each([['/forever'], ['/deaf']])('that disconnects before %s has decided ends the work for it', async (path) => {
      const stream = send(path, review());
      await turn.promise;
      stream.close(constants.NGHTTP2_CANCEL);
      await eventually(() => counts.finished.length > 0);
      expect(counts).toEqual({ started: [path], finished: [[path, 499]], panics: 0 });
    });

    it('that disconnects in the middle of a review is no failure of the webhook', async () => {
      const stream = session.request({ ':method': 'POST', ':path': '/allow' }).on('error', () => undefined);
      stream.write('{');
      await eventually(() => counts.started.length > 0);
      session.destroy();
      await eventually(() => counts.finished.length > 0);
      expect(counts).toEqual({ started: ['/allow'], finished: [['/allow', 499]], panics: 0 });
    });

    it('that disconnects causes no more work, whatever it has sent before', async () => {
      for (let index = 0; index < 200; index++) send('/busy', review());
      await eventually(() => decided > 0);
      session.destroy();
      await eventually(() => counts.finished.length === counts.started.length);
      expect(decided).toBeLessThan(150);
      expect(counts.panics).toBe(0);
    });

    it('that requests a large conversion does not delay others', async () => {
      let isConverted = false;
      const large = answerOf(send('/convert', conversion(500, 20, true))).then(({ status }) => ((isConverted = true), status));
      await eventually(() => converted > 0);
      expect(parse(await answerOf(send('/allow', review()))).response['allowed']).toBe(true);
      expect(isConverted).toBe(false);
      expect(await large).toBe(200);
    });

    it('that disconnects ends its conversion', async () => {
      const stream = send('/convert', conversion(10_000, 20, true));
      await eventually(() => converted > 0);
      stream.close(constants.NGHTTP2_CANCEL);
      await webhook.stop(60_000);
      expect(converted).toBeLessThan(5000);
    });

    it('that sends more than a review may have is answered so, and the connection stays open', async () => {
      for (let time = 0; time < 3; time++) {
        const answer = await answerOf(send('/allow', Buffer.alloc(5_000_000, 0x20)));
        expect(parse(answer).response).toMatchObject({ allowed: false, status: { code: 413 } });
      }
      expect(parse(await answerOf(send('/allow', review()))).response['allowed']).toBe(true);
    });

    it('with a large review must retry while others hold the memory, one with a small review need not', async () => {
      await serve({ reviewShare: { bytes: 12_000, holderBytes: 12_000, smallBytes: 1000 } });
      session.destroy();
      open();
      const held = [1, 2].map(() => session.request({ ':method': 'POST', ':path': '/allow' }));
      for (const stream of held) stream.on('error', () => undefined).write(Buffer.alloc(8000, 0x20));
      const answers = held.map(answerOf);
      expect(await Promise.race(answers)).toMatchObject({ status: 429, retryAfter: '1' });
      expect(parse(await answerOf(send('/allow', review()))).response['allowed']).toBe(true);
      for (const stream of held) stream.close();
      await eventually(async () => (await answerOf(send('/allow', review() + ' '.repeat(8000)))).status === 200);
    });

    it('has a limited number of parallel reviews', async () => {
      await serve({ reviewShare: { requests: 3, holderRequests: 2 } });
      session.destroy();
      open();
      const held = [1, 2, 3].map(() => session.request({ ':method': 'POST', ':path': '/allow' }));
      for (const stream of held) stream.on('error', () => undefined).write('{');
      expect(await Promise.race(held.map(answerOf))).toMatchObject({ status: 429 });
      await eventually(() => counts.finished.length > 0);
      expect(counts.finished).toEqual([['/allow', 429]]);
      for (const stream of held) stream.close();
      await eventually(async () => (await answerOf(send('/allow', review()))).status === 200);
    });

    it('learns how many requests it may send at a time on a connection', async () => {
      if (session.remoteSettings.maxConcurrentStreams === undefined) await new Promise((done) => session.once('remoteSettings', done));
      expect(session.remoteSettings.maxConcurrentStreams).toBe(admissionLimits.streams.value);
    });

    it.each([
      ['more bytes than a conversion may have', conversion(10, 200_000), /more than 1000000 bytes/],
      ['an object larger than any other webhook takes', conversion(1, 20_000), /an object has more than 10000 bytes/],
    ])('that sends %s is answered so', async (_name, body, message) => {
      const { status, text } = await answerOf(send('/convert', body));
      expect([status, text]).toEqual([413, expect.stringMatching(message)]);
    });

    it('with a large conversion must retry while others hold the memory, one with a small conversion need not', async () => {
      const held = [1, 2, 3].map(() => session.request({ ':method': 'POST', ':path': '/convert' }));
      for (const stream of held) stream.on('error', () => undefined).write(Buffer.alloc(700_000, 0x20));
      const answers = held.map(answerOf);
      expect(await Promise.race(answers)).toMatchObject({ status: 429, retryAfter: '1' });
      expect((await answerOf(send('/convert', conversion(10, 100)))).status).toBe(200);
      for (const stream of held) stream.close();
      await eventually(async () => (await answerOf(send('/convert', conversion(90, 9000)))).status === 200);
    });
  });
});
