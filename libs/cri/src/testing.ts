/**
 * A container runtime for tests, `@kruise/cri/testing`. It serves CRI over a real unix socket, follows the test's script, and misbehaves on demand.
 */
import { rmSync } from 'node:fs';
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { fromJSON, type MethodDefinition, type ServiceDefinition } from '@grpc/proto-loader';
import type { CriImage } from './verbs/list-images.ts';
import type { ContainerFilter, CriContainer } from './verbs/list-containers.ts';
import { CriChannel } from './cri-channel.ts';
import { criMethods, type CriMethod } from './cri-methods.ts';
import { targetOf } from './endpoint.ts';
import { criSchema } from './generated/cri-schema.ts';
import { containerdShape, type RegistryFault, type RuntimeShape, type ShapedFailure } from './runtime-shapes.testing.ts';

export { containerdShape, crioShape, criDockerdShape } from './runtime-shapes.testing.ts';
export type { RegistryFault, RuntimeShape } from './runtime-shapes.testing.ts';

/** The messages of all methods, with defaults filled in. */
const schema = fromJSON(criSchema as Parameters<typeof fromJSON>[0], { longs: String, enums: String, defaults: true });
const serviceOf = (service: string): ServiceDefinition => schema[`runtime.v1.${service}`] as ServiceDefinition;

/** Returns a text that is equal for a call at the client and the same call at the runtime. @param request decoded */
const textOfCall = (method: CriMethod, request: object): string => `${method} ${JSON.stringify(request)}`;

/** A call that reached the runtime, with its request decoded and defaults filled in. */
export interface RecordedCall {
  readonly method: CriMethod;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each method has its own message, and tests say which members they expect
  readonly request: any;
}

/** A container as the runtime knows it. `env` is what the verbose `ContainerStatus` contains. */
export interface ScriptedContainer extends CriContainer {
  readonly env?: Readonly<Record<string, string>>;
  /** Nanoseconds; not started when absent. */
  readonly startedAt?: string;
}

/** Thrown by a script to answer with this gRPC code. */
export class ScriptedFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The members of all requests that the runtime reads by itself. */
interface Asked {
  readonly filter?: ContainerFilter | null;
  readonly containerId: string;
  readonly podSandboxId: string;
  readonly verbose?: boolean;
  readonly image?: { readonly image: string } | null;
}

/** Returns the answer of a method. It may wait, or throw a {@link ScriptedFailure}. `signal` aborts when the caller aborts. */
export type Script = (request: RecordedCall['request'], signal: AbortSignal) => object | Promise<object>;

/** A sandbox of the scripted runtime; `uid`, `name` and `namespace` are those of its Pod. */
export interface ScriptedSandbox {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly ip?: string;
  /** False when it has ended; another sandbox may have its address. */
  readonly isReady?: boolean;
}

/** Where a scripted runtime listens, and which real one it resembles. */
export interface ScriptedRuntimeOptions {
  readonly socket: string;
  /** The shape of containerd when absent. */
  readonly shape?: RuntimeShape;
  /** Another name than that of the shape. */
  readonly name?: string;
}

const failureOf = ({ code, message }: ShapedFailure): ScriptedFailure => new ScriptedFailure(code, message);

const hasRegistry = (imageRef: string): boolean => /^[^/]*[.:][^/]*\/|^localhost\//.test(imageRef);

const matches = (container: CriContainer, { id = '', podSandboxId = '', labelSelector = {} }: ContainerFilter): boolean =>
  (id === '' || container.id === id) &&
  (podSandboxId === '' || container.podSandboxId === podSandboxId) &&
  Object.entries(labelSelector).every(([key, value]) => container.labels[key] === value);

/**
 * Holds the containers, sandboxes and images that the test adds; StopContainer ends a container, PullImage adds an image. `on` scripts a method.
 * `stop` removes the socket, `start` creates it as another file, `serveGarbage` starts a server there that does not support HTTP/2.
 */
