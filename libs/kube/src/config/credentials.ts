/** The secrets of a client while it runs: what to send with each request and each connection, and when to fetch it anew. */
import { readFile } from 'node:fs/promises';
import type { ClientCertificate } from './client-certificate.ts';
import { ConfigError, type ClusterConfig, type Pem } from './cluster-config.ts';
import { ExecPlugin } from './exec-plugin.ts';

const TOKEN_FILE_MAX_AGE_MS = 60_000;

/** Source of the Authorization header. */
interface TokenSource {
  authorization(): string | undefined | Promise<string | undefined>;
  /** Drops what is cached. @returns whether the next value may differ */
  forget(): boolean;
}

/** One cluster user's secrets. Safe for concurrent calls; nothing is read before it is asked for. */
export class Credentials {
  readonly #config: ClusterConfig;
  readonly #exec: ExecPlugin | undefined;
  readonly #tokens: TokenSource;

  /** @param nowMs monotonic milliseconds, for the age of token files */
  constructor(config: ClusterConfig, nowMs: () => number = () => performance.now()) {
    this.#config = config;
    const { exec } = config.user;
    this.#exec = exec === undefined ? undefined : new ExecPlugin(exec, config);
    this.#tokens = tokenSource(config, this.#exec, nowMs);
  }

  /** The Authorization header; undefined for none. Rejects with {@link ConfigError} when the token cannot be had. */
  authorization(): string | undefined | Promise<string | undefined> {
    return this.#tokens.authorization();
  }

  /** The certificate to show to the server, for one new connection. */
  async clientCertificate(): Promise<ClientCertificate | undefined> {
    const own = this.#config.user.clientCertificate;
    if (own !== undefined) {
      return { cert: await readPem(own.certificate, 'client-certificate'), key: await readPem(own.key, 'client-key') };
    }
    return (await this.#exec?.credential())?.certificate;
  }

  /** Grows when connections made with an earlier certificate should no longer be used. */
  get certificateGeneration(): number {
    return this.#exec?.certificateGeneration ?? 0;
  }

  /** To be called when the server answered 401. @returns whether another attempt may succeed */
  forget(): boolean {
    return this.#tokens.forget();
  }
}

/** The CA bundle for one new connection. */
export const readAuthority = async (config: ClusterConfig): Promise<string | undefined> =>
  config.certificateAuthority === undefined ? undefined : await readPem(config.certificateAuthority, 'certificate-authority');

async function readPem(pem: Pem, field: string): Promise<string> {
  if ('data' in pem) return pem.data;
  try {
    return await readFile(pem.file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${field}: cannot read ${pem.file}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, { cause: error });
  }
}

function tokenSource(config: ClusterConfig, exec: ExecPlugin | undefined, nowMs: () => number): TokenSource {
  const { tokenFile, token, basic } = config.user;
  if (tokenFile !== undefined) return new TokenFile(tokenFile, nowMs);
  if (token !== undefined) return fixed(`Bearer ${token}`);
  if (exec !== undefined) return new ExecTokens(exec);
  if (basic !== undefined) return fixed(`Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`);
  return fixed(undefined);
}

const fixed = (header: string | undefined): TokenSource => ({ authorization: () => header, forget: () => false });

class ExecTokens implements TokenSource {
  readonly #plugin: ExecPlugin;

  constructor(plugin: ExecPlugin) {
    this.#plugin = plugin;
  }

  async authorization(): Promise<string | undefined> {
    const { token } = await this.#plugin.credential();
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  forget(): boolean {
    this.#plugin.forget();
    return true;
  }
}

/** A mounted token: the kubelet replaces the file long before the token expires. A failed re-read keeps the token that is known. */
class TokenFile implements TokenSource {
  readonly #path: string;
  readonly #nowMs: () => number;
  #header: string | undefined;
  #readAt = 0;
  #reading: Promise<string> | undefined;

  constructor(path: string, nowMs: () => number) {
    this.#path = path;
    this.#nowMs = nowMs;
  }

  authorization(): string | Promise<string> {
    if (this.#header !== undefined && this.#nowMs() - this.#readAt < TOKEN_FILE_MAX_AGE_MS) return this.#header;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  forget(): boolean {
    this.#readAt = Number.NEGATIVE_INFINITY;
    return true;
  }

  async #read(): Promise<string> {
    try {
      const token = (await readFile(this.#path, 'utf8')).trim();
      if (token === '') throw new ConfigError(`tokenFile: ${this.#path} is empty`);
      this.#header = `Bearer ${token}`;
    } catch (error) {
      if (this.#header === undefined) throw asConfigError(error, this.#path);
    }
    this.#readAt = this.#nowMs();
    return this.#header;
  }
}

const asConfigError = (error: unknown, path: string): ConfigError =>
  error instanceof ConfigError
    ? error
    : new ConfigError(`tokenFile: cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, { cause: error });
