/**
 * The authorities that sign the client certificate of the API server, in a file that may be replaced while the program runs.
 * @see spec/manager.md 4.1
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock, Logger } from '@kruise/kube';
import { seconds } from '@kruise/objects';

const lookEvery = seconds(10);

const certificateText = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * Parses authorities.
 *
 * @param pem one certificate or more; text between them is ignored
 * @throws Error that names the fault: no certificate, one that cannot be read, or one that is not of an authority
 */
export function parseAuthorities(pem: string): readonly X509Certificate[] {
  const texts = pem.match(certificateText) ?? [];
  if (texts.length === 0) throw new Error('it must contain the PEM of one certificate or more');
  return texts.map((text, index) => {
    const place = `certificate ${index + 1} of ${texts.length}`;
    const certificate = readOne(text, place);
    if (!certificate.ca) throw new Error(`${place} (${certificate.subject.replaceAll('\n', ', ')}) is not the certificate of an authority`);
    return certificate;
  });
}

function readOne(text: string, place: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new Error(`${place} cannot be read`, { cause: error });
  }
}

/** Returns the text of the file. @throws Error that names the file and its fault */
export async function readAuthorities(path: string): Promise<string> {
  try {
    const pem = await readFile(path, 'utf8');
    parseAuthorities(pem);
    return pem;
  } catch (error) {
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns the message of an error. @remarks Not by class: what `node:fs` throws may be of another realm. */
const reasonOf = (error: unknown): string => (error as Partial<Error>).message ?? String(error);

/** The file to watch, and the callback for changes. */
export interface AuthoritiesFile {
  readonly path: string;
  /** The text as it was read last. */
  readonly known: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with each new text that can be used. */
  readonly onChange: (pem: string) => void;
}

/** Checks the file every 10 s until `signal` aborts; never rejects. An unusable file is logged once, and the known authorities stay in use. */
export async function watchAuthorities({ path, known, clock, logger, onChange }: AuthoritiesFile, signal: AbortSignal): Promise<void> {
  let [held, logged] = [known, ''];
  const look = async (): Promise<void> => {
    try {
      const next = await readAuthorities(path);
      logged = '';
      if (next === held) return;
      held = next;
      logger.info({ path }, 'Replaced the certificate authorities of webhook callers');
      onChange(next);
    } catch (error) {
      const because = reasonOf(error);
      if (because !== logged)
        logger.error({ because }, 'Failed to use the certificate authorities of webhook callers; keeping the previous ones');
      logged = because;
    }
  };
  while (!signal.aborted) {
    await clock.sleep(lookEvery, signal).catch(() => undefined);
    if (!signal.aborted) await look();
  }
}
