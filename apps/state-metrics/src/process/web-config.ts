/**
 * `--tls-config`: TLS and basic authentication of both servers, in the format of exporter-toolkit's web configuration.
 *
 * The file and those that it names are read again every 30 s, so that certificates and passwords are replaced without a restart. A file that
 * cannot be used any more is reported once and changes nothing.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { ConfigError, readConfigDocument } from '@kruise/kube';
import { parsePasswordHash, type PasswordHash } from './password-hash.ts';

type Reader = NonNullable<ReturnType<typeof readConfigDocument>>;

/** What a client must show. */
const clientAuthTypes = [
  'NoClientCert',
  'RequestClientCert',
  'RequireAnyClientCert',
  'VerifyClientCertIfGiven',
  'RequireAndVerifyClientCert',
] as const;
type ClientAuthType = (typeof clientAuthTypes)[number];

export interface WebConfig {
  /** Absent: plain HTTP. */
  readonly tls?: { readonly options: TlsOptions; readonly clientAuth: ClientAuthType };
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty: clients need no password. */
  readonly users: ReadonlyMap<string, PasswordHash>;
}

export const emptyWebConfig: WebConfig = { headers: {}, users: new Map() };

const versions = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;
const versionNames = Object.keys(versions) as readonly (keyof typeof versions)[];
const curves: Readonly<Record<string, string>> = { CurveP256: 'P-256', CurveP384: 'P-384', CurveP521: 'P-521', X25519: 'X25519' };
const headerNames = [
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'X-Frame-Options',
  'X-XSS-Protection',
  'Content-Security-Policy',
];

function refuseUnknown(reader: Reader, known: readonly string[]): void {
  const unknown = reader.keys().find((key) => !known.includes(key));
  if (unknown !== undefined) throw reader.complaint(unknown, 'is unknown');
}

/** Go's name of a cipher suite as OpenSSL has it; the suites of TLS 1.3 have the same names in both. */
export const cipherName = (name: string): string =>
  /^TLS_(?:AES|CHACHA20)_/.test(name)
    ? name
    : name
        .replace(/^TLS_(?:RSA_WITH_)?/, '')
        .replace('_WITH_', '-')
        .replace(/AES_(\d+)/, 'AES$1')
        .replace(/_POLY1305_SHA256$/, '_POLY1305')
        .replace(/_CBC_/, '_')
        .replaceAll('_', '-');

function fileAt(reader: Reader, field: string): string | undefined {
  const path = reader.text(field);
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(dirname(reader.file), path), 'utf8');
  } catch (error) {
    throw reader.complaint(field, `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
}

function pem(reader: Reader, inline: string, file: string): string {
  const text = reader.text(inline) ?? fileAt(reader, file);
  if (text === undefined) throw reader.complaint(file, 'is required');
  return text;
}

function suites(reader: Reader): Pick<SecureContextOptions, 'ciphers' | 'ecdhCurve'> {
  const ciphers = reader.texts('cipher_suites').map(cipherName);
  const chosen = reader.texts('curve_preferences').map((name) => {
    const curve = Object.hasOwn(curves, name) ? curves[name] : undefined;
    if (curve === undefined) throw reader.complaint('curve_preferences', `must be of ${Object.keys(curves).join(', ')}`);
    return curve;
  });
  return {
    ...(ciphers.length === 0 ? {} : { ciphers: ciphers.join(':') }),
    ...(chosen.length === 0 ? {} : { ecdhCurve: chosen.join(':') }),
  };
}

const tlsFields = [
  ...['cert', 'cert_file', 'key', 'key_file', 'client_auth_type', 'client_ca', 'client_ca_file', 'min_version', 'max_version'],
  ...['cipher_suites', 'prefer_server_cipher_suites', 'curve_preferences'],
];

function readTls(reader: Reader): NonNullable<WebConfig['tls']> {
  refuseUnknown(reader, tlsFields);
  const clientAuth = reader.oneOf('client_auth_type', clientAuthTypes) ?? 'NoClientCert';
  const authority = reader.text('client_ca') ?? fileAt(reader, 'client_ca_file');
  const verifies = clientAuth === 'VerifyClientCertIfGiven' || clientAuth === 'RequireAndVerifyClientCert';
  if (verifies && authority === undefined) throw reader.complaint('client_ca_file', `is required by client_auth_type ${clientAuth}`);
  if (authority !== undefined && clientAuth === 'NoClientCert')
    throw reader.complaint('client_ca_file', 'needs a client_auth_type that requests certificates');
  const options: TlsOptions = {
    cert: pem(reader, 'cert', 'cert_file'),
    key: pem(reader, 'key', 'key_file'),
    ...(authority === undefined ? {} : { ca: authority }),
    requestCert: clientAuth !== 'NoClientCert',
    rejectUnauthorized: clientAuth === 'RequireAndVerifyClientCert',
    minVersion: versions[reader.oneOf('min_version', versionNames) ?? 'TLS12'],
    maxVersion: versions[reader.oneOf('max_version', versionNames) ?? 'TLS13'],
    honorCipherOrder: reader.flag('prefer_server_cipher_suites') ?? true,
    ...suites(reader),
  };
  return { options, clientAuth };
}

function readHeaders(reader: Reader | undefined): WebConfig['headers'] {
  if (reader === undefined) return {};
  refuseUnknown(reader, headerNames);
  return Object.fromEntries(reader.keys().map((name) => [name, reader.text(name) ?? '']));
}

function readUsers(reader: Reader | undefined): WebConfig['users'] {
  const users = new Map<string, PasswordHash>();
  for (const name of reader?.keys() ?? []) {
    const hash = parsePasswordHash(reader?.text(name) ?? '');
    if (hash === undefined) throw new ConfigError(`${reader?.file}: basic_auth_users: the password of a user is not a bcrypt hash`);
    users.set(name, hash);
  }
  return users;
}

/** @throws ConfigError with one line that names the file and the field */
export function parseWebConfig(path: string, text: string): WebConfig {
  const document = readConfigDocument({ path, text });
  if (document === undefined) return emptyWebConfig;
  refuseUnknown(document, ['tls_server_config', 'http_server_config', 'basic_auth_users']);
  const tls = document.object('tls_server_config');
  const http = document.object('http_server_config');
  if (http !== undefined) refuseUnknown(http, ['http2', 'headers']);
  return {
    ...(tls === undefined || tls.keys().length === 0 ? {} : { tls: readTls(tls) }),
    headers: readHeaders(http?.object('headers')),
    users: readUsers(document.object('basic_auth_users')),
  };
}

/** @throws ConfigError when a file cannot be read or used */
export function readWebConfig(path: string): WebConfig {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`--tls-config=${path}: cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`);
  }
  return parseWebConfig(path, text);
}
