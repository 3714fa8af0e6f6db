/**
 * The ID token of an `auth-provider` called `oidc`: used until it expires or is refused, then exchanged with the refresh token. An issuer may accept a
 * refresh token once, so the new tokens are written to the kubeconfig, as kubectl does, and those that another program wrote there are used. Processes
 * of this program exchange the token of a kubeconfig one after the other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, parseJsonText } from '@kruise/objects';
import { ConfigError, type OidcConfig } from './cluster-config.ts';
import { RefreshRefused, refreshTokens, type IssuedTokens } from './oidc-issuer.ts';
import type { Environment } from './proxy-environment.ts';
import { withRefreshLock } from './refresh-lock.ts';

/** Loaded with its YAML parser by the first user of such a provider. */
export const tokenStore = () => import('./store-tokens.ts');

/** A token that expires so soon is not sent. */
const leewayMs = 10_000;

/** A token that was just issued is sent for this long at least: it may have no expiry, or the clock of this machine may be wrong. */
const shortestUseMs = 60_000;

/** How often, and after which pauses, the kubeconfig is read again when the issuer refuses a refresh token that another program may have used. */
const [rereads, rereadPauseMs] = [5, 200];

/** Returns when an ID token expires, in milliseconds since the epoch; 0 for a text that is no ID token. */
export function expiryOf(idToken: string): number {
  try {
    const claims: unknown = parseJsonText(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const expiry = isJsonObject(claims) ? claims['exp'] : undefined;
    const seconds = typeof expiry === 'string' && /^\d+$/.test(expiry) ? Number(expiry) : expiry;
    return typeof seconds === 'number' ? seconds * 1000 : 0;
  } catch {
    return 0;
  }
}

/** What a program gives besides the configuration. */
export interface OidcOptions {
  /** Wall-clock milliseconds since the epoch, compared with the expiry of the token. */
  readonly nowMs?: () => number;
  /** For HTTPS_PROXY and NO_PROXY. */
  readonly env?: Environment;
  /**
   * Called when a new refresh token cannot be written to the kubeconfig, so that the next program needs another login. The tokens are used nevertheless.
   * Without it, that is an error: no user would learn of it.
   */
  readonly onWarning?: (text: string) => void;
}

export class OidcTokens {
  readonly #config: OidcConfig;
  readonly #onWarning: ((text: string) => void) | undefined;
  readonly #nowMs: () => number;
  readonly #env: Environment;
  /** The newest ID token, also after it was refused. */
  #idToken: string | undefined;
  #refreshToken: string | undefined;
  /** The refresh token that the kubeconfig had last. It is older than the one above if the kubeconfig could not be written. */
  #storedRefreshToken: string | undefined;
  /** The ID token is sent until then, in milliseconds since the epoch. */
  #usableUntilMs: number;
  #renewals = 0;
  #renewing: Promise<string> | undefined;

  constructor(config: OidcConfig, { nowMs = () => Date.now(), env = process.env, onWarning }: OidcOptions = {}) {
    this.#config = config;
    this.#onWarning = onWarning;
    this.#nowMs = nowMs;
    this.#env = env;
    this.#idToken = config.idToken;
    this.#refreshToken = config.refreshToken;
    this.#storedRefreshToken = config.refreshToken;
    this.#usableUntilMs = config.idToken === undefined ? 0 : expiryOf(config.idToken) - leewayMs;
  }

  get version(): number {
    return this.#renewals;
  }

  get renewable(): boolean {
    return this.#refreshToken !== undefined;
  }

  forget(): void {
    this.#usableUntilMs = 0;
  }

  authorization(): string | Promise<string> {
    if (this.#idToken !== undefined && this.#usableUntilMs > this.#nowMs()) return `Bearer ${this.#idToken}`;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(): Promise<string> {
    const known = this.#refreshToken;
    if (known === undefined)
      throw new ConfigError(
        'user.auth-provider.config.id-token: is absent or expired, and without refresh-token it is not renewed: log in again',
      );
    return withRefreshLock(this.#config.file, () => this.#renewAlone(known));
  }

  async #renewAlone(known: string): Promise<string> {
    const stored = await this.#readStored();
    if (stored !== undefined) return stored;
    const used = this.#refreshToken ?? known;
    const issued = await this.#exchange(used);
    if (typeof issued === 'string') return issued;
    const { idToken, refreshToken = used } = issued;
    const header = this.#take(idToken, Math.max(expiryOf(idToken) - leewayMs, this.#nowMs() + shortestUseMs));
    this.#refreshToken = refreshToken;
    await this.#store(used, { idToken, refreshToken });
    return header;
  }

  #take(idToken: string, usableUntilMs: number): string {
    this.#idToken = idToken;
    this.#usableUntilMs = usableUntilMs;
    this.#renewals++;
    return `Bearer ${idToken}`;
  }

  /** Takes what another program wrote to the kubeconfig. @returns the header, if the ID token there is a new one that has not expired */
  async #readStored(): Promise<string | undefined> {
    const { storedTokens } = await tokenStore();
    const { idToken, refreshToken } = await storedTokens(this.#config);
    if (refreshToken !== undefined && refreshToken !== this.#storedRefreshToken) {
      this.#refreshToken = refreshToken;
      this.#storedRefreshToken = refreshToken;
    }
    if (idToken === undefined || idToken === this.#idToken) return undefined;
    const until = expiryOf(idToken) - leewayMs;
    return until > this.#nowMs() ? this.#take(idToken, until) : undefined;
  }

  /**
   * Asks the issuer. If it refuses the refresh token, another program may have used it, which then writes the new tokens to the kubeconfig.
   *
   * @returns the new tokens, or the header with the token of the other program
   */
  async #exchange(used: string): Promise<IssuedTokens | string> {
    try {
      return await refreshTokens(this.#config, used, { env: this.#env });
    } catch (error) {
      if (!(error instanceof RefreshRefused)) throw error;
      for (let read = 0; read < rereads; read++) {
        const header = await this.#readStored();
        if (header !== undefined) return header;
        await sleep(rereadPauseMs);
      }
      throw error;
    }
  }

  /** A file that cannot be written matters only if it has a refresh token that is no longer valid. */
  async #store(used: string, tokens: { readonly idToken: string; readonly refreshToken: string }): Promise<void> {
    try {
      const { storeTokens } = await tokenStore();
      await storeTokens(this.#config.file, used, tokens);
      this.#storedRefreshToken = tokens.refreshToken;
    } catch (error) {
      if (tokens.refreshToken === used) return;
      const { code = 'failed' } = error as NodeJS.ErrnoException;
      const text = `user.auth-provider.config.refresh-token: the new one cannot be written to ${this.#config.file}: ${code}`;
      if (this.#onWarning === undefined) throw new ConfigError(text, { cause: error });
      this.#onWarning(`${text}; this command uses it, and the next one needs another login`);
    }
  }
}
