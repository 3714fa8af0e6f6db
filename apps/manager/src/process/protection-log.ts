/**
 * The record of refused deletions and evictions: one JSON object a line, appended.
 * @see spec/manager.md 3.4
 */
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@kruise/kube';
import { admissionLimits } from '@kruise/objects';

const mostBytes = admissionLimits.protectionLogBytes.value;
const mostWaiting = admissionLimits.protectionLogWaiting.value;

/** 0 for a file that is not there. */
const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
};

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

/**
 * Opens `<directory>/protection.log`; when the directory cannot be made, warns and records nothing. The file is renamed to `protection.log.1` once it has
 * `admissionLimits.protectionLogBytes`; what cannot be written as fast as it comes is omitted and counted.
 */
export async function openProtectionLog(directory: string, logger: Logger): Promise<ProtectionLog> {
  const path = join(directory, 'protection.log');
  let bytes: number;
  try {
    await mkdir(directory, { recursive: true });
    bytes = await sizeOf(path);
  } catch (error) {
    logger.warn({ error, directory }, 'Failed to open the protection log; refused deletions are not recorded');
    return { record: () => undefined };
  }
  let [waiting, leftOut] = [0, 0];
  let last: Promise<void> = Promise.resolve();
  const write = async (line: string): Promise<void> => {
    const more = Buffer.byteLength(line);
    if (bytes > 0 && bytes + more > mostBytes) {
      await rename(path, `${path}.1`);
      bytes = 0;
    }
    await appendFile(path, line);
    bytes += more;
    if (leftOut > 0)
      logger.error({ path, entries: leftOut }, 'Dropped protection log entries that arrived faster than they can be written');
    leftOut = 0;
  };
  return {
    record({ Event, Kind, Namespace, Name, UserAgent }) {
      if (waiting >= mostWaiting) return void leftOut++;
      waiting++;
      const line = `${JSON.stringify({ Event, Kind, Namespace, Name, UserAgent })}\n`;
      last = last
        .then(() => write(line))
        .catch((error: unknown) => logger.error({ error, path }, 'Failed to write an entry of the protection log'))
        .finally(() => waiting--);
    },
  };
}
