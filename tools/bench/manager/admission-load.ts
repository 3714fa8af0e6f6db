/** Admission reviews at a steady rate, as kube-apiserver would send them: HTTP/2, the server's certificate checked against its own CA. */
import { connect, constants, type ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

export interface AdmissionTarget {
  readonly port: number;
  readonly certificateAuthority: string;
}

export interface ReviewSubject {
  readonly path: string;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly object: { readonly metadata: { readonly name?: string; readonly namespace?: string } };
}

function reviewOf({ resource, kind, object }: ReviewSubject, uid: string): string {
  const { name = '', namespace = '' } = object.metadata;
  const request = {
    uid,
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name,
    namespace,
    operation: 'CREATE',
    userInfo: { username: 'bench' },
    object,
    oldObject: null,
    dryRun: false,
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

/** @returns the HTTP status, once the whole answer is there */
function post(session: ClientHttp2Session, path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/json',
    });
    let status = 0;
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.on('error', reject);
    stream.on('end', () => resolve(status));
    stream.resume();
    stream.end(body);
  });
}

export class AdmissionLoad {
  readonly #session: ClientHttp2Session;
  readonly #subjects: readonly ReviewSubject[];
  readonly #latencies = new Map<string, number[]>();
  readonly #stopped = new AbortController();
  readonly #failures: string[] = [];
  #loop: Promise<void> = Promise.resolve();
  #calls = 0;

  private constructor(session: ClientHttp2Session, subjects: readonly ReviewSubject[]) {
    this.#session = session;
    this.#subjects = subjects;
  }

  /** Connects; subjects whose path is not served are left out, see {@link paths}. */
  static async connect(target: AdmissionTarget, subjects: readonly ReviewSubject[]): Promise<AdmissionLoad> {
    const session = connect(`https://127.0.0.1:${target.port}`, { ca: target.certificateAuthority, servername: 'localhost' });
    const served: ReviewSubject[] = [];
    for (const subject of subjects) if ((await post(session, subject.path, reviewOf(subject, 'probe'))) === 200) served.push(subject);
    return new AdmissionLoad(session, served);
  }

  get paths(): readonly string[] {
    return this.#subjects.map(({ path }) => path);
  }

  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Begins to send, each subject in turn. An answer that is late does not delay the next call. */
  start(callsPerSecond: number): void {
    if (this.#subjects.length > 0) this.#loop = this.#send(1000 / callsPerSecond);
  }

  /** Sends this many as fast as they are answered. @throws when one fails */
  async burst(calls: number, parallel: number): Promise<void> {
    let left = calls;
    const one = async (): Promise<void> => {
      while (left-- > 0) await this.#call();
    };
    await Promise.all(Array.from({ length: parallel }, one));
    if (this.#failures.length > 0) throw new Error(this.#failures[0]);
  }

  /** Milliseconds of every call since the last take, by path. */
  take(): ReadonlyMap<string, readonly number[]> {
    const taken = new Map(this.#latencies);
    this.#latencies.clear();
    return taken;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    this.#session.close();
  }

  async #send(everyMs: number): Promise<void> {
    const began = performance.now();
    const { signal } = this.#stopped;
    for (let call = 0; !signal.aborted; call++) {
      const wait = began + call * everyMs - performance.now();
      if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) void this.#call();
    }
  }

  async #call(): Promise<void> {
    const subject = this.#subjects[this.#calls++ % this.#subjects.length];
    if (subject === undefined) return;
    const body = reviewOf(subject, `bench-${this.#calls}`);
    const began = performance.now();
    try {
      const status = await post(this.#session, subject.path, body);
      if (status !== 200) throw new Error(`status ${status}`);
      const held = this.#latencies.get(subject.path) ?? [];
      held.push(performance.now() - began);
      this.#latencies.set(subject.path, held);
    } catch (error) {
      this.#failures.push(`${subject.path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
