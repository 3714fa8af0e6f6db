/** Admission reviews at a steady rate, as kube-apiserver would send them: HTTP/2, the server's certificate checked against its own CA. */
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { asError } from '@kruise/kube';
import { each, ticks, timed } from '../each.ts';
import { quantile } from '../statistics.ts';

export interface AdmissionTarget {
  readonly port: number;
  readonly certificateAuthority: string;
}

type GroupVersion = Readonly<Record<'group' | 'version', string>>;

export interface ReviewSubject {
  readonly path: string;
  readonly resource: GroupVersion & { readonly resource: string };
  readonly kind: GroupVersion & { readonly kind: string };
  readonly object: { readonly metadata: { readonly name?: string; readonly namespace?: string } };
}

/** NaN where there are no calls. */
export interface Latencies {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly calls: number;
}

interface Call {
  readonly path: string;
  readonly ms: number;
}

function latenciesOf(calls: readonly Call[]): Latencies {
  const all = calls.map(({ ms }) => ms);
  return { p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99), calls: all.length };
}

function reviewOf({ resource, kind, object }: ReviewSubject, uid: string): string {
  const { name = '', namespace = '' } = object.metadata;
  const subject = { uid, kind, resource, requestKind: kind, requestResource: resource, name, namespace, operation: 'CREATE' };
  const request = { ...subject, userInfo: { username: 'bench' }, object, oldObject: null, dryRun: false };
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

export class AdmissionLoad implements AsyncDisposable {
  readonly #session: ClientHttp2Session;
  readonly #subjects: readonly ReviewSubject[];
  readonly #stopped = new AbortController();
  readonly #failures: string[] = [];
  #latencies: Call[] = [];
  #loop: Promise<void> = Promise.resolve();
  #calls = 0;

  private constructor({ port, certificateAuthority: ca }: AdmissionTarget, subjects: readonly ReviewSubject[]) {
    this.#session = connect(`https://127.0.0.1:${port}`, { ca, servername: 'localhost' });
    this.#subjects = subjects;
  }

  /** @throws when a subject is not answered with success */
  static async connect(target: AdmissionTarget, subjects: readonly ReviewSubject[]): Promise<AdmissionLoad> {
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

  /** Of the calls since the last take, by path. */
  take(): Readonly<Record<string, Latencies>> {
    const byPath = Object.groupBy(this.#latencies, ({ path }) => path);
    this.#latencies = [];
    return Object.fromEntries(Object.entries(byPath).map(([path, calls = []]) => [path, latenciesOf(calls)]));
  }

  /** The same of all paths together. */
  takeAll(): Latencies {
    const calls = this.#latencies;
    this.#latencies = [];
    return latenciesOf(calls);
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
    const subject = this.#subjects[this.#calls++ % this.#subjects.length];
    if (subject === undefined) return;
    const { path } = subject;
    const body = reviewOf(subject, `bench-${this.#calls}`);
    try {
      const { ms } = await timed(() => post(this.#session, path, body));
      this.#latencies.push({ path, ms });
    } catch (error) {
      this.#failures.push(`${path}: ${asError(error).message}`);
    }
  }
}
