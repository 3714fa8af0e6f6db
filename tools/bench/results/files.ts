/** Where the recorded numbers are. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderPage } from './page.ts';
import { resultsText, withTables, type Results, type ResultTable } from './results.ts';

const docs = join(dirname(dirname(dirname(import.meta.dirname))), 'docs');
const resultsFile = join(docs, 'benchmarks/results.json');
const pageFile = join(docs, 'benchmarks.md');

export const readResults = (): Results => JSON.parse(readFileSync(resultsFile, 'utf8')) as Results;

/** Replaces the recorded tables of the same names, and writes the page again. @throws for a table that has no place in the page; nothing is written then */
export function recordTables(measured: Readonly<Record<string, ResultTable>>): void {
  const results = withTables(readResults(), measured);
  const page = renderPage(readFileSync(pageFile, 'utf8'), results);
  writeFileSync(resultsFile, resultsText(results));
  writeFileSync(pageFile, page);
}
