/**
 * The sources of webhook certificates: a Secret (default), files, or an outside authority.
 * Each `ensure` may run at the same time in several replicas. Of two that create or replace the Secret one succeeds; the other throws its conflict,
 * and its next attempt reads what the first one wrote.
 * @see spec/manager.md 4.6
 */
import { isFailure, type Client, type Clock, type Logger } from '@kruise/kube';
import { secrets, type Milliseconds, type ObjectKey, type Secret } from '@kruise/objects';
import { fromNamedTexts, readCertificateFiles, toNamedTexts, writeCertificateFiles } from './certificate-files.ts';
import { generateKeyMaterial } from './generate.ts';
import { faultOf, unusableBecause, type KeyMaterial } from './key-material.ts';

/** A source of the serving certificate: a Secret, files, or an outside authority. */
export interface CertificateSource {
  /** Returns valid material, which it generates and stores first where that is this source's task. Throws when there is none. */
  ensure(signal: AbortSignal): Promise<KeyMaterial>;
}

/** The required certificate, and how long before its end it is renewed. */
export interface SourceOptions {
  /** The host that the certificate must be valid for: a DNS name or an IPv4 address. */
  readonly host: string;
  readonly renewBefore: Milliseconds;
  readonly clock: Clock;
  readonly logger: Logger;
}

const decode = (secret: Secret): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(secret.data ?? {}).map(([name, value]) => [name, Buffer.from(value, 'base64').toString('utf8')]));

const encode = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text, 'utf8').toString('base64')]));

/**
 * Returns a source in a Secret that all replicas share. The Secret is created, or replaced with the resourceVersion that was read, when it is missing
 * or faulty.
 */
export function secretSource(client: Client, key: ObjectKey, options: SourceOptions): CertificateSource {
  const { host, renewBefore, clock, logger } = options;

  async function read(signal: AbortSignal): Promise<Secret | undefined> {
    try {
      return await client.get(secrets, key, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async function store(material: KeyMaterial, present: Secret | undefined, signal: AbortSignal): Promise<void> {
    const secret: Secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...(present?.metadata ?? key) },
      type: present?.type ?? 'Opaque',
      data: encode(toNamedTexts(material)),
    };
    if (present === undefined) await client.create(secrets, secret, { signal });
    else await client.update(secrets, secret, { signal });
  }

  return {
    async ensure(signal) {
      const present = await read(signal);
      const material = present === undefined ? undefined : fromNamedTexts(decode(present));
      const fault = material === undefined ? 'there is none' : faultOf(material, host, clock.now(), renewBefore);
      if (material !== undefined && fault === undefined) return material;
      logger.info({ secret: key, because: fault }, 'Generating webhook certificates');
      const next = await generateKeyMaterial(host, clock.now(), material);
      await store(next, present, signal);
      return next;
    },
  };
}

/** Returns a source in files only: each replica generates its own certificate and authority. */
export function fileSource(directory: string, options: SourceOptions): CertificateSource {
  const { host, renewBefore, clock, logger } = options;
  return {
    async ensure() {
      const material = await readCertificateFiles(directory);
      const fault = material === undefined ? 'there is none' : faultOf(material, host, clock.now(), renewBefore);
      if (material !== undefined && fault === undefined) return material;
      logger.info({ directory, because: fault }, 'Generating webhook certificates');
      const next = await generateKeyMaterial(host, clock.now());
      await writeCertificateFiles(directory, next);
      return next;
    },
  };
}

/** The callback for a Secret from outside that no server can present. */
export interface ExternalOptions {
  readonly logger: Logger;
  /** Called once for each version of the Secret; `why` names the fault in words. */
  readonly onUnusable?: (secret: Secret, why: string) => void;
}

/**
 * Returns a source in a Secret that an outside authority writes (`ca.crt`, `tls.crt`, `tls.key`): it is read, never generated or written. It is only
 * checked whether a server can present it. While that is not possible, such as with a new certificate beside the old key, the last usable one stays
 * in use.
 */
export function externalSource(client: Client, key: ObjectKey, { logger, onUnusable }: ExternalOptions): CertificateSource {
  let usable: KeyMaterial | undefined;
  let reportedVersion: string | undefined;

  function report(secret: Secret, why: string): void {
    const version = secret.metadata.resourceVersion ?? '';
    if (version === reportedVersion) return;
    reportedVersion = version;
    const outcome = usable === undefined ? 'there is no other' : 'the one before it stays in use';
    logger.error({ secret: key, because: why, outcome }, 'Failed to use the external webhook certificate');
    onUnusable?.(secret, why);
  }

  return {
    async ensure(signal) {
      const secret = await client.get(secrets, key, { signal });
      const { 'ca.key': caKey, 'ca.crt': caCert, 'tls.key': privateKey, 'tls.crt': cert } = decode(secret);
      const isWhole = caCert && privateKey && cert;
      const material = isWhole ? { ...(caKey ? { caKey } : {}), caCert, key: privateKey, cert } : undefined;
      const why = material === undefined ? 'it must have ca.crt, tls.crt and tls.key' : unusableBecause(material);
      if (material !== undefined && why === undefined) {
        reportedVersion = undefined;
        usable = material;
        return material;
      }
      report(secret, why ?? '');
      if (usable !== undefined) return usable;
      throw new Error(`Secret ${key.namespace}/${key.name} cannot be used for the webhooks: ${why}`);
    },
  };
}
