/** Files that a check has passed before. The record is outside of the tree, so that a check in a fresh clone skips what has not changed. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '@kruise/testing';

/** A record has room for several states of all files. */
const mostKeys = 40_000;

/** Returns a key of everything that a verdict depends on. */
export const keyOf = (...parts: readonly string[]): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

/** The keys of files without a finding. Without a record, no file has passed. */
export class PassedFiles {
  readonly #path: string;
  readonly #keys: ReadonlySet<string>;

  /** @param check its name @param folder of all records */
  constructor(check: string, folder = join(cacheFolder(), 'passed')) {
    this.#path = join(folder, check);
    this.#keys = new Set(this.#read());
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Records what has passed in this run; the oldest keys are dropped. A folder that cannot be written is no failure of the check. */
  save(passed: Iterable<string>): void {
    const keys = [...new Set([...passed, ...this.#read()])].slice(0, mostKeys);
    const draft = `${this.#path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(draft, keys.join('\n'));
      renameSync(draft, this.#path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }

  #read(): readonly string[] {
    try {
      return readFileSync(this.#path, 'utf8').split('\n');
    } catch {
      return [];
    }
  }
}
