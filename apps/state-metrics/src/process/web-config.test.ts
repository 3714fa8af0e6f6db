import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCiphers } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cipherName, parseWebConfig, readWebConfig } from './web-config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'web-config-'));
  for (const name of ['tls.crt', 'tls.key', 'ca.crt']) writeFileSync(join(folder, name), name);
});
afterAll(() => rmSync(folder, { recursive: true }));

const parse = (text: string) => parseWebConfig(join(folder, 'web.yaml'), text);
const tls = (...lines: readonly string[]) => ['tls_server_config:', ...lines.map((line) => `  ${line}`)].join('\n');
const files = ['cert_file: tls.crt', 'key_file: tls.key'];

describe('a web configuration', () => {
  it('may be empty', () => {
    for (const text of ['', '# nothing', 'tls_server_config: {}']) expect(parse(text)).toEqual({ headers: {}, users: new Map() });
  });

  it('has TLS 1.2 and 1.3 and requests no certificate, unless it says otherwise', () => {
    expect(parse(tls(...files)).tls).toEqual({
      clientAuth: 'NoClientCert',
      options: {
        cert: 'tls.crt',
        key: 'tls.key',
        requestCert: false,
        rejectUnauthorized: false,
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
        honorCipherOrder: true,
      },
    });
  });

  it('may request certificates, other versions, suites and curves', () => {
    const given = parse(
      tls(
        ...files,
        'client_auth_type: RequireAndVerifyClientCert',
        'client_ca_file: ca.crt',
        'min_version: TLS13',
        'cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]',
        'curve_preferences: [CurveP256, X25519]',
        'prefer_server_cipher_suites: false',
      ),
    );
    expect(given.tls?.options).toMatchObject({
      ca: 'ca.crt',
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
      ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
      ecdhCurve: 'P-256:X25519',
      honorCipherOrder: false,
    });
  });

  it.each([
    ['an unknown section', 'foo: 1', /foo: is unknown/],
    ['an unknown field', tls(...files, 'foo: 1'), /tls_server_config\.foo: is unknown/],
    ['no key', tls('cert_file: tls.crt'), /key_file: is required/],
    ['a file that is absent', tls('cert_file: other.crt', 'key_file: tls.key'), /cert_file: cannot be read: ENOENT/],
    ['verification without an authority', tls(...files, 'client_auth_type: VerifyClientCertIfGiven'), /client_ca_file: is required/],
    ['an authority without verification', tls(...files, 'client_ca_file: ca.crt'), /needs a client_auth_type/],
    ['an unknown type of authentication', tls(...files, 'client_auth_type: Maybe'), /must be one of NoClientCert/],
    ['a password that is no hash', 'basic_auth_users:\n  a: secret', /^(?!.*secret).*not a bcrypt hash/],
    ['a header that is not allowed', 'http_server_config:\n  headers:\n    X-Other: a', /X-Other: is unknown/],
    ['no YAML', 'a: [', /not YAML/],
  ])('is refused with %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('is refused when the file is absent', () => {
    expect(() => readWebConfig(join(folder, 'other.yaml'))).toThrow(/^--tls-config=.*other\.yaml: cannot be read: ENOENT$/);
  });

  it('has names of suites that OpenSSL knows', () => {
    const names = [
      ...[
        'TLS_RSA_WITH_AES_128_CBC_SHA',
        'TLS_RSA_WITH_AES_256_CBC_SHA',
        'TLS_RSA_WITH_AES_128_GCM_SHA256',
        'TLS_RSA_WITH_AES_256_GCM_SHA384',
      ],
      ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA'],
      ...['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
      ...[
        'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
        'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
        'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256',
      ],
    ];
    const known = getCiphers();
    expect(names.map(cipherName).filter((name) => !known.includes(name.toLowerCase()))).toEqual([]);
  });
});
