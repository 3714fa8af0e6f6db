/** Admission reviews at a steady rate, as kube-apiserver would send them: HTTP/2, the server's certificate checked against its own CA. */
import { readFileSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { join } from 'node:path';
import { asError } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { each, ticks, timed } from '../each.ts';
import { quantile } from '../statistics.ts';

/** An object that is created, and the webhook that reviews it. */
export interface ReviewSubject {
  readonly path: string;
  readonly type: ResourceType<KubeObject>;
  readonly object: KubeObject;
}

interface Call {
  readonly path: string;
  readonly ms: number;
}

/** NaN where there are no calls. */
export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly calls: number;
}

export function latenciesOf(calls: readonly Call[]): Latencies {
  const all = calls.map(({ ms }) => ms);
  return { p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99), calls: all.length };
}

function reviewOf({ type, object }: ReviewSubject, uid: string): string {
  const { group, version, plural } = type;
  const kind = { group, version, kind: type.kind };
  const resource = { group, version, resource: plural };
  const { name, namespace } = object.metadata;
  const subject = { uid, kind, resource, requestKind: kind, requestResource: resource, name, namespace };
  const request = { ...subject, operation: 'CREATE', userInfo: { username: 'bench' }, object, oldObject: null, dryRun: false };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

/** @returns once the whole answer is there @throws unless it is a success */
function post(session: ClientHttp2Session, path: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const { HTTP2_HEADER_METHOD: method, HTTP2_HEADER_PATH: pathHeader, HTTP2_HEADER_STATUS: statusHeader } = constants;
    const stream = session.request({ [method]: 'POST', [pathHeader]: path, 'content-type': 'application/json' });
    let status = 0;
    stream.on('response', (headers) => (status = Number(headers[statusHeader])));
    stream.on('error', reject);
    stream.on('end', () => (status === 200 ? resolve() : reject(new Error(`status ${status}`))));
    stream.resume();
    stream.end(body);
  });
}

/** Whom reviews are sent to: a port, and the folder with the certificate of its CA. */
interface Target {
  readonly port: number;
  readonly certificates: string;
}

/** Of reviews that wait for a stream. Beyond 10 MB, the default, Node refuses to send more, as on a machine that is too slow for the rate. */
const mostWaitingMB = 1_000;

export class AdmissionLoad implements AsyncDisposable {
  readonly #session: ClientHttp2Session;
  readonly #subjects: readonly ReviewSubject[];
  readonly #stopped = new AbortController();
  readonly #failures: string[] = [];
  readonly #calls: Call[] = [];
  #loop: Promise<void> = Promise.resolve();
  #sent = 0;

  private constructor({ port, certificates }: Target, subjects: readonly ReviewSubject[]) {
    const ca = readFileSync(join(certificates, 'ca-cert.pem'));
    this.#session = connect(`https://127.0.0.1:${port}`, { ca, servername: 'localhost', maxSessionMemory: mostWaitingMB });
    this.#subjects = subjects;
  }

  /** @throws when a subject is not answered with success */
  static async connect(target: Target, subjects: readonly ReviewSubject[]): Promise<AdmissionLoad> {
    const load = new AdmissionLoad(target, subjects);
    await load.burst(subjects.length, 1);
    load.take();
    return load;
  }

  /** @throws the first failure */
  check(): void {
    if (this.#failures.length > 0) throw new Error(`${this.#failures.length} reviews failed, first: ${this.#failures[0]}`);
  }

  /** Begins to send, each subject in turn. An answer that is late does not delay the next call. */
  start(callsPerSecond: number): void {
    if (this.#subjects.length > 0) this.#loop = this.#send(callsPerSecond);
  }

  /** Sends this many as fast as they are answered. @throws when one fails */
  async burst(calls: number, parallel: number): Promise<void> {
    await each(calls, () => this.#call(), parallel);
    this.check();
  }

  /** The calls since the last take. */
  take(): readonly Call[] {
    return this.#calls.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    this.#session.close();
  }

  async #send(callsPerSecond: number): Promise<void> {
    for await (const _ of ticks(callsPerSecond, this.#stopped)) void this.#call();
  }

  async #call(): Promise<void> {
    const subject = this.#subjects[this.#sent++ % this.#subjects.length];
    if (subject === undefined) return;
    const { path } = subject;
    const body = reviewOf(subject, `bench-${this.#sent}`);
    try {
      const { ms } = await timed(() => post(this.#session, path, body));
      this.#calls.push({ path, ms });
    } catch (error) {
      this.#failures.push(`${path}: ${asError(error).message}`);
    }
  }
}
