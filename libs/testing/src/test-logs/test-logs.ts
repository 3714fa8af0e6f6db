/**
 * Where the programs that a test file starts leave their logs, so that the runner can show the ends of those of a failed file. Does nothing unless
 * the runner requests it.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Environment variable with the folder for all logs of a run. The runner sets it. */
export const logRootVariable = 'KRUISE_TEST_LOGS';
/** Environment variable with the path of the present test file. Jest's setup sets it. */
const testFileVariable = 'KRUISE_TEST_FILE';

/** Returns the folder for the logs of one test file. */
export const logFolderOf = (root: string, file: string): string =>
  join(root, `${basename(file)}-${createHash('sha256').update(file).digest('hex').slice(0, 8)}`);

function folder(): string | undefined {
  const { [logRootVariable]: root, [testFileVariable]: file } = process.env;
  if (root === undefined || file === undefined) return undefined;
  const path = logFolderOf(root, file);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Adds text to a log of the present test file. */
export function keepLog(name: string, text: string): void {
  const path = folder();
  if (path !== undefined) appendFileSync(join(path, name), text);
}

/** Copies all logs of a cluster's folder to those of the present test file; a later cluster of the same file replaces them. */
export function keepLogsOf(logFolder: string): void {
  const path = existsSync(logFolder) ? folder() : undefined;
  if (path === undefined) return;
  for (const name of readdirSync(logFolder)) copyFileSync(join(logFolder, name), join(path, name));
}
