/** The credentials of a running client: what it sends with each request and each connection, and when it fetches them again. */
import { readFile } from 'node:fs/promises';
import { CertificateFiles, readPem } from './certificate-files.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { ConfigError, type ClusterConfig, type UserAuth } from './cluster-config.ts';
import { ExecPlugin } from './exec-plugin.ts';
import { OidcTokens, type OidcOptions } from './oidc-tokens.ts';

const TOKEN_FILE_MAX_AGE_MS = 60_000;

/** A secret that may be renewed while the program runs. */
interface Renewable {
  /** Increases each time that the secret is fetched again. */
  readonly version: number;
  /** False for a secret that never changes. */
  readonly renewable: boolean;
  /** Drops the cached secret. */
  forget(): void;
}

/** Source of the Authorization header. */
interface TokenSource extends Renewable {
  authorization(): string | undefined | Promise<string | undefined>;
}

/** The secrets of one cluster user. Safe for concurrent calls. Nothing is read before it is needed. */
export class Credentials {
  readonly #exec: ExecPlugin | undefined;
  readonly #files: CertificateFiles | undefined;
  readonly #tokens: TokenSource;
  readonly #all: readonly Renewable[];

  /**
   * Creates the credentials of one user.
   *
   * @param nowMs monotonic milliseconds, for the age of files
   * @param oidc for an OpenID Connect issuer
   */
  constructor(config: ClusterConfig, nowMs: () => number = () => performance.now(), oidc: Omit<OidcOptions, 'nowMs'> = {}) {
    const { exec, clientCertificate } = config.user;
    this.#exec = exec === undefined ? undefined : new ExecPlugin(exec, config);
    this.#files = clientCertificate === undefined ? undefined : new CertificateFiles(clientCertificate, nowMs);
    this.#tokens = tokenSource(config.user, this.#exec, { nowMs, oidc });
    this.#all = [this.#tokens, this.#exec, this.#files].filter((source) => source?.renewable === true) as readonly Renewable[];
  }

  /**
   * Returns the Authorization header, undefined for none. It also checks certificate files, so that {@link certificateGeneration} is current when the
   * call chooses its connection. Rejects with {@link ConfigError} when there is no token.
   */
  authorization(): string | undefined | Promise<string | undefined> {
    const checked = this.#files?.check();
    return checked === undefined ? this.#tokens.authorization() : checked.then(() => this.#tokens.authorization());
  }

  /** Returns the certificate to present to the server, for one new connection. */
  async clientCertificate(): Promise<ClientCertificate | undefined> {
    return this.#files === undefined ? (await this.#exec?.credential())?.certificate : await this.#files.pair();
  }

  /** Increases when connections made with an earlier certificate should no longer be used. */
  get certificateGeneration(): number {
    return this.#files?.generation ?? this.#exec?.certificateGeneration ?? 0;
  }

  /** Increases when any secret was fetched again. */
  get version(): number {
    return this.#all.reduce((sum, { version }) => sum + version, 0);
  }

  /**
   * Drops the cached secrets. Call it when the server answered 401. Of many calls that were refused with the same secrets, only the first causes them
   * to be fetched again.
   *
   * @param used the {@link version} that the refused call had
   * @returns whether another attempt may succeed
   */
  forget(used: number): boolean {
    if (used === this.version) for (const source of this.#all) source.forget();
    return this.#all.length > 0;
  }
}

/** Returns the CA bundle for one new connection. */
export const readAuthority = async (config: ClusterConfig): Promise<string | undefined> =>
  config.certificateAuthority === undefined ? undefined : await readPem(config.certificateAuthority, 'certificate-authority');

function tokenSource(
  { tokenFile, token, oidc, basic }: UserAuth,
  exec: ExecPlugin | undefined,
  options: { readonly nowMs: () => number; readonly oidc: Omit<OidcOptions, 'nowMs'> },
): TokenSource {
  if (tokenFile !== undefined) return new TokenFile(tokenFile, options.nowMs);
  if (token !== undefined) return fixed(`Bearer ${token}`);
  if (exec !== undefined) return new ExecTokens(exec);
  if (oidc !== undefined) return new OidcTokens(oidc, options.oidc);
  if (basic !== undefined) return fixed(`Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`);
  return fixed(undefined);
}

const fixed = (header: string | undefined): TokenSource => ({
  version: 0,
  renewable: false,
  authorization: () => header,
  forget: () => undefined,
});

/** The plugin itself counts as renewable: it may return a certificate besides the token, or without one. */
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
    // The plugin handles it.
  }
}

/** A mounted token. The kubelet replaces the file long before the token expires. When reading it again fails, the known token is kept. */
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
