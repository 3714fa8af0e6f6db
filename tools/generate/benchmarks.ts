/** The tables of docs/benchmarks.md, from the numbers that `npm run bench -- --write` has recorded. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderPage } from '../bench/results/page.ts';
import { readResults } from '../bench/results/files.ts';
import type { Generator } from './generator.ts';

const root = dirname(dirname(import.meta.dirname));
const page = 'docs/benchmarks.md';

export const benchmarksGenerator: Generator = {
  name: 'tables of the benchmarks',
  folders: [],
  pages: [page],
  files: () => [{ path: page, content: renderPage(readFileSync(join(root, page), 'utf8'), readResults()) }],
};
