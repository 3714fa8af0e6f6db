/**
 * The authorities that sign the client certificate of the API server, in a file that somebody may replace while the program runs.
 * @see spec/manager.md 4.1
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock, Logger } from '@kruise/kube';
import { seconds } from '@kruise/objects';

const lookEvery = seconds(10);

const certificateText = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * @param pem one certificate or more; what stands between them is passed over
 * @throws Error which says what is wrong: none, one that cannot be read, or one that is not of an authority
 */
export function parseAuthorities(pem: string): readonly X509Certificate[] {
  const texts = pem.match(certificateText) ?? [];
  if (texts.length === 0) throw new Error('it must hold the PEM of one certificate or more');
  return texts.map((text, index) => {
    const place = `certificate ${index + 1} of ${texts.length}`;
    const certificate = readOne(text, place);
    if (!certificate.ca) throw new Error(`${place} (${certificate.subject.replaceAll('\n', ', ')}) is not one of an authority`);
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

/** @returns the text of the file. @throws Error that names the file and what is wrong with it */
export async function readAuthorities(path: string): Promise<string> {
  try {
    const pem = await readFile(path, 'utf8');
    parseAuthorities(pem);
    return pem;
  } catch (error) {
    throw new Error(`${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** @remarks Not by class: what `node:fs` throws may be of another realm. */
const reasonOf = (error: unknown): string => (error as Partial<Error>).message ?? String(error);

/** Which file, and who is told. */
export interface AuthoritiesFile {
  readonly path: string;
  /** As it was read last. */
  readonly known: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told each new text that can be used. */
  readonly onChange: (pem: string) => void;
}

/** Looks every 10 s until `signal` aborts; never rejects. A file that cannot be used is logged once, and what is known stays in force. */
export async function watchAuthorities({ path, known, clock, logger, onChange }: AuthoritiesFile, signal: AbortSignal): Promise<void> {
  let [held, told] = [known, ''];
  const look = async (): Promise<void> => {
    try {
      const next = await readAuthorities(path);
      told = '';
      if (next === held) return;
      held = next;
      logger.info({ path }, 'The authorities of webhook callers have changed');
      onChange(next);
    } catch (error) {
      const because = reasonOf(error);
      if (because !== told) logger.error({ because }, 'The authorities of webhook callers cannot be used: those before them stay in force');
      told = because;
    }
  };
  while (!signal.aborted) {
    await clock.sleep(lookEvery, signal).catch(() => undefined);
    if (!signal.aborted) await look();
  }
}
