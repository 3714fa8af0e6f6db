/** A container runtime for tests, `@kruise/cri/testing`: it speaks CRI over a real unix socket, does as it is told, and misbehaves on demand. */
import { createHash } from 'node:crypto';
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
import { fromJSON, type ServiceDefinition } from '@grpc/proto-loader';
import type { CriImage } from './list-images.ts';
import type { ContainerFilter, CriContainer } from './list-containers.ts';
import { criMethods, type CriMethod } from './cri-methods.ts';
import { criSchema } from './generated/cri-schema.ts';

export interface RecordedCall {
  readonly method: CriMethod;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each method has its own message, and tests say which members they expect
  readonly request: any;
}

/** A container as the runtime knows it; `env` is what `ContainerStatus` and `env` tell. */
export interface ScriptedContainer extends CriContainer {
  readonly env?: Readonly<Record<string, string>>;
  /** Nanoseconds; not started when absent. */
  readonly startedAt?: string;
}

/** Thrown by a script: the answer is this gRPC code. */
export class ScriptedFailure extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The members of all requests that the runtime looks at by itself. */
interface Asked {
  readonly filter?: ContainerFilter | null;
  readonly containerId: string;
  readonly podSandboxId: string;
  readonly verbose?: boolean;
  readonly image?: { readonly image: string } | null;
}

/** What a method answers; may wait, or throw a {@link ScriptedFailure}. `signal` aborts when the caller gives up. */
export type Script = (request: RecordedCall['request'], signal: AbortSignal) => object | Promise<object>;

export interface ScriptedSandbox {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly ip?: string;
}

export interface ScriptedRuntimeOptions {
  readonly socket: string;
  /** `containerd` when absent. */
  readonly name?: string;
}

/** As a runtime reports it: names without a registry are those of docker.io. */
function normalizeTestReference(imageRef: string): string {
  const [first = '', ...rest] = imageRef.split('/');
  if (rest.length > 0 && (/[.:]/.test(first) || first === 'localhost')) return imageRef;
  return rest.length > 0 ? `docker.io/${imageRef}` : `docker.io/library/${imageRef}`;
}

const matches = (container: CriContainer, { id = '', podSandboxId = '', labelSelector = {} }: ContainerFilter): boolean =>
  (id === '' || container.id === id) &&
  (podSandboxId === '' || container.podSandboxId === podSandboxId) &&
  Object.entries(labelSelector).every(([key, value]) => container.labels[key] === value);

/**
 * Holds containers, sandboxes and images that the test puts in; StopContainer ends a container, PullImage adds an image. Every method can be scripted anew with `on`.
 * `stop` takes the socket away, `start` brings it back as another file, `serveGarbage` puts a server there that speaks no HTTP/2.
 */
export class ScriptedRuntime {
  readonly socket: string;
  readonly calls: RecordedCall[] = [];
  readonly containers = new Map<string, ScriptedContainer>();
  readonly sandboxes = new Map<string, ScriptedSandbox>();
  /** By the reference they are asked for with. */
  readonly images = new Map<string, CriImage>();
  /** False: ContainerStatus tells no environment, as runtimes without verbose answers. */
  tellsEnvironment = true;
  readonly #name: string;
  readonly #scripts = new Map<CriMethod, Script>();
  #server: Server | undefined;
  #garbage: { readonly server: NetServer; readonly sockets: Set<Socket> } | undefined;

  constructor({ socket, name = 'containerd' }: ScriptedRuntimeOptions) {
    this.socket = socket;
    this.#name = name;
  }

  /** What `method` does from now on; without a script again what it does by itself. */
  on(method: CriMethod, script?: Script): void {
    if (script === undefined) this.#scripts.delete(method);
    else this.#scripts.set(method, script);
  }

  /** Puts an image on the node. */
  hasImage(imageRef: string): CriImage {
    const id = `sha256:${createHash('sha256').update(imageRef).digest('hex')}`;
    const full = normalizeTestReference(imageRef);
    const image: CriImage = {
      id,
      repoTags: imageRef.includes('@') ? [] : [full],
      repoDigests: [imageRef.includes('@') ? full : `${full.slice(0, full.lastIndexOf(':'))}@${id}`],
      size: '1000',
    };
    this.images.set(imageRef, image);
    return image;
  }

  callsOf(method: CriMethod): readonly RecordedCall['request'][] {
    return this.calls.filter((call) => call.method === method).map(({ request }) => request as unknown);
  }

