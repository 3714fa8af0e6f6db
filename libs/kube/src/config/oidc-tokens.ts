/**
 * The ID token of an `auth-provider` called `oidc`: used until it expires or is refused, then exchanged with the refresh token. An issuer may accept a
 * refresh token once, so the new tokens are written to the kubeconfig, as kubectl does.
 */
import { isJsonObject, parseJsonText } from '@kruise/objects';
import { ConfigError, type OidcConfig } from './cluster-config.ts';
import { refreshTokens } from './oidc-issuer.ts';
import { storeTokens } from './store-tokens.ts';

/** A token that expires so soon is not sent. */
const leewayMs = 10_000;

/** Returns when an ID token expires, in milliseconds since the epoch; 0 for a text that is no ID token. */
export function expiryOf(idToken: string): number {
  try {
    const claims: unknown = parseJsonText(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const expiry = isJsonObject(claims) ? claims['exp'] : undefined;
    return typeof expiry === 'number' ? expiry * 1000 : 0;
  } catch {
    return 0;
  }
}

export class OidcTokens {
  readonly #config: OidcConfig;
  readonly #nowMs: () => number;
  #idToken: string | undefined;
  #refreshToken: string | undefined;
  #renewals = 0;
  #renewing: Promise<string> | undefined;

  /** @param nowMs wall-clock milliseconds since the epoch, compared with the expiry of the token */
  constructor(config: OidcConfig, nowMs: () => number = () => Date.now()) {
    this.#config = config;
    this.#nowMs = nowMs;
    this.#idToken = config.idToken;
    this.#refreshToken = config.refreshToken;
  }

  get version(): number {
    return this.#renewals;
  }

  get renewable(): boolean {
    return this.#refreshToken !== undefined;
  }

  forget(): void {
    this.#idToken = undefined;
  }

  authorization(): string | Promise<string> {
    const held = this.#idToken;
    if (held !== undefined && expiryOf(held) - leewayMs > this.#nowMs()) return `Bearer ${held}`;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #renew(): Promise<string> {
    const used = this.#refreshToken;
    if (used === undefined)
      throw new ConfigError(
        'user.auth-provider.config.id-token: is absent or expired, and without refresh-token it is not renewed: log in again',
      );
    const issued = await refreshTokens(this.#config, used);
    this.#idToken = issued.idToken;
    this.#refreshToken = issued.refreshToken ?? used;
    this.#renewals++;
    await this.#store(used, issued.idToken);
    return `Bearer ${issued.idToken}`;
  }

  /** A file that cannot be written matters only if it has a refresh token that is no longer valid. */
  async #store(used: string, idToken: string): Promise<void> {
    const refreshToken = this.#refreshToken ?? used;
    try {
      await storeTokens(this.#config.file, used, { idToken, refreshToken });
    } catch (error) {
      if (refreshToken === used) return;
      const { code = 'failed' } = error as NodeJS.ErrnoException;
      throw new ConfigError(`user.auth-provider.config.refresh-token: the new one cannot be written to ${this.#config.file}: ${code}`, {
        cause: error,
      });
    }
  }
}
