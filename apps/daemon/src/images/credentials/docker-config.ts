/** Credentials as docker writes them: `config.json` with its `auths`, the older `.dockercfg`, and the secrets that contain one of them. */
import { isJsonObject, parseJsonText, type JsonObject, type Secret } from '@kruise/objects';
import type { Credential, RegistryCredential } from './keyring.ts';

/** `message` contains the place and the fault, never the content. */
export class UnreadableCredentials extends Error {
  override readonly name = 'UnreadableCredentials';
}

export type DockerConfigFormat = 'config.json' | '.dockercfg';

/**
 * Parses a docker configuration.
 *
 * @param source for errors, e.g. `secret ns/name`
 * @throws UnreadableCredentials
 */
export function parseDockerConfig(text: string, format: DockerConfigFormat, source: string): readonly RegistryCredential[] {
  const content = parseObject(text, source);
  const auths = format === '.dockercfg' ? content : (content['auths'] ?? {});
  if (!isJsonObject(auths)) throw new UnreadableCredentials(`${source}: auths must be an object`);
  return Object.entries(auths).flatMap(([location, entry]) => {
    if (!isJsonObject(entry)) throw new UnreadableCredentials(`${source}: an entry is not an object`);
    const credential = credentialOf(entry, source);
    // Docker leaves empty entries when a credential store or a token has the secret; runtimes refuse to pull with them.
    return credential.username === '' && credential.password === '' ? [] : [{ location, credential }];
  });
}

function parseObject(text: string, source: string): JsonObject {
  let content: unknown;
  try {
    content = parseJsonText(text);
  } catch {
    content = undefined; // The parser's message would quote the text.
  }
  if (!isJsonObject(content)) throw new UnreadableCredentials(`${source}: is not a JSON object`);
  return content;
}

/** Returns a credential. `auth`, the base64 of `user:password`, takes precedence over the other members. */
function credentialOf(entry: JsonObject, source: string): Credential {
  const { auth } = entry;
  if (typeof auth === 'string' && auth !== '') return decodeAuth(auth, source);
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { username: text(entry['username']), password: text(entry['password']) };
}

/** Returns the text without the zero bytes around it. Counted, because a pattern for those at the end would retry from each earlier zero. */
function withoutPadding(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === '\0') start++;
  while (end > start && text[end - 1] === '\0') end--;
  return text.slice(start, end);
}

function decodeAuth(auth: string, source: string): Credential {
  const decoded = /^[A-Za-z0-9+/_-]*={0,2}$/.test(auth.trim()) ? Buffer.from(auth, 'base64').toString('utf8') : '';
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new UnreadableCredentials(`${source}: an auth is not the base64 of user:password`);
  // Docker pads with zero bytes.
  return { username: decoded.slice(0, colon), password: withoutPadding(decoded.slice(colon + 1)) };
}

const formats: Readonly<Record<string, { readonly key: string; readonly format: DockerConfigFormat }>> = {
  'kubernetes.io/dockerconfigjson': { key: '.dockerconfigjson', format: 'config.json' },
  'kubernetes.io/dockercfg': { key: '.dockercfg', format: '.dockercfg' },
};

/**
 * Returns the credentials in a pull secret; none for a secret of another type or without data.
 *
 * @throws UnreadableCredentials
 */
export function credentialsOfSecret({ metadata, type = '', data = {} }: Secret): readonly RegistryCredential[] {
  const known = Object.hasOwn(formats, type) ? formats[type] : undefined;
  const value: unknown = known === undefined ? undefined : data[known.key];
  if (known === undefined || typeof value !== 'string' || value === '') return [];
  const source = `secret ${metadata.namespace ?? ''}/${metadata.name}`;
  return parseDockerConfig(Buffer.from(value, 'base64').toString('utf8'), known.format, source);
}
