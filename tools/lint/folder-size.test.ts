/** A folder is read as a list of names: with more than 25 files, its parts belong in folders of their own. */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const most = 25;

/** Folders with more than `most` files, and how many they have. */
function largeFolders(files: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder}: ${count} files`);
}

it('no folder has more than 25 TypeScript files, tests included', () => {
  const files = globSync('{libs,apps,tools,e2e}/**/*.ts', { cwd: root, exclude: (name) => /^(node_modules|dist)$/.test(name) });
  expect(files.length).toBeGreaterThan(1000);
  expect(largeFolders(files)).toEqual([]);
});

it('a folder with 26 files is found, with 25 it is not', () => {
  const files = (folder: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${folder}/${i}.ts`);
  expect(largeFolders([...files('libs/a', most), ...files('libs/a/b', most + 1)])).toEqual(['libs/a/b: 26 files']);
});
