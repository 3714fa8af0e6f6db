/**
 * The record of refused deletions and evictions: one JSON object a line, appended.
 * @see spec/manager.md 3.4
 */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@kruise/kube';

export interface ProtectionRecord {
  readonly Event: 'PodUnavailableBudget' | 'DeletionProtection';
  readonly Kind: string;
  readonly Namespace: string;
  readonly Name: string;
  /** Name of the user who asked. */
  readonly UserAgent: string;
}

export interface ProtectionLog {
  /** Never throws and never makes the caller wait: what cannot be written is reported in the normal log. */
  record(entry: ProtectionRecord): void;
}

/** Opens `<directory>/protection.log`; when the directory cannot be made, warns and records nothing. */
export async function openProtectionLog(directory: string, logger: Logger): Promise<ProtectionLog> {
  const path = join(directory, 'protection.log');
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    logger.warn({ error, directory }, 'Protection log cannot be written: refused deletions will not be recorded');
    return { record: () => undefined };
  }
  let last: Promise<void> = Promise.resolve();
  return {
    record({ Event, Kind, Namespace, Name, UserAgent }) {
      const line = `${JSON.stringify({ Event, Kind, Namespace, Name, UserAgent })}\n`;
      last = last
        .then(() => appendFile(path, line))
        .catch((error: unknown) => logger.error({ error, path }, 'Protection log entry was lost'));
    },
  };
}