  async start(): Promise<void> {
    const server = new Server({ 'grpc.max_receive_message_length': 64 * 1024 * 1024, 'grpc.max_send_message_length': 64 * 1024 * 1024 });
    for (const service of new Set(Object.values(criMethods))) this.#addService(server, service);
    rmSync(this.socket, { force: true });
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix://${this.socket}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
    this.#server = server;
  }

  /** Ends every connection and takes the socket away. */
  async stop(): Promise<void> {
    this.#server?.forceShutdown();
    this.#server = undefined;
    const garbage = this.#garbage;
    this.#garbage = undefined;
    if (garbage !== undefined) {
      for (const socket of garbage.sockets) socket.destroy();
      await new Promise((resolve) => garbage.server.close(resolve));
    }
    rmSync(this.socket, { force: true });
  }

  /** Something else listens at the socket. */
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
    const schema = fromJSON(criSchema as Parameters<typeof fromJSON>[0], { longs: String, enums: String, defaults: true });
    const definition = schema[`runtime.v1.${service}`] as ServiceDefinition;
    const handlers: UntypedServiceImplementation = Object.fromEntries(
      names.map((method) => [
        method,
        (call: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => void this.#answer(method, call, done),
      ]),
    );
    server.addService(definition, handlers);
  }

  async #answer(method: CriMethod, call: ServerUnaryCall<object, object>, done: sendUnaryData<object>): Promise<void> {
    const abort = new AbortController();
    call.on('cancelled', () => abort.abort());
    this.calls.push({ method, request: call.request });
    try {
      const script = this.#scripts.get(method) ?? ((request: RecordedCall['request']) => this.#byItself(method, request as Asked));
      done(null, await script(call.request, abort.signal));
    } catch (error) {
      done(
        error instanceof ScriptedFailure ? { code: error.code, details: error.message } : { code: status.UNKNOWN, details: String(error) },
      );
    }
  }

  #byItself(method: CriMethod, request: Asked): object {
    switch (method) {
      case 'Version':
        return { version: '0.1.0', runtimeName: this.#name, runtimeVersion: '1.0.0', runtimeApiVersion: 'v1' };
      case 'ListImages':
        return { images: [...this.images.values()] };
      case 'ImageStatus':
        return { image: this.images.get(request.image?.image ?? '') ?? null };
      case 'PullImage':
        return { imageRef: this.hasImage(request.image?.image ?? '').id };
      case 'ImageFsInfo':
        return {};
      case 'ListContainers':
        return { containers: [...this.containers.values()].filter((container) => matches(container, request.filter ?? {})) };
      case 'ContainerStatus':
        return this.#statusOf(this.#container(request.containerId), request.verbose === true);
      case 'StopContainer':
        this.containers.set(request.containerId, { ...this.#container(request.containerId), state: 'CONTAINER_EXITED' });
        return {};
      case 'ExecSync':
        return this.#exec(this.#container(request.containerId));
      case 'PodSandboxStatus':
        return this.#sandboxStatus(request.podSandboxId);
    }
  }

  #container(id: string): ScriptedContainer {
    const container = this.containers.get(id);
    if (container === undefined) throw new ScriptedFailure(status.NOT_FOUND, `no container ${id}`);
    return container;
  }

  #statusOf(container: ScriptedContainer, verbose: boolean): object {
    const envs = Object.entries(container.env ?? {}).map(([key, value]) => ({ key, value }));
    const info = verbose && this.tellsEnvironment ? { info: JSON.stringify({ config: { envs } }) } : {};
    return { status: container, info };
  }

  #exec({ env = {} }: ScriptedContainer): object {
    const stdout = Object.entries(env).map(([key, value]) => `${key}=${value}\n`);
    return { stdout: Buffer.from(stdout.join('')), stderr: Buffer.alloc(0), exitCode: 0 };
  }

  #sandboxStatus(id: string): object {
    const sandbox = this.sandboxes.get(id);
    if (sandbox === undefined) throw new ScriptedFailure(status.NOT_FOUND, `no sandbox ${id}`);
    const { name, namespace, uid, ip = '' } = sandbox;
    return {
      status: {
        id,
        metadata: { name, namespace, uid, attempt: 0 },
        state: 'SANDBOX_READY',
        network: ip === '' ? null : { ip, additionalIps: [] },
      },
    };
  }
}