export class ScriptedRuntime {
  readonly socket: string;
  readonly calls: RecordedCall[] = [];
  /** Called for each call as it arrives. */
  onCall: (call: RecordedCall) => void = () => undefined;
  /** Calls that a script delays, and whose caller still waits. */
  readonly waiting = new Set<RecordedCall>();
  readonly containers = new Map<string, ScriptedContainer>();
  readonly sandboxes = new Map<string, ScriptedSandbox>();
  /** Images by the reference that requests use. */
  readonly images = new Map<string, CriImage>();
  /** False: ContainerStatus contains no environment, as in runtimes without verbose answers. */
  tellsEnvironment = true;
  /** False: a name without a registry is refused, as by a runtime that is configured to complete none. */
  completesShortNames = true;
  readonly shape: RuntimeShape;
  readonly #name: string;
  readonly #scripts = new Map<CriMethod, Script>();
  #server: Server | undefined;
  #garbage: { readonly server: NetServer; readonly sockets: Set<Socket> } | undefined;

  constructor({ socket, shape = containerdShape, name = shape.name }: ScriptedRuntimeOptions) {
    this.socket = socket;
    this.shape = shape;
    this.#name = name;
  }

  /** Sets the script of `method`; without a script the method behaves by default again. */
  on(method: CriMethod, script?: Script): void {
    if (script === undefined) this.#scripts.delete(method);
    else this.#scripts.set(method, script);
  }

  /** Adds an image to the node. */
  hasImage(imageRef: string): CriImage {
    const image = this.shape.imageOf(imageRef);
    this.images.set(imageRef, image);
    return image;
  }

  /** Makes every pull fail in this way, with the runtime's own message; none when undefined. */
  failPulls(fault: RegistryFault | undefined): void {
    if (fault === undefined) return this.on('PullImage');
    this.on('PullImage', (request: Asked) => {
      throw failureOf(this.shape.failure(fault, request.image?.image ?? ''));
    });
  }

  callsOf(method: CriMethod): readonly RecordedCall['request'][] {
    return this.calls.filter((call) => call.method === method).map(({ request }) => request as unknown);
  }

