/** The tables of docs/benchmarks.md: each is between two comments that name it, and is written from the recorded results. Pure. */
import { escaped, formatNumber, markdownTable, measureTable } from '../table.ts';
import type { ResultTable, Results } from './results.ts';

const end = '<!-- end of results -->';
const region = /<!-- results: (\S+) -->\n[\s\S]*?<!-- end of results -->/g;

function tableText(table: ResultTable): string {
  if ('rows' in table) return measureTable(table.rows);
  const texts = table.cells.map((row) => row.map((cell) => (typeof cell === 'number' ? formatNumber(cell) : escaped(cell))));
  return markdownTable(
    table.columns.map((head, at) => ({
      head: escaped(head),
      align: at > 0 && texts.every((row) => /^(\d|$)/.test(row[at] ?? '')) ? 'right' : 'left',
      cells: texts.map((row) => row[at] ?? ''),
    })),
  );
}

/** How, when and where, as far as it was recorded. */
function measurementText({ recordedAt, machine, options, loadAtStart }: ResultTable): string {
  const parts = [
    options === undefined ? '' : `\`npm run bench -- ${options.join(' ')}\``,
    recordedAt,
    machine === undefined ? '' : `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Kubernetes ${machine.kubernetes}`,
    loadAtStart === undefined ? '' : `load at start ${formatNumber(loadAtStart)}`,
  ];
  return parts.filter((part) => part !== '').join('; ');
}

/** @returns the page with every table as in `results` @throws for results that have no place in the page */
export function renderPage(page: string, results: Results): string {
  const named = new Set<string>();
  const text = page.replace(region, (_, name: string) => {
    if (name === 'machine') return `<!-- results: machine -->\n\n${results.machine}.\n\n${end}`;
    const table = results.tables[name];
    named.add(name);
    if (table === undefined) return `<!-- results: ${name} -->\n\nNo numbers are recorded yet.\n\n${end}`;
    return `<!-- results: ${name} -->\n\n${measurementText(table)}\n\n${tableText(table)}\n\n${end}`;
  });
  const absent = Object.keys(results.tables).filter((name) => !named.has(name));
  if (absent.length > 0) throw new Error(`the page has no place for the results of ${absent.join(', ')}`);
  return text;
}
