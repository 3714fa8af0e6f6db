/** What a client asks an OpenID Connect issuer over HTTPS: where tokens are issued, and a new ID token for a refresh token. */
import { isJsonObject, parseJsonText, type JsonObject } from '@kruise/objects';
import { readPem } from './certificate-files.ts';
import { ConfigError, type OidcConfig } from './cluster-config.ts';
import { requestHttps, type HttpsAnswer, type HttpsForm } from './https-request.ts';
import { proxyFromEnvironment, type Environment } from './proxy-environment.ts';

const longestAnswerMs = 30_000;

/** What a refresh returns. */
export interface IssuedTokens {
  readonly idToken: string;
  /** Absent when the one that was sent stays valid. */
  readonly refreshToken?: string;
}

/** How the issuer is reached. */
export interface IssuerOptions {
  /** For HTTPS_PROXY and NO_PROXY. kubectl, too, does not use the `proxy-url` of the cluster for the issuer. */
  readonly env: Environment;
  /** Limit of each of the two answers in milliseconds; default 30 s. */
  readonly longestAnswerMs?: number;
}

/** The issuer does not accept the refresh token. */
export class RefreshRefused extends ConfigError {}

const field = 'user.auth-provider';

/** Returns the object in a text, without members when the text is none. */
function objectIn({ text }: HttpsAnswer): JsonObject {
  try {
    const value: unknown = parseJsonText(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

const memberOf = (body: JsonObject, member: string): unknown => (Object.hasOwn(body, member) ? body[member] : undefined);

/** Returns a member of an answer that is a text. */
function textIn(body: JsonObject, member: string): string | undefined {
  const value = memberOf(body, member);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a URL for messages: without user, password and query. */
function nameOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : message;
};

async function askIssuer(config: OidcConfig, url: string, options: IssuerOptions & { readonly form?: HttpsForm }): Promise<HttpsAnswer> {
  const authority = config.certificateAuthority;
  const ca = authority === undefined ? undefined : await readPem(authority, `${field}.config.idp-certificate-authority`);
  const proxyUrl = proxyFromEnvironment(url, options.env);
  try {
    return await requestHttps(url, { ca, proxyUrl, form: options.form, timeoutMs: options.longestAnswerMs ?? longestAnswerMs });
  } catch (error) {
    const way = proxyUrl === undefined ? '' : ' through the proxy of the environment';
    throw new ConfigError(`${field}: no answer from ${nameOf(url)}${way}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Where and how the issuer accepts refresh tokens. */
interface TokenEndpoint {
  readonly url: string;
  /** True if the client secret is accepted only in the `Authorization` header. */
  readonly basic: boolean;
}

async function tokenEndpoint(config: OidcConfig, options: IssuerOptions): Promise<TokenEndpoint> {
  const url = `${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await askIssuer(config, url, options);
  const body = objectIn(answer);
  const endpoint = textIn(body, 'token_endpoint');
  if (answer.status !== 200 || endpoint === undefined || !URL.canParse(endpoint) || new URL(endpoint).protocol !== 'https:')
    throw new ConfigError(`${field}: ${nameOf(url)} answered ${answer.status} without a token_endpoint that begins with https://`);
  const methods = memberOf(body, 'token_endpoint_auth_methods_supported');
  const accepts = (method: string): boolean => Array.isArray(methods) && (methods as unknown[]).includes(method);
  return { url: endpoint, basic: accepts('client_secret_basic') && !accepts('client_secret_post') };
}

/** Encodes as in a form, as RFC 6749 2.3.1 requires for the parts of the `Authorization` header. */
const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2);

/** Returns the request of a refresh. The client secret is a parameter unless the issuer announces that it accepts only the header. */
function refreshForm({ clientId, clientSecret }: OidcConfig, refreshToken: string, basic: boolean): HttpsForm {
  const parameters = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId });
  if (clientSecret === undefined) return { text: parameters.toString() };
  if (basic) {
    const pair = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64');
    return { text: parameters.toString(), authorization: `Basic ${pair}` };
  }
  parameters.set('client_secret', clientSecret);
  return { text: parameters.toString() };
}

/**
 * Exchanges a refresh token.
 *
 * @throws RefreshRefused when the issuer refuses the refresh token, ConfigError for anything else. Both name the issuer and its error code, and no secret
 */
export async function refreshTokens(config: OidcConfig, refreshToken: string, options: IssuerOptions): Promise<IssuedTokens> {
  const { url, basic } = await tokenEndpoint(config, options);
  const answer = await askIssuer(config, url, { ...options, form: refreshForm(config, refreshToken, basic) });
  const body = objectIn(answer);
  const idToken = textIn(body, 'id_token');
  if (answer.status !== 200 || idToken === undefined) {
    const code = /^[\w.-]{1,60}$/.exec(textIn(body, 'error') ?? '')?.[0];
    const reason = answer.status === 200 ? 'no id_token' : `status ${answer.status}${code === undefined ? '' : ` (${code})`}`;
    const message = `${field}: ${nameOf(url)} answered a refresh with ${reason}: log in again`;
    throw code === 'invalid_grant' ? new RefreshRefused(message) : new ConfigError(message);
  }
  const next = textIn(body, 'refresh_token');
  return { idToken, ...(next === undefined ? {} : { refreshToken: next }) };
}
