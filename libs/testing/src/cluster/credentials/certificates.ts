/** X.509 certificates for the cluster's components: an authority and its certificates, ECDSA P-256, valid for a year. Without openssl. */
import { type KeyObject, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface KeyPair {
  readonly certificatePem: string;
  /** PKCS #8. */
  readonly keyPem: string;
}

export interface Authority extends KeyPair {
  readonly commonName: string;
  readonly privateKey: KeyObject;
}

export interface Subject {
  readonly commonName: string;
  /** Kubernetes reads them as groups. */
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  /** IPv4 in dotted form. */
  readonly ipAddresses?: readonly string[];
}

const [sequenceTag, setTag, utf8Tag, bitStringTag, octetStringTag, integerTag, booleanTag, oidTag, utcTimeTag] = [
  0x30, 0x31, 0x0c, 0x03, 0x04, 0x02, 0x01, 0x06, 0x17,
];

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => element(sequenceTag, ...parts);

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(oidTag, Buffer.from(bytes));
}

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
const attribute = (type: string, value: string): Buffer => element(setTag, sequence(oid(type), element(utf8Tag, Buffer.from(value))));
const nameOf = (subject: Subject): Buffer =>
  sequence(...(subject.organizations ?? []).map((group) => attribute('2.5.4.10', group)), attribute('2.5.4.3', subject.commonName));

/** Returns `YYMMDDHHMMSSZ`, valid until 2049. */
const utcTime = (date: Date): Buffer => element(utcTimeTag, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));

function extension(type: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(type), ...(critical ? [element(booleanTag, Buffer.from([0xff]))] : []), element(octetStringTag, value));
}

const keyUsage = (...bits: readonly number[]): Buffer => extension('2.5.29.15', true, element(bitStringTag, Buffer.from(bits)));

function authorityExtensions(): readonly Buffer[] {
  const certSignAndCrlSign = keyUsage(1, 0x06);
  return [extension('2.5.29.19', true, sequence(element(booleanTag, Buffer.from([0xff])))), certSignAndCrlSign];
}

function leafExtensions(subject: Subject): readonly Buffer[] {
  const names = [
    ...(subject.dnsNames ?? []).map((name) => element(0x82, Buffer.from(name))),
    ...(subject.ipAddresses ?? []).map((address) => element(0x87, Buffer.from(address.split('.').map(Number)))),
  ];
  const digitalSignature = keyUsage(7, 0x80);
  const serverAndClient = extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2')));
  return [digitalSignature, serverAndClient, ...(names.length === 0 ? [] : [extension('2.5.29.17', false, sequence(...names))])];
}

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')}\n-----END ${label}-----\n`;

interface Request {
  readonly subject: Subject;
  readonly issuer: Subject;
  readonly extensions: readonly Buffer[];
  readonly validForMs?: number;
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

function certify(request: Request, keys: { publicKey: KeyObject; privateKey: KeyObject }, issuerKey: KeyObject): KeyPair {
  const now = Date.now();
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(15)]);
  const toBeSigned = sequence(
    element(0xa0, element(integerTag, Buffer.from([2]))),
    element(integerTag, serial),
    ecdsaWithSha256,
    nameOf(request.issuer),
    sequence(utcTime(new Date(now - hourMs)), utcTime(new Date(now + (request.validForMs ?? yearMs)))),
    nameOf(request.subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...request.extensions)),
  );
  const signature = sign('sha256', toBeSigned, issuerKey);
  const der = sequence(toBeSigned, ecdsaWithSha256, element(bitStringTag, Buffer.from([0]), signature));
  return { certificatePem: pem('CERTIFICATE', der), keyPem: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

const newKeys = (): { publicKey: KeyObject; privateKey: KeyObject } => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Creates an authority, which is self-signed unless another one signs it. */
export function createAuthority(commonName: string, signedBy?: Authority): Authority {
  const keys = newKeys();
  const issuer = { commonName: signedBy?.commonName ?? commonName };
  return {
    commonName,
    privateKey: keys.privateKey,
    ...certify({ subject: { commonName }, issuer, extensions: authorityExtensions() }, keys, signedBy?.privateKey ?? keys.privateKey),
  };
}

/** Issues a certificate for servers and clients, with a new key. @param validForMs a year by default; certificates have whole seconds */
export function issueCertificate(authority: Authority, subject: Subject, validForMs = yearMs): KeyPair {
  return certify(
    { subject, issuer: { commonName: authority.commonName }, extensions: leafExtensions(subject), validForMs },
    newKeys(),
    authority.privateKey,
  );
}

/** Returns a private key for signing service account tokens, SEC 1: kube-apiserver reads the public key of an EC key only from that form. */
export const createSigningKeyPem = (): string => newKeys().privateKey.export({ type: 'sec1', format: 'pem' }) as string;
