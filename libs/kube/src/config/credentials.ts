/** The secrets of a client while it runs: what to send with each request and each connection, and when to fetch it anew. */
import { readFile } from 'node:fs/promises';
import { CertificateFiles, readPem } from './certificate-files.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { ConfigError, type ClusterConfig } from './cluster-config.ts';
import { ExecPlugin } from './exec-plugin.ts';

const TOKEN_FILE_MAX_AGE_MS = 60_000;

/** Something secret that may be renewed while the program runs. */
interface Renewable {
  /** Grows with every time that it was fetched anew. */
  readonly version: number;
  /** False for what never changes. */
  readonly renewable: boolean;
  /** Drops what is held. */
  forget(): void;
}

/** Source of the Authorization header. */
interface TokenSource extends Renewable {
  authorization(): string | undefined | Promise<string | undefined>;
}

/** One cluster user's secrets. Safe for concurrent calls; nothing is read before it is asked for. */
export class Credentials {
  readonly #exec: ExecPlugin | undefined;
  readonly #files: CertificateFiles | undefined;
  readonly #tokens: TokenSource;
  readonly #all: readonly Renewable[];

  /** @param nowMs monotonic milliseconds, for the age of files */
  constructor(config: ClusterConfig, nowMs: () => number = () => performance.now()) {
    const { exec, clientCertificate } = config.user;
    this.#exec = exec === undefined ? undefined : new ExecPlugin(exec, config);
    this.#files = clientCertificate === undefined ? undefined : new CertificateFiles(clientCertificate, nowMs);
    this.#tokens = tokenSource(config, this.#exec, nowMs);
    this.#all = [this.#tokens, this.#exec, this.#files].filter((source) => source?.renewable === true) as readonly Renewable[];
  }

  /**
   * The Authorization header; undefined for none. Looks after the certificate in files as well, so that {@link certificateGeneration} is right
   * when the call chooses its connection. Rejects with {@link ConfigError} when the token cannot be had.
   */
  authorization(): string | undefined | Promise<string | undefined> {
    const checked = this.#files?.check();
    return checked === undefined ? this.#tokens.authorization() : checked.then(() => this.#tokens.authorization());
  }

  /** The certificate to show to the server, for one new connection. */
  async clientCertificate(): Promise<ClientCertificate | undefined> {
    return this.#files === undefined ? (await this.#exec?.credential())?.certificate : await this.#files.pair();
  }

  /** Grows when connections made with an earlier certificate should no longer be used. */
  get certificateGeneration(): number {
    return this.#files?.generation ?? this.#exec?.certificateGeneration ?? 0;
  }

  /** Grows when anything was fetched anew. */
  get version(): number {
    return this.#all.reduce((sum, { version }) => sum + version, 0);
  }

  /**
   * To be called when the server answered 401. Of many calls that were refused with the same secrets only the first makes them be fetched.
   *
   * @param used the {@link version} that the refused call had
   * @returns whether another attempt may succeed
   */
  forget(used: number): boolean {
    if (used === this.version) for (const source of this.#all) source.forget();
    return this.#all.length > 0;
  }
}

/** The CA bundle for one new connection. */
export const readAuthority = async (config: ClusterConfig): Promise<string | undefined> =>
  config.certificateAuthority === undefined ? undefined : await readPem(config.certificateAuthority, 'certificate-authority');

function tokenSource(config: ClusterConfig, exec: ExecPlugin | undefined, nowMs: () => number): TokenSource {
  const { tokenFile, token, basic } = config.user;
  if (tokenFile !== undefined) return new TokenFile(tokenFile, nowMs);
  if (token !== undefined) return fixed(`Bearer ${token}`);
  if (exec !== undefined) return new ExecTokens(exec);
  if (basic !== undefined) return fixed(`Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`);
  return fixed(undefined);
}

const fixed = (header: string | undefined): TokenSource => ({
  version: 0,
  renewable: false,
  authorization: () => header,
  forget: () => undefined,
});

/** The plugin itself counts as renewable: it may give a certificate beside the token, or without one. */
class ExecTokens implements TokenSource {
  readonly version = 0;
  readonly renewable = false;
  readonly #plugin: ExecPlugin;

  constructor(plugin: ExecPlugin) {
    this.#plugin = plugin;
  }

  async authorization(): Promise<string | undefined> {
    const { token } = await this.#plugin.credential();
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  forget(): void {
    // The plugin's own matter.
  }
}

/** A mounted token: the kubelet replaces the file long before the token expires. A failed re-read keeps the token that is known. */
class TokenFile implements TokenSource {
  readonly renewable = true;
  readonly #path: string;
  readonly #nowMs: () => number;
  #header: string | undefined;
  #readAt = 0;
  #reads = 0;
  #reading: Promise<string> | undefined;

  constructor(path: string, nowMs: () => number) {
    this.#path = path;
    this.#nowMs = nowMs;
  }

  get version(): number {
    return this.#reads;
  }

  authorization(): string | Promise<string> {
    if (this.#header !== undefined && this.#nowMs() - this.#readAt < TOKEN_FILE_MAX_AGE_MS) return this.#header;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
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
    this.#reads++;
    return this.#header;
  }
}

const asConfigError = (error: unknown, path: string): ConfigError =>
  error instanceof ConfigError
    ? error
    : new ConfigError(`tokenFile: cannot read ${path}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, { cause: error });
