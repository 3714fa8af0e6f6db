import { describe, expect, it } from '@jest/globals';
import type { Row } from '../table.ts';
import { renderPage } from './page.ts';
import { resultsText, withTables, type ResultTable, type Results } from './results.ts';

const recordedAt = '2026-11-21';
const of = (table: ResultTable): Results => ({ machine: '2 cores', tables: { t: table } });
const place = '<!-- results: t -->\n<!-- end of results -->\n';
/** The lines of the table below its rule. */
const linesOf = (table: ResultTable): readonly string[] =>
  renderPage(place, of(table))
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .filter((_, at) => at !== 1);
const row = (given: Partial<Row> & { readonly ratio?: number }): ResultTable => ({ recordedAt, rows: [{ what: 'x (s)', ...given }] });

describe('renderPage', () => {
  it('replaces what is between the comments, and nothing else', () => {
    const page = `# Title\n\n<!-- results: t -->\nearlier\n<!-- end of results -->\n\ntext\n`;
    const table: ResultTable = { recordedAt, options: ['store'], loadAtStart: 1.3, rows: [{ what: 'heap (MB)', ours: 39.6, limit: 65 }] };
    expect(renderPage(page, of(table))).toBe(
      [
        '# Title',
        '',
        '<!-- results: t -->',
        '',
        '`npm run bench -- store`; 2026-11-21; load at start 1.3',
        '',
        '| measure   | ours | target | met |',
        '| --------- | ---: | ------ | --- |',
        '| heap (MB) | 39.6 | ≤ 65   | yes |',
        '',
        '<!-- end of results -->',
        '',
        'text',
        '',
      ].join('\n'),
    );
  });

  it('is the same when it is rendered again', () => {
    const once = renderPage(place, of(row({ ours: 3 })));
    expect(renderPage(once, of(row({ ours: 3 })))).toBe(once);
  });

  it.each<[string, ResultTable, string]>([
    [
      'a limit of the ratio',
      row({ ours: 3, peer: { name: 'peer', value: 10 }, limit: 0.2 }),
      '| x (s)   |    3 | 10 peer |   0.3 | ratio ≤ 0.2 | **no** |',
    ],
    [
      'a limit of the number itself, beside a peer',
      row({ ours: 3, peer: { name: 'peer', value: 10 }, limit: 5, limitOf: 'ours' }),
      '| x (s)   |    3 | 10 peer |   0.3 | ≤ 5    | yes |',
    ],
    [
      'a ratio that was recorded',
      row({ ours: 3, peer: { name: 'peer', value: 10 }, limit: 0.3, ratio: 0.304 }),
      '| x (s)   |    3 | 10 peer | 0.304 | ratio ≤ 0.3 | **no** |',
    ],
    ['what could not be measured', row({ limit: 5, note: 'no root' }), '| x (s) [no root] |    - | ≤ 5    |'],
    ['a | in a name', { recordedAt, columns: ['a|b', 'n'], cells: [['c|d', 1234]] }, '| c\\|d |     1,234 |'.replace('    1,234', '1,234')],
  ])('shows %s', (_, table, line) => {
    expect(linesOf(table)).toContain(line);
  });

  it('aligns numbers to the right and leaves empty columns out', () => {
    const table: ResultTable = {
      recordedAt,
      columns: ['phase', 'share', 'text'],
      cells: [
        ['create', '100 %', 'yes'],
        ['scale', '9 %', 'no'],
      ],
    };
    expect(linesOf(table)).toEqual(['| phase  | share | text |', '| create | 100 % | yes  |', '| scale  |   9 % | no   |']);
    expect(linesOf(row({ ours: 1 }))[0]).toBe('| measure | ours |');
  });

  it('names the machine of the page, and that of a table that was measured on another one', () => {
    const machine = { cores: 4, cpu: 'C', memoryGiB: 8, node: 'v24', kubernetes: '1.34', loadAtStart: 0 };
    const page = `<!-- results: machine -->\n<!-- end of results -->\n${place}`;
    const text = renderPage(page, of({ ...row({ ours: 1 }), machine }));
    expect(text).toContain('\n2 cores.\n');
    expect(text).toContain('2026-11-21; 4 cores (C), Node v24, Kubernetes 1.34\n');
  });

  it('says so in a place without results, and refuses results without a place', () => {
    const page = `<!-- results: other -->\n<!-- end of results -->\n`;
    expect(renderPage(page, { machine: '', tables: {} })).toContain('\nNo numbers are recorded yet.\n');
    expect(() => renderPage(page, of(row({})))).toThrow(/no place for the results of t/);
  });
});

it('a table that is measured again replaces that of the same name only', () => {
  const before: Results = { machine: 'm', tables: { a: row({ ours: 1 }), b: row({ ours: 2 }) } };
  expect(withTables(before, { b: row({ ours: 3 }) })).toEqual({ machine: 'm', tables: { a: row({ ours: 1 }), b: row({ ours: 3 }) } });
});

it('the recorded text is JSON with a line for each row', () => {
  const results: Results = {
    machine: 'm',
    tables: {
      a: {
        recordedAt,
        options: ['store'],
        rows: [
          { what: 'x', ours: 1 },
          { what: 'y', ours: 2 },
        ],
      },
      b: { recordedAt, columns: ['c'], cells: [['d']] },
    },
  };
  expect(JSON.parse(resultsText(results))).toEqual(results);
  expect(
    resultsText(results)
      .split('\n')
      .filter((line) => line.startsWith('    ')),
  ).toHaveLength(3);
});
