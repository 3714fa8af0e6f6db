/** Logs of the programs that test files start, kept while a run lasts, so that the ends of those of failed files can be shown. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logFolderOf, logRootVariable } from '@kruise/testing';
import type { LogEnd } from './tally.ts';

const shownLines = 50;
const shownLogs = 3;

/** Programs of this project come first: what they log says most. */
const rank = (name: string): number => (/^(manager|daemon|launcher)/.test(name) ? 0 : name.startsWith('kube-') ? 1 : 2);

function endOf(path: string): readonly string[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.slice(-shownLines).map((line) => line.slice(0, 400));
}

/** One run's logs. {@link dispose} removes them. */
export class KeptLogs {
  readonly #root = mkdtempSync(join(tmpdir(), 'kruise-logs-'));

  /** What the tests need in their environment. */
  get env(): Readonly<Record<string, string>> {
    return { [logRootVariable]: this.#root };
  }

  /** Returns the ends of the logs that a test file has left, those of this project's programs first. */
  endsOf(file: string): readonly LogEnd[] {
    const folder = logFolderOf(this.#root, file);
    try {
      return readdirSync(folder)
        .toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))
        .slice(0, shownLogs)
        .map((name) => ({ name, lines: endOf(join(folder, name)) }));
    } catch {
      return []; // the file started nothing
    }
  }

  dispose(): void {
    // Programs of a run that was ended may still write their last lines.
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 10 });
  }
}
