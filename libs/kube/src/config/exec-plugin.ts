/**
 * Exec credential plugins (client.authentication.k8s.io): runs the command, reads an ExecCredential from its standard output and keeps it until it
 * expires or the server refuses it. The plugin runs once at a time. Its standard error is passed to ours and never appears in messages.
 */
import { readFile } from 'node:fs/promises';
import { milliseconds, parseJsonText, unreachable } from '@kruise/objects';
import { ConfigError, type ClusterConfig, type ExecConfig } from './cluster-config.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { CommandFailed, runCommand, type CommandFailure } from './run-command.ts';

/** The limit of a plugin that does not ask a user. The calls that wait for it have given up long before. */
const LONGEST_RUN_MS = 60_000;

/** The answer of a plugin. `expiresAt` is in milliseconds since the epoch; undefined means valid until it is refused. */
export interface ExecCredential {
  readonly token?: string;
  readonly certificate?: ClientCertificate;
  readonly expiresAt?: number;
}

export class ExecPlugin {
  readonly renewable = true;
  readonly #config: ExecConfig;
  readonly #cluster: ClusterConfig;
  readonly #nowMs: () => number;
  readonly #longestRunMs: number;
  #held: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;
  #certificate: string | undefined;
  #generation = 0;
  #runs = 0;

  /**
   * Creates a plugin.
   *
   * @param how `nowMs`: wall-clock milliseconds since the epoch, compared with `expirationTimestamp`; `longestRunMs`: the time after which a plugin
   * that does not ask a user is killed with its children
   */
  constructor(config: ExecConfig, cluster: ClusterConfig, how: { readonly nowMs?: () => number; readonly longestRunMs?: number } = {}) {
    this.#config = config;
    this.#cluster = cluster;
    this.#nowMs = how.nowMs ?? ((): number => Date.now());
    this.#longestRunMs = how.longestRunMs ?? LONGEST_RUN_MS;
  }

  /** Returns the current credential, or a new one when there is none or it has expired. Rejects with {@link ConfigError}. */
  async credential(): Promise<ExecCredential> {
    const held = this.#held;
    if (held !== undefined && (held.expiresAt === undefined || held.expiresAt > this.#nowMs())) return held;
    this.#running ??= this.#renew().finally(() => (this.#running = undefined));
    return await this.#running;
  }

  /** Increases with every certificate that differs from the previous one. */
  get certificateGeneration(): number {
    return this.#generation;
  }

  /** Increases with every credential that the plugin returned. */
  get version(): number {
    return this.#runs;
  }

  forget(): void {
    this.#held = undefined;
  }

  async #renew(): Promise<ExecCredential> {
    const output = await run(this.#config, await execInfo(this.#config, this.#cluster), this.#longestRunMs);
    const credential = parseExecCredential(output, this.#config);
    if (credential.certificate?.cert !== this.#certificate) {
      if (this.#runs > 0) this.#generation++;
      this.#certificate = credential.certificate?.cert;
    }
    this.#runs++;
    this.#held = credential;
    return credential;
  }
}

const isInteractive = (config: ExecConfig): boolean => config.interactiveMode !== 'Never' && process.stdin.isTTY;

/** Returns the value of KUBERNETES_EXEC_INFO. */
async function execInfo(config: ExecConfig, cluster: ClusterConfig): Promise<string> {
  const spec = { interactive: isInteractive(config), ...(config.provideClusterInfo ? { cluster: await clusterInfo(cluster) } : {}) };
  return JSON.stringify({ apiVersion: config.apiVersion, kind: 'ExecCredential', spec });
}

async function clusterInfo(cluster: ClusterConfig): Promise<object> {
  const authority = cluster.certificateAuthority;
  const pem = authority === undefined ? undefined : 'data' in authority ? authority.data : await readFile(authority.file, 'utf8');
  return {
    server: cluster.server,
    ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(pem === undefined ? {} : { 'certificate-authority-data': Buffer.from(pem).toString('base64') }),
    ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
  };
}

async function run(config: ExecConfig, info: string, longestRunMs: number): Promise<string> {
  if (config.interactiveMode === 'Always' && !process.stdin.isTTY) {
    throw new ConfigError(`user.exec: ${config.command} needs a terminal (interactiveMode: Always), and standard input is not a terminal`);
  }
  const { command: file, args } = config;
  const how = isInteractive(config)
    ? { input: { kind: 'Terminal' as const } }
    : { input: { kind: 'Nothing' as const }, limit: milliseconds(longestRunMs) };
  try {
    return await runCommand({ file, args, env: { ...config.env, KUBERNETES_EXEC_INFO: info }, errors: 'inherit', ...how });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new ConfigError(faultOf(config, error.failure, longestRunMs), { cause: error });
  }
}

function faultOf(config: ExecConfig, failure: CommandFailure, longestRunMs: number): string {
  const plugin = `user.exec: ${config.command}`;
  switch (failure.kind) {
    case 'NotStarted':
      return cannotStart(config, failure.code);
    case 'TooLate':
      return `${plugin} gave no credential within ${longestRunMs} ms`;
    case 'TooLong':
      return `${plugin} printed more than ${failure.longest} bytes`;
    case 'Failed':
      return `${plugin} failed with ${failure.with}`;
    default:
      return unreachable(failure);
  }
}

function cannotStart(config: ExecConfig, code: string): string {
  const hint = config.installHint.replace(/\s+/g, ' ').trim();
  return `user.exec: cannot start ${config.command}: ${code}${hint === '' ? '' : `. ${hint}`}`;
}

interface ExecCredentialBody {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly status?: {
    readonly token?: unknown;
    readonly clientCertificateData?: unknown;
    readonly clientKeyData?: unknown;
    readonly expirationTimestamp?: unknown;
  } | null;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Reads the output of a plugin. Error messages never quote the output. */
export function parseExecCredential(output: string, config: Pick<ExecConfig, 'command' | 'apiVersion'>): ExecCredential {
  const { kind, apiVersion, status } = parseBody(output, config);
  if (kind !== 'ExecCredential' || apiVersion !== config.apiVersion) {
    throw new ConfigError(`user.exec: ${config.command} must print an ExecCredential of ${config.apiVersion}`);
  }
  const token = text(status?.token);
  const certificate = certificateOf(status, config.command);
  if (token === undefined && certificate === undefined) {
    throw new ConfigError(`user.exec: ${config.command} printed neither a token nor a certificate`);
  }
  const expiresAt = Date.parse(text(status?.expirationTimestamp) ?? '');
  return {
    ...(token === undefined ? {} : { token }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}

function certificateOf(status: ExecCredentialBody['status'], command: string): ClientCertificate | undefined {
  const cert = text(status?.clientCertificateData);
  const key = text(status?.clientKeyData);
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  throw new ConfigError(`user.exec: ${command} must print clientCertificateData and clientKeyData together`);
}

function parseBody(output: string, config: Pick<ExecConfig, 'command'>): ExecCredentialBody {
  let body: unknown;
  try {
    body = parseJsonText(output);
  } catch {
    body = undefined;
  }
  if (typeof body !== 'object' || body === null) throw new ConfigError(`user.exec: ${config.command} did not print a JSON object`);
  return body;
}
