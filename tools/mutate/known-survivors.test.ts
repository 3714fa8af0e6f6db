import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readKnownSurvivors } from './known-survivors.ts';

const root = dirname(dirname(import.meta.dirname));
const lists = globSync('*.yaml', { cwd: join(import.meta.dirname, 'survivors') }).toSorted();

/** The first line of a mutated statement, as a list quotes it. */
const linesOf = (file: string): ReadonlySet<string> =>
  new Set(
    existsSync(join(root, file))
      ? readFileSync(join(root, file), 'utf8')
          .split('\n')
          .map((line) => line.trim())
      : [],
  );

describe('the lists of survivors', () => {
  it('are there', () => {
    expect(lists.length).toBeGreaterThan(20);
  });

  it.each(lists)('%s gives reasons for lines that exist', (list) => {
    const known = readKnownSurvivors(list.replace(/\.yaml$/, ''));
    const stale = Object.entries(known).flatMap(([file, entries]) => {
      const lines = linesOf(file);
      return entries.filter(({ code }) => !lines.has(code.trim())).map(({ code }) => `${file}: ${code}`);
    });
    expect(stale).toEqual([]);
  });
});
