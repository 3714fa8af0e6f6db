/** The lists of survivors that were looked at, `survivors/<scope>.yaml`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KnownSurvivor } from './results.ts';

const isEntry = (value: unknown): value is KnownSurvivor =>
  typeof value === 'object' &&
  value !== null &&
  ['code', 'mutant', 'why'].every((name) => typeof (value as Record<string, unknown>)[name] === 'string');

/** @returns by file; empty for a scope without a list. @throws naming the file and what is wrong in it */
export function readKnownSurvivors(
  scope: string,
  folder = join(import.meta.dirname, 'survivors'),
): Readonly<Record<string, readonly KnownSurvivor[]>> {
  const file = join(folder, `${scope.replaceAll('/', '-')}.yaml`);
  if (!existsSync(file)) return {};
  const list = (parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
  for (const [path, entries] of Object.entries(list)) {
    if (!Array.isArray(entries) || !entries.every(isEntry))
      throw new Error(`${file}: ${path} must be a list of entries with the texts code, mutant and why`);
  }
  return list as Record<string, readonly KnownSurvivor[]>;
}
