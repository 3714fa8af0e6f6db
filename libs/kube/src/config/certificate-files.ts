/** A client certificate and its key in files that are replaced while the program runs (by the kubelet, cert-manager or a mounted Secret). */
import { readFile } from 'node:fs/promises';
import { belongTogether, type ClientCertificate } from './client-certificate.ts';
import { ConfigError, type Pem, type UserAuth } from './cluster-config.ts';

const longestAge = 60_000;
/** A pair that does not match is being written. */
const ageAfterFailure = longestAge - 1000;

/**
 * One certificate and its key. The files are read at the first connection, at each further one, once a minute, and after the server refused the
 * certificate. When the pair cannot be read or does not match (one file is written before the other), the known pair stays in use.
 */
export class CertificateFiles {
  readonly #places: NonNullable<UserAuth['clientCertificate']>;
  readonly #nowMs: () => number;
  #held: ClientCertificate | undefined;
  #reading: Promise<ClientCertificate> | undefined;
  #checking: Promise<unknown> | undefined;
  #readAt = 0;
  #checks = 0;
  #generation = 0;

  /**
   * Creates the certificate from its files.
   *
   * @param nowMs monotonic milliseconds, for the age of what was read
   */
  constructor(places: NonNullable<UserAuth['clientCertificate']>, nowMs: () => number) {
    this.#places = places;
    this.#nowMs = nowMs;
  }

  /** Increases with every pair that differs from the previous one. */
  get generation(): number {
    return this.#generation;
  }

  /** Increases with every {@link check} that read the files. */
  get version(): number {
    return this.#checks;
  }

  /** False for a pair that was given as text. */
  get renewable(): boolean {
    return 'file' in this.#places.certificate || 'file' in this.#places.key;
  }

  /** Returns the pair for one new connection. Rejects with {@link ConfigError} when there never was a usable one. */
  async pair(): Promise<ClientCertificate> {
    return await this.#read();
  }

  /** Reads the files when the last read is too old. @returns undefined when it is not, else a promise that does not reject */
  check(): Promise<unknown> | undefined {
    const isDue = this.renewable && this.#held !== undefined && this.#nowMs() - this.#readAt >= longestAge;
    if (!isDue) return this.#checking;
    this.#checking ??= this.#read().finally(() => {
      this.#checks++;
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Makes the next {@link check} read the files, because the server refused the certificate. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  #read(): Promise<ClientCertificate> {
    this.#reading ??= this.#renew().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #renew(): Promise<ClientCertificate> {
    const held = this.#held;
    try {
      const next = await readPair(this.#places);
      this.#readAt = this.#nowMs();
      if (held?.cert === next.cert && held.key === next.key) return held;
      if (this.renewable && !fitsTogether(next)) throw new ConfigError(`${nameOf(this.#places)}: do not belong together`);
      if (held !== undefined) this.#generation++;
      return (this.#held = next);
    } catch (error) {
      if (held === undefined) throw error;
      this.#readAt = this.#nowMs() - ageAfterFailure;
      return held;
    }
  }
}

/** Returns the text, or the content of the file. Rejects with {@link ConfigError}, which names `field`. */
export async function readPem(pem: Pem, field: string): Promise<string> {
  if ('data' in pem) return pem.data;
  try {
    return await readFile(pem.file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${field}: cannot read ${pem.file}: ${(error as NodeJS.ErrnoException).code ?? 'failed'}`, { cause: error });
  }
}

const readPair = async ({ certificate, key }: NonNullable<UserAuth['clientCertificate']>): Promise<ClientCertificate> => ({
  cert: await readPem(certificate, 'client-certificate'),
  key: await readPem(key, 'client-key'),
});

function fitsTogether(pair: ClientCertificate): boolean {
  try {
    return belongTogether(pair);
  } catch {
    return false;
  }
}

const placeOf = (pem: Pem): string => ('file' in pem ? ` (${pem.file})` : '');
const nameOf = ({ certificate, key }: NonNullable<UserAuth['clientCertificate']>): string =>
  `client-certificate${placeOf(certificate)} and client-key${placeOf(key)}`;