  async start(): Promise<void> {
    const server = new Server({ 'grpc.max_receive_message_length': 64 * 1024 * 1024, 'grpc.max_send_message_length': 64 * 1024 * 1024 });
    for (const service of new Set(Object.values(criMethods))) this.#addService(server, service);
    rmSync(this.socket, { force: true });
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(targetOf(this.socket), ServerCredentials.createInsecure(), (error) => (error === null ? resolve() : reject(error))),
    );
    this.#server = server;
  }

  /** Closes every connection and removes the socket. */
  async stop(): Promise<void> {
    this.#server?.forceShutdown();
    this.#server = undefined;
    this.waiting.clear();
    const garbage = this.#garbage;
    this.#garbage = undefined;
    if (garbage !== undefined) {
      for (const socket of garbage.sockets) socket.destroy();
      await new Promise((resolve) => garbage.server.close(resolve));
    }
    rmSync(this.socket, { force: true });
  }

  /** Starts another server at the socket. */
  async serveGarbage(): Promise<void> {
    await this.stop();
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => undefined);
      socket.on('data', () => socket.write(Buffer.from('\x00\xff\x13 this is no HTTP/2 \x00\xff'.repeat(20), 'latin1')));
    });
    await new Promise<void>((resolve) => server.listen(this.socket, resolve));
    this.#garbage = { server, sockets };
  }

  #addService(server: Server, service: string): void {
    const names = (Object.keys(criMethods) as CriMethod[]).filter((method) => criMethods[method] === service);
    const handlers: UntypedServiceImplementation = Object.fromEntries(
      names.map((method) => [
        method,
        (call: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => void this.#answer(method, call, done),
      ]),
    );
    server.addService(serviceOf(service), handlers);
  }

  async #answer(method: CriMethod, call: ServerUnaryCall<object, object>, done: sendUnaryData<object>): Promise<void> {
    const abort = new AbortController();
    const recorded = { method, request: call.request };
    this.calls.push(recorded);
    this.onCall(recorded);
    this.waiting.add(recorded);
    call.on('cancelled', () => {
      this.waiting.delete(recorded);
      abort.abort();
    });
    try {
      const script = this.#scripts.get(method) ?? ((request: RecordedCall['request']) => this.#byItself(method, request as Asked));
      done(null, await script(call.request, abort.signal));
    } catch (error) {
      done(
        error instanceof ScriptedFailure ? { code: error.code, details: error.message } : { code: status.UNKNOWN, details: String(error) },
      );
    } finally {
      this.waiting.delete(recorded);
    }
  }

  #byItself(method: CriMethod, request: Asked): object {
    switch (method) {
      case 'Version':
        return {
          version: '0.1.0',
          runtimeName: this.#name,
          runtimeVersion: this.shape.version,
          runtimeApiVersion: this.shape.apiVersion,
        };
      case 'ListImages':
        return { images: [...this.images.values(), ...this.shape.leftovers] };
      case 'ImageStatus':
        return { image: this.images.get(this.#completed(request.image?.image ?? '')) ?? null };
      case 'PullImage':
        return { imageRef: this.shape.pulledRef(this.hasImage(this.#completed(request.image?.image ?? ''))) };
      case 'ListContainers':
        return { containers: [...this.containers.values()].filter((container) => matches(container, request.filter ?? {})) };
      case 'ContainerStatus':
        return this.#statusOf(this.#container(request.containerId), request.verbose === true);
      case 'StopContainer':
        return this.#stopContainer(request.containerId);
      case 'ExecSync':
        return this.#exec(this.#container(request.containerId));
      case 'PodSandboxStatus':
        return this.#sandboxStatus(request.podSandboxId);
    }
  }

  #completed(imageRef: string): string {
    if (this.completesShortNames || hasRegistry(imageRef)) return imageRef;
    throw new ScriptedFailure(status.UNKNOWN, `short-name "${imageRef}" did not resolve to an alias`);
  }

  #stopContainer(id: string): object {
    const container = this.containers.get(id);
    const refusal = container === undefined ? this.shape.stopOfUnknown(id) : undefined;
    if (refusal !== undefined) throw failureOf(refusal);
    if (container !== undefined) this.containers.set(id, { ...container, state: 'CONTAINER_EXITED' });
    return {};
  }

  #container(id: string): ScriptedContainer {
    const container = this.containers.get(id);
    if (container === undefined) throw new ScriptedFailure(status.NOT_FOUND, `no container ${id}`);
    return container;
  }

  #statusOf(container: ScriptedContainer, verbose: boolean): object {
    const info = verbose && this.tellsEnvironment ? this.shape.verboseInfo(container.env ?? {}) : {};
    return { status: { startedAt: this.shape.neverStarted, ...container }, info };
  }

  #exec({ env = {} }: ScriptedContainer): object {
    const stdout = Object.entries(env).map(([key, value]) => `${key}=${value}\n`);
    return { stdout: Buffer.from(stdout.join('')), stderr: Buffer.alloc(0), exitCode: 0 };
  }

  #sandboxStatus(id: string): object {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) throw new ScriptedFailure(status.NOT_FOUND, `no sandbox ${id}`);
    const { name, namespace, uid, ip = '', isReady = true } = sandbox;
    return {
      status: {
        id,
        metadata: { name, namespace, uid, attempt: 0 },
        state: isReady ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY',
        network: ip === '' ? null : { ip, additionalIps: [] },
      },
    };
  }
}

/**
 * A connection that keeps its calls in progress, so that a test can wait for the answers instead of for some time. Calls have no deadline: it would
 * run on the real clock, and a busy machine can take longer than any of them.
 */
export class CountingChannel extends CriChannel {
  /** Each as {@link textOfCall}. A call ends for the caller when it aborts, which the runtime learns later. */
  readonly inProgress = new Map<symbol, string>();

  override async call<Response extends object>(...[method, request, limits]: Parameters<CriChannel['call']>): Promise<Response> {
    const { requestSerialize, requestDeserialize } = serviceOf(criMethods[method])[method] as MethodDefinition<object, object>;
    const id = Symbol(method);
    this.inProgress.set(id, textOfCall(method, requestDeserialize(requestSerialize(request))));
    try {
      return await super.call<Response>(method, request, { ...limits, timeoutMs: 0 });
    } finally {
      this.inProgress.delete(id);
    }
  }
}

/**
 * Returns whether nothing is in transit to the runtime or back, neither a request, an answer nor an abort: a script delays exactly the calls that are
 * in progress. Their number is not enough: a call that was aborted, and waits at the runtime, would pass for one that has not arrived.
 */
export function isQuiet(runtime: ScriptedRuntime, channels: readonly CountingChannel[]): boolean {
  const sent = channels.flatMap(({ inProgress }) => [...inProgress.values()]);
  if (sent.length !== runtime.waiting.size) return false;
  const arrived = [...runtime.waiting].map(({ method, request }) => textOfCall(method, request as object)).toSorted();
  return sent.toSorted().every((text, index) => text === arrived[index]);
}
