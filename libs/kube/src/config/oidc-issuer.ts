/** What a client asks an OpenID Connect issuer over HTTPS: where tokens are issued, and a new ID token for a refresh token. */
import { request } from 'node:https';
import { isJsonObject, parseJsonText, type JsonObject } from '@kruise/objects';
import { readPem } from './certificate-files.ts';
import { ConfigError, type OidcConfig } from './cluster-config.ts';

const longestAnswerMs = 30_000;
const longestAnswerBytes = 1 << 20;

/** What a refresh returns. */
export interface IssuedTokens {
  readonly idToken: string;
  /** Absent when the one that was sent stays valid. */
  readonly refreshToken?: string;
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

const field = 'user.auth-provider';

/** Reads one answer. Rejects with the reason, which contains no secret. */
function ask(url: string, authority: string | undefined, form?: string): Promise<Answer> {
  const method = form === undefined ? 'GET' : 'POST';
  const headers = {
    accept: 'application/json',
    ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(form) }),
  };
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(longestAnswerMs);
    const sent = request(
      url,
      { method, headers, signal, agent: false, ...(authority === undefined ? {} : { ca: authority }) },
      (response) => {
        let [text, bytes] = ['', 0];
        response.setEncoding('utf8').on('data', (part: string) => {
          bytes += Buffer.byteLength(part);
          if (bytes > longestAnswerBytes) sent.destroy(new Error(`an answer of more than ${longestAnswerBytes} bytes`));
          else text += part;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: objectIn(text) }));
      },
    );
    sent.on('error', reject);
    sent.end(form);
  });
}

/** Returns the object in a text, without members when the text is none. */
function objectIn(text: string): JsonObject {
  try {
    const value: unknown = parseJsonText(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns a member of an answer that is a text. */
function textIn({ body }: Answer, member: string): string | undefined {
  const value = Object.hasOwn(body, member) ? body[member] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
};

async function askIssuer(config: OidcConfig, url: string, form?: string): Promise<Answer> {
  const authority = config.certificateAuthority;
  const pem = authority === undefined ? undefined : await readPem(authority, `${field}.config.idp-certificate-authority`);
  try {
    return await ask(url, pem, form);
  } catch (error) {
    throw new ConfigError(`${field}: no answer from ${url}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the address at which the issuer issues tokens. */
async function tokenEndpoint(config: OidcConfig): Promise<string> {
  const url = `${config.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await askIssuer(config, url);
  const endpoint = textIn(answer, 'token_endpoint');
  if (answer.status !== 200 || endpoint === undefined || !URL.canParse(endpoint) || new URL(endpoint).protocol !== 'https:')
    throw new ConfigError(`${field}: ${url} answered ${answer.status} without a token_endpoint that begins with https://`);
  return endpoint;
}

/**
 * Exchanges a refresh token. The client secret is sent as a parameter, as kubectl does.
 *
 * @throws ConfigError that names the issuer and its error code, and no secret
 */
export async function refreshTokens(config: OidcConfig, refreshToken: string): Promise<IssuedTokens> {
  const { clientId, clientSecret } = config;
  const endpoint = await tokenEndpoint(config);
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId });
  if (clientSecret !== undefined) form.set('client_secret', clientSecret);
  const answer = await askIssuer(config, endpoint, form.toString());
  const idToken = textIn(answer, 'id_token');
  if (answer.status !== 200 || idToken === undefined) {
    const code = /^[\w.-]{1,60}$/.exec(textIn(answer, 'error') ?? '')?.[0];
    const reason = answer.status === 200 ? 'no id_token' : `status ${answer.status}${code === undefined ? '' : ` (${code})`}`;
    throw new ConfigError(`${field}: ${endpoint} answered a refresh with ${reason}: log in again`);
  }
  const next = textIn(answer, 'refresh_token');
  return { idToken, ...(next === undefined ? {} : { refreshToken: next }) };
}
