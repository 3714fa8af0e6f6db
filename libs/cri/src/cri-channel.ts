/**
 * The connection to one CRI socket, and one unary call over it.
 *
 * The runtime may be restarted, or its socket replaced, at any time. The socket file is checked before each call: when it is missing, the call fails
 * with `Unavailable` immediately; when it is another file than the one dialled, it is dialled again. Nothing is connected before the first call. The
 * next call reopens a lost connection.
 *
 * No call uses libuv's thread pool: its threads may all be in use, by name look-ups for example, and the agent has one.
 */
import { statSync } from 'node:fs';
import { Client, credentials, type ChannelOptions, type ServiceError } from '@grpc/grpc-js';
import { CriError, failureOfCode } from './cri-error.ts';
import { isNamedPipe, targetOf } from './endpoint.ts';
import { ExecConnection } from './exec/exec-connection.ts';
import { loadCriMethods, type CriMethod, type CriMethodDefinitions } from './cri-methods.ts';

/** The options of every verb besides its own input. */
export interface CriCallOptions {
  readonly signal?: AbortSignal;
  /** Time until the call fails with `DeadlineExceeded`; the verb's own when absent. */
  readonly timeoutMs?: number;
}

/** The part of a connection that the verbs use. */
export interface CriCaller {
  /**
   * Makes one call.
   *
   * @param options `timeoutMs` 0 for none; `keepBytes` of each output that a command prints, for ExecSync only
   * @throws CriError and nothing else
   */
  call<Response extends object>(method: CriMethod, request: object, options: CriCallLimits): Promise<Response>;
}

/** Limits of one call, see {@link CriCaller.call}. */
export interface CriCallLimits {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  readonly keepBytes?: number;
}

const MiB = 1024 * 1024;

const channelOptions: ChannelOptions = {
  'grpc.default_authority': 'localhost',
  'grpc.max_receive_message_length': 16 * MiB,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 3000,
  'grpc.enable_http_proxy': 0,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
};

const isServiceError = (error: Error): error is ServiceError => 'code' in error && typeof error.code === 'number';

/** A connection to one runtime, opened at the first call and again whenever the socket file is another one. Calls throw only `CriError`. */
export class CriChannel implements CriCaller {
  /** Path of the socket, or name of the pipe. */
  readonly socket: string;
  readonly #methods: CriMethodDefinitions;
  #connected: { readonly client: Client; readonly exec: ExecConnection; readonly file: string } | undefined;

  /**
   * Creates a channel.
   *
   * @param methods of `loadCriMethods`, shared by several channels; loaded when absent
   */
  constructor(socket: string, methods: CriMethodDefinitions = loadCriMethods()) {
    this.socket = socket;
    this.#methods = methods;
  }

  async call<Response extends object>(method: CriMethod, request: object, limits: CriCallLimits): Promise<Response> {
    const { signal, timeoutMs, keepBytes = 0 } = limits;
    if (signal?.aborted) throw aborted(method);
    const { client, exec } = this.#dialled(method);
    if (method === 'ExecSync') return (await exec.call(request, { signal, timeoutMs, keepBytes })) as Response;
    const bytes = await this.#unary(client, { method, request, timeoutMs, signal });
    try {
      return this.#methods[method].responseDeserialize(bytes) as Response;
    } catch (error) {
      throw new CriError(`${method}: the answer cannot be read`, { kind: 'InvalidAnswer' }, error);
    }
  }

  /** Closes the connection. Running calls may end; later ones dial again. */
  close(): void {
    this.#connected?.client.close();
    this.#connected = undefined;
  }

  #dialled(method: CriMethod): { readonly client: Client; readonly exec: ExecConnection } {
    const file = identityOf(this.socket);
    if (file === undefined) {
      this.close();
      throw new CriError(`${method}: there is no socket at ${this.socket}`, { kind: 'Unavailable' });
    }
    if (this.#connected?.file !== file) {
      this.close();
      const client = new Client(targetOf(this.socket), credentials.createInsecure(), channelOptions);
      this.#connected = { client, exec: new ExecConnection(this.socket, this.#methods.ExecSync), file };
    }
    return this.#connected;
  }

  #unary(
    client: Client,
    { method, request, timeoutMs, signal }: { method: CriMethod; request: object; timeoutMs: number; signal: AbortSignal | undefined },
  ): Promise<Buffer> {
    const { path, requestSerialize } = this.#methods[method];
    return new Promise((resolve, reject) => {
      const options = timeoutMs > 0 ? { deadline: Date.now() + timeoutMs } : {};
      const abort = (): void => call.cancel();
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        (bytes) => bytes,
        request,
        options,
        (error, answer) => {
          signal?.removeEventListener('abort', abort);
          if (error === null && answer !== undefined) resolve(answer);
          else reject(errorOf(method, error, signal?.aborted === true));
        },
      );
      signal?.addEventListener('abort', abort, { once: true });
    });
  }
}

const aborted = (method: CriMethod): CriError => new CriError(`${method}: the call was aborted`, { kind: 'Aborted' });

function errorOf(method: CriMethod, error: ServiceError | Error | null, wasAborted: boolean): CriError {
  if (error === null) return new CriError(`${method}: there was no answer`, { kind: 'InvalidAnswer' });
  if (!isServiceError(error)) return new CriError(`${method}: ${error.message}`, { kind: 'InvalidAnswer' }, error);
  return new CriError(`${method}: ${error.details || error.message}`, failureOfCode(error.code, wasAborted), error);
}

/**
 * Returns a text that distinguishes one socket file from another with the same path; undefined when there is none. Synchronous: on the file system of
 * the sockets, in memory, this takes microseconds. Whether a pipe exists is only known by a call.
 */
function identityOf(path: string): string | undefined {
  if (isNamedPipe(path)) return path;
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return undefined;
  }
}
